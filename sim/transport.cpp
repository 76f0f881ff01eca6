#include "sim/transport.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr std::uint32_t kNoChannel = 0xffffffff;

Strand strand_of(std::uint32_t channel) { return {Strand::Kind::messages, channel}; }

}  // namespace

void Transport::send(TaskId from, TaskId to, std::uint64_t bytes, Continuation delivered, Manner manner) {
  look_at_cards();
  const std::uint32_t c = channel_of(from, to);
  Channel& channel = channels_[c];
  channel.bytes += bytes;
  ++channel.messages;
  if (!held_.empty() && is_held(channel)) return keep(c, {c, bytes, delivered, manner, ++kept_});
  depart(c, bytes, delivered, manner);
}

void Transport::depart(std::uint32_t c, std::uint64_t bytes, Continuation delivered, Manner manner) {
  Channel& channel = channels_[c];
  const Nanos arrival = arrival_of(channel, manner);
  const Wait wait{.kind = WaitKind::message, .first_until = arrival};
  if (channel.path.bandwidth == 0 || bytes == 0) return heap_.at(arrival, delivered, strand_of(c), wait);
  if (bytes < cluster_.network.small_message) return depart_small(c, bytes, delivered, wait);
  constexpr auto kReach = [](void* self, std::uint64_t t) {
    static_cast<Transport*>(self)->reach_card(static_cast<std::uint32_t>(t));
  };
  const Nanos waits = lanes_.wait_to_leave(heap_.now(), channel.route);
  heap_.at(arrival + waits, {kReach, this, transfers_.take({c, bytes, delivered})}, strand_of(c), wait);
}

// Its last byte arrives that much after its latency as it leaves after now, if the receiver's card is idle.
void Transport::depart_small(std::uint32_t c, std::uint64_t bytes, Continuation delivered, const Wait& wait) {
  const Lanes::Route route = channels_[c].route;
  const Nanos now = heap_.now(), left = lanes_.leave(now, route, bytes);
  const Nanos there = wait.first_until + std::max(left - now, lanes_.time_on_arrival(route, bytes));
  if (lanes_.has_flows(route)) load_flows(c, bytes);
  if (route.ends_unlimited()) return heap_.at(there, delivered, strand_of(c), wait);
  constexpr auto kArrive = [](void* self, std::uint64_t t) {
    static_cast<Transport*>(self)->arrive(static_cast<std::uint32_t>(t));
  };
  heap_.at(there, {kArrive, this, transfers_.take({c, bytes, delivered})}, strand_of(c), wait);
}

// At the trunk before its receiver, and then at the card, which a message that waits for the trunk leaves to others.
void Transport::arrive(std::uint32_t transfer) {
  look_at_cards();
  const Transfer& t = transfers_[transfer];
  const Nanos in = lanes_.come_in(heap_.now(), channels_[t.channel].route, t.bytes);
  if (in == heap_.now()) return arrive_at_card(transfer);
  constexpr auto kArrive = [](void* self, std::uint64_t number) {
    static_cast<Transport*>(self)->arrive_at_card(static_cast<std::uint32_t>(number));
  };
  heap_.at(in, {kArrive, this, transfer}, strand_of(t.channel),
           {.kind = WaitKind::message, .first_until = heap_.now()});
}

void Transport::arrive_at_card(std::uint32_t transfer) {
  look_at_cards();
  const Transfer t = transfers_.give_back(transfer);
  const Nanos through = lanes_.arrive(heap_.now(), channels_[t.channel].route, t.bytes);
  if (through == heap_.now()) return t.delivered();
  heap_.at(through, t.delivered, strand_of(t.channel), {.kind = WaitKind::message, .first_until = heap_.now()});
}

// Without its bytes' time.
Nanos Transport::arrival_of(Channel& channel, Manner manner) {
  Nanos arrival = heap_.now() + channel.path.latency;
  const std::uint64_t number = channel.departed++;
  if (manner == Manner::in_order) return std::max(arrival, channel.latest);
  if (!channel.jitter) return arrival;
  Random random = channel.jitter->draws.at(number);
  arrival += static_cast<Nanos>(random.below(static_cast<std::uint64_t>(channel.jitter->within) + 1));
  channel.latest = std::max(channel.latest, arrival);
  return arrival;
}

std::uint32_t Transport::channel_of(TaskId from, TaskId to) {
  check(from.index() < cluster_.tasks.size() && to.index() < cluster_.tasks.size(),
        "a message of a task that the cluster doesn't have");
  auto& row = channel_of_[from.index()];
  if (row.empty()) row.assign(cluster_.tasks.size(), kNoChannel);
  std::uint32_t& channel = row[to.index()];
  if (channel == kNoChannel) channel = add_channel(from, to);
  return channel;
}

std::uint32_t Transport::add_channel(TaskId from, TaskId to) {
  const Card ours = choice_.of(from, to), theirs = choice_.of(to, from);
  channels_.push_back(
      {.path = {}, .from = ours, .to = theirs, .sender = from, .receiver = to, .route = lanes_.route(ours, theirs)});
  set_path(channels_.back());
  if (const auto it = jitters_.find({from, to}); it != jitters_.end()) channels_.back().jitter = it->second;
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

std::uint64_t Transport::bandwidth_now(Card card) const {
  return cards_.bandwidth(card, bandwidth_of(cluster_.hosts, card));
}

PathSpec Transport::path_now(Card from, Card to) const {
  const Way way{from.host, to.host};
  PathSpec path = path_between(cluster_, way.from, way.to, {bandwidth_now(from), bandwidth_now(to)});
  if (const auto it = latencies_.find({way.from, way.to}); it != latencies_.end()) path.latency = it->second;
  if (const auto it = percent_.find(way); it != percent_.end())
    path.bandwidth = narrower(path.bandwidth, narrowed(way, it->second));
  return path;
}

// What all cards have together that carry messages on this way.
std::uint64_t Transport::narrowed(const Way& way, std::int64_t percent) const {
  const auto now = [this](Card card) { return bandwidth_now(card); };
  const CardPair cards{together(cluster_, way.from, way.to, now), together(cluster_, way.to, way.from, now)};
  return share_of(path_of_all(cluster_, way.from, way.to, cards).bandwidth, percent, 100);
}

// What leaves one end of a connection waits for answers from the other end.
void Transport::set_path(Channel& c) const {
  c.path = path_now(c.from, c.to);
  if (cluster_.network.transport.window == 0) return;
  c.window_rate = window_rate(cluster_.network.transport.window, c.path.latency + path_now(c.to, c.from).latency);
  c.path.bandwidth = narrower(c.path.bandwidth, c.window_rate);
}

// A round trip has both ways.
void Transport::refresh(const Way& way) {
  for (Channel& c : channels_)
    if (std::minmax(c.from.host, c.to.host) == std::minmax(way.from, way.to)) set_path(c);
}

void Transport::set_latency(HostId from, HostId to, std::optional<Nanos> latency) {
  if (latency)
    latencies_[{from, to}] = *latency;
  else
    latencies_.erase({from, to});
  refresh({from, to});
}

void Transport::may_narrow(const Way& way) {
  percent_[way] = 100;
  flows_.may_narrow(way.from, way.to);
  lanes_.may_narrow(way.from, way.to, path_between(cluster_, way.from, way.to).bandwidth);
}

void Transport::narrow(const Way& way, std::int64_t percent) {
  percent_[way] = percent;
  set_way(way);
  refresh(way);
}

void Transport::set_way(const Way& way) {
  const std::uint64_t bandwidth = narrowed(way, percent_.at(way));
  if (bandwidth == 0) return;
  lanes_.set_bandwidth(way.from, way.to, bandwidth);
  flows_.narrow(way.from, way.to, bandwidth);
}

void Transport::set_jitter(TaskId from, TaskId to, const std::optional<Jitter>& jitter) {
  jitters_.erase({from, to});
  if (jitter) jitters_.emplace(std::pair(from, to), *jitter);
  const auto& row = channel_of_[from.index()];
  if (!row.empty() && row[to.index()] != kNoChannel) channels_[row[to.index()]].jitter = jitter;
}

// ---- what is held ----

void Transport::hold(const Ways& ways, Hold why) {
  for (const Way& way : ways) held_[way] |= 1U << static_cast<unsigned>(why);
}

// Messages that nothing holds any more go on, channel by channel.
void Transport::release(const Ways& ways, Hold why, LetGo how) {
  for (const Way& way : ways)
    if (const auto it = held_.find(way); it != held_.end() && (it->second &= ~(1U << static_cast<unsigned>(why))) == 0)
      held_.erase(it);
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    if (is_held(channels_[c])) continue;
    for (const std::uint32_t t : std::exchange(channels_[c].held, {})) {
      const Transfer held = transfers_.give_back(t);
      if (how == LetGo::at_once)
        heap_.at(heap_.now(), held.delivered, strand_of(c), {.kind = WaitKind::message});
      else
        depart(c, held.bytes, held.delivered, held.manner);
    }
  }
}

void Transport::keep(std::uint32_t c, const Transfer& transfer) {
  Channel& channel = channels_[c];
  channel.held.push_back(transfers_.take(transfer));
  const auto limit = lost_after_.find(way_of(channel));
  if (limit == lost_after_.end() || transfer.manner == Manner::waits) return;
  heap_.after(limit->second, [this, c, number = transfer.number] { lose(c, number); });
}

void Transport::lose_held_after(const Ways& ways, std::optional<Nanos> time) {
  for (const Way& way : ways)
    if (time)
      lost_after_[way] = *time;
    else
      lost_after_.erase(way);
}

std::vector<Continuation> Transport::take_held(const Ways& ways) {
  std::vector<Continuation> taken;
  for (Channel& c : channels_) {
    if (std::ranges::find(ways, way_of(c)) == ways.end()) continue;
    std::vector<std::uint32_t> waiting;
    for (const std::uint32_t t : c.held)
      if (transfers_[t].manner == Manner::waits)
        waiting.push_back(t);
      else
        taken.push_back(transfers_.give_back(t).delivered);
    c.held = std::move(waiting);
  }
  return taken;
}

// Unless it has gone on.
void Transport::lose(std::uint32_t c, std::uint64_t number) {
  std::vector<std::uint32_t>& held = channels_[c].held;
  const auto it = std::ranges::find_if(held, [&](std::uint32_t t) { return transfers_[t].number == number; });
  if (it == held.end()) return;
  const std::uint32_t lost = *it;
  held.erase(it);
  on_broken(transfers_.give_back(lost).delivered);
}

// ---- transfers ----

// Small messages that are there before it are through the receiver's card first.
void Transport::reach_card(std::uint32_t transfer) {
  const Transfer& t = transfers_[transfer];
  const Nanos waits = lanes_.wait_on_arrival(heap_.now(), channels_[t.channel].route);
  if (waits == 0) return enter_channel(transfer);
  constexpr auto kEnter = [](void* self, std::uint64_t number) {
    static_cast<Transport*>(self)->enter_channel(static_cast<std::uint32_t>(number));
  };
  heap_.at(heap_.now() + waits, {kEnter, this, transfer}, strand_of(t.channel),
           {.kind = WaitKind::message, .first_until = heap_.now()});
}

void Transport::enter_channel(std::uint32_t transfer) {
  look_at_cards();
  const std::uint32_t channel = transfers_[transfer].channel;
  transfers_[transfer].wait = {.kind = WaitKind::flow, .cause = heap_.present()};
  channels_[channel].waiting.push_back(transfer);
  fill_channel(channel);
}

void Transport::fill_channel(std::uint32_t c) {
  Channel& channel = channels_[c];
  while (channel.in_flight < cluster_.network.transfers_per_channel && !channel.waiting.empty()) {
    const std::uint32_t transfer = channel.waiting.front();
    channel.waiting.pop_front();
    ++channel.in_flight;
    start_flow(c, transfer);
    lanes_.flow_begins(channel.route);
  }
  count_sender(channel);
}

void Transport::start_flow(std::uint32_t c, std::uint32_t transfer) {
  const Channel& channel = channels_[c];
  Transfer& t = transfers_[transfer];
  const Nanos now = heap_.now();
  t.wait.holder = t.wait.cause == heap_.present() ? 0 : heap_.present();
  t.wait.first_until = now;
  t.wait.second_until = now + transfer_time(t.bytes, channel.path.bandwidth);
  if (channel.window_rate == 0) return flows_.start(now, channel.from, channel.to, t.bytes, transfer);
  flows_.start_on({c, channel.sender, channel.receiver, channel.window_rate}, now, channel.from, channel.to, t.bytes,
                  transfer);
}

// It counts from its first large message to the end of its last one.
void Transport::count_sender(Channel& c) {
  if (c.counts == (c.in_flight > 0) || c.from.host == c.to.host) return;
  c.counts = !c.counts;
  if (incast_.change(c.to, c.counts ? 1 : -1)) set_incast(c.to);
}

// ---- cards that vary ----

void Transport::set_incast(Card card) {
  flows_.set_card(card, CardSide::in, share_of(bandwidth_now(card), incast_.rate(card), 1'000'000));
}

void Transport::vary_card(Card card) {
  const std::uint64_t bandwidth = bandwidth_now(card);
  for (const CardSide side : {CardSide::out, CardSide::in}) lanes_.set_card(card, side, bandwidth);
  flows_.set_card(card, CardSide::out, bandwidth);
  set_incast(card);
}

void Transport::vary_cards(Nanos now) {
  const std::vector<Card> varied = cards_.look(now);
  const auto has_varied = [&](HostId h) { return std::ranges::binary_search(varied, h, {}, &Card::host); };
  for (const Card card : varied) vary_card(card);
  for (const auto& [way, percent] : percent_)
    if (has_varied(way.from) || has_varied(way.to)) set_way(way);
  for (Channel& c : channels_)
    if (has_varied(c.from.host) || has_varied(c.to.host)) set_path(c);
}

void Transport::load_flows(std::uint32_t c, std::uint64_t bytes) {
  channels_[c].beside_flows += bytes;
  if (!channels_[c].has_load) start_load(c);
}

void Transport::start_load(std::uint32_t c) {
  Channel& channel = channels_[c];
  channel.has_load = channel.beside_flows >= cluster_.network.small_message;
  if (!channel.has_load) return;
  const std::uint64_t bytes = std::exchange(channel.beside_flows, 0);
  flows_.start(heap_.now(), channel.from, channel.to, bytes, transfers_.take({.channel = c, .is_load = true}));
}

void Transport::advance_flows(Nanos until) {
  constexpr auto kFinish = [](void* self, std::uint64_t t) {
    static_cast<Transport*>(self)->finish(static_cast<std::uint32_t>(t));
  };
  for (const auto& [at, transfer] : advance_varying(until))
    heap_.at(std::max(at, heap_.now()), {kFinish, this, transfer}, strand_of(transfers_[transfer].channel),
             transfers_[transfer].wait);
}

// Stops at each moment in which a card varies.
std::vector<FinishedFlow> Transport::advance_varying(Nanos until) {
  while (cards_.next() < until) {
    const Nanos at = std::max(cards_.next(), heap_.now());
    if (std::vector<FinishedFlow> finished = flows_.advance(at); !finished.empty()) return finished;
    vary_cards(at);
  }
  return flows_.advance(until);
}

void Transport::finish(std::uint32_t transfer) {
  const Transfer done = transfers_.give_back(transfer);
  if (done.is_load) return start_load(done.channel);
  lanes_.flow_ends(channels_[done.channel].route);
  --channels_[done.channel].in_flight;
  fill_channel(done.channel);
  done.delivered();
}

std::vector<Traffic> Transport::traffic() const {
  std::map<std::pair<Card, Card>, Traffic> by_cards;
  for (const Channel& c : channels_) {
    Traffic& t = by_cards[{c.from, c.to}];
    t = {c.from, c.to, t.bytes + c.bytes, t.messages + c.messages};
  }
  std::vector<Traffic> result;
  for (const auto& [cards, t] : by_cards) result.push_back(t);
  return result;
}

}  // namespace tarry
