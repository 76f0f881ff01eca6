#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "placer/core/check.hpp"
#include "sim/simgrid/module.hpp"
#include "sim/simgrid/topology.hpp"

namespace tarry::simgrid_module {
namespace {

namespace sg = simgrid::s4u;

// Fluid model, nothing but bandwidth: no slow start, no factors, no cross-traffic. SimGrid's clock is exact to a
// picosecond; by default 3.32 would merge all that happens within 10 us.
constexpr std::array<const char*, 10> kOptions = {"tarry",
                                                  "--log=root.thres:critical",
                                                  "--cfg=network/model:CM02",
                                                  "--cfg=network/optim:Full",
                                                  "--cfg=network/bandwidth-factor:1",
                                                  "--cfg=network/latency-factor:1",
                                                  "--cfg=network/crosstraffic:0",
                                                  "--cfg=network/TCP-gamma:0",
                                                  "--cfg=network/weight-S:0",
                                                  "--cfg=surf/precision:1e-12"};
constexpr double kNanosPerSecond = 1e9;
constexpr double kMoreThanEnough = 1e15;  // bytes a second
constexpr double kTimeSlack = 1e-11;      // seconds; far under a nanosecond

// SimGrid's exceptions end here: they say that we used it wrongly.
template <class F>
auto guarded(F&& use) {
  try {
    return use();
  } catch (const Bug&) {
    throw;
  } catch (const std::exception& e) {
    fail_check(fmt::format("SimGrid: {}", e.what()), __FILE__, __LINE__);
  }
}

class Engine final : public FlowEngine {
 public:
  explicit Engine(const ClusterSpec& cluster);
  void start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) override;
  void start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) override;
  void narrow(HostId from, HostId to, std::uint64_t bandwidth) override;
  void set_card(Card card, CardSide side, std::uint64_t bandwidth) override;
  [[nodiscard]] bool alive() const override { return !live_.empty(); }
  [[nodiscard]] std::vector<FinishedFlow> advance(Nanos until) override;

 private:
  struct Live {
    std::uint64_t flow = 0;
    sg::CommPtr comm;
  };

  struct Ends {
    Card from, to;
    sg::Host *sender, *receiver;  // in SimGrid
  };
  struct Limited {  // a connection
    sg::Link* link = nullptr;
    std::uint64_t rate = 0;
  };
  using Changed = std::pair<sg::Link*, double>;  // and the bandwidth that it has now

  void begin(Nanos now, const Ends& ends, std::uint64_t bytes, std::uint64_t flow);
  void limit(const Connection& on);
  void start_unbound(sg::Comm& comm, Card from, Card to);
  [[nodiscard]] std::vector<Changed> changed_on(Card from, Card to);
  void run_to(Nanos until);
  std::vector<FinishedFlow> take_finished();
  [[nodiscard]] double clock_at(Nanos t) const {
    return epoch_clock_ + static_cast<double>(t - epoch_) / kNanosPerSecond;
  }
  [[nodiscard]] Nanos time_now() const {
    return epoch_ + std::llround((sg::Engine::get_clock() - epoch_clock_) * kNanosPerSecond);
  }

  std::array<char*, kOptions.size() + 1> arguments_{};
  int argument_count_ = 0;
  sg::Engine* simgrid_ = nullptr;
  CardList card_list_;
  std::vector<sg::Host*> hosts_;                          // a card each
  std::size_t first_task_ = 0;                            // in hosts_: a task's end of its connections
  std::vector<Limited> connections_;                      // by number
  std::map<std::uint64_t, Live> live_;                    // by order of start
  std::map<std::pair<HostId, HostId>, double> narrowed_;  // ways whose bandwidth changes, and what it is now
  std::map<std::pair<Card, CardSide>, double> cards_;     // likewise of cards
  std::uint64_t started_ = 0;
  std::vector<std::uint64_t> finished_;   // orders of start, as SimGrid reports them
  std::set<sg::Activity*> interruption_;  // while not empty, SimGrid returns from run_until; never read
  Nanos epoch_ = 0;                       // our time ...
  double epoch_clock_ = 0;                // ... when SimGrid's clock showed this; set anew whenever no flow is alive
};

Engine::Engine(const ClusterSpec& cluster) : card_list_(cluster.hosts) {
  check(!sg::Engine::is_initialized(),
        "SimGrid allows one engine a process: run every simulation in a child (runner.hpp)");
  for (const char* option : kOptions) arguments_[argument_count_++] = const_cast<char*>(option);
  simgrid_ = new sg::Engine(&argument_count_, arguments_.data());
  hosts_ = build_topology(*simgrid_, cluster);
  first_task_ = card_list_.all().size();
  simgrid_->track_vetoed_activities(&interruption_);
  sg::Comm::on_completion_cb([this](const auto& comm) {
    finished_.push_back(std::stoull(comm.get_name()));
    interruption_.insert(nullptr);
  });
}

void Engine::begin(Nanos now, const Ends& ends, std::uint64_t bytes, std::uint64_t flow) {
  if (live_.empty()) {
    epoch_ = now;
    epoch_clock_ = sg::Engine::get_clock();
  }
  sg::CommPtr comm = sg::Comm::sendto_init(ends.sender, ends.receiver);
  comm->set_name(std::to_string(started_));
  comm->set_payload_size(bytes);
  start_unbound(*comm, ends.from, ends.to);
  live_.emplace(started_++, Live{flow, std::move(comm)});
}

// SimGrid may stop short of the date it was given; then it is asked again.
void Engine::run_to(Nanos until) {
  const double goal = clock_at(until);
  while (finished_.empty() && sg::Engine::get_clock() < goal - kTimeSlack) {
    const double before = sg::Engine::get_clock();
    simgrid_->run_until(goal);
    check(!finished_.empty() || sg::Engine::get_clock() > before, "SimGrid's clock stands still");
  }
}

std::vector<FinishedFlow> Engine::take_finished() {
  std::ranges::sort(finished_);
  std::vector<FinishedFlow> result;
  for (const std::uint64_t order : finished_) {
    const auto found = live_.find(order);
    check(found != live_.end(), "a flow finished twice");
    result.push_back({time_now(), found->second.flow});
    live_.erase(found);
  }
  finished_.clear();
  interruption_.clear();
  return result;
}

void Engine::start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) {
  guarded([&] { begin(now, {from, to, hosts_[card_list_.index(from)], hosts_[card_list_.index(to)]}, bytes, flow); });
}

void Engine::start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) {
  guarded([&] {
    limit(on);
    begin(now, {from, to, hosts_[first_task_ + on.from.index()], hosts_[first_task_ + on.to.index()]}, bytes, flow);
  });
}

void Engine::limit(const Connection& on) {
  if (on.number >= connections_.size()) connections_.resize(on.number + 1);
  Limited& c = connections_[on.number];
  if (c.link == nullptr) c.link = &link_between(*simgrid_, on.from, on.to);
  if (std::exchange(c.rate, on.rate) != on.rate) c.link->set_bandwidth(static_cast<double>(on.rate));
}

void Engine::narrow(HostId from, HostId to, std::uint64_t bandwidth) {
  narrowed_[{from, to}] = static_cast<double>(bandwidth);
  guarded([&] { link_between(*simgrid_, from, to).set_bandwidth(static_cast<double>(bandwidth)); });
}

void Engine::set_card(Card card, CardSide side, std::uint64_t bandwidth) {
  cards_[{card, side}] = static_cast<double>(bandwidth);
  guarded([&] { link_of(*simgrid_, card, side).set_bandwidth(static_cast<double>(bandwidth)); });
}

std::vector<Engine::Changed> Engine::changed_on(Card from, Card to) {
  std::vector<Changed> changed;
  if (const auto way = narrowed_.find({from.host, to.host}); way != narrowed_.end())
    changed.emplace_back(&link_between(*simgrid_, from.host, to.host), way->second);
  if (from.host == to.host) return changed;
  for (const auto& [card, side] : {std::pair(from, CardSide::out), std::pair(to, CardSide::in)})
    if (const auto set = cards_.find({card, side}); set != cards_.end())
      changed.emplace_back(&link_of(*simgrid_, card, side), set->second);
  return changed;
}

// SimGrid never lets a flow have more than its links had when it began, so links whose bandwidth changes have more than
// enough at that moment.
void Engine::start_unbound(sg::Comm& comm, Card from, Card to) {
  const std::vector<Changed> changed = changed_on(from, to);
  for (const auto& [link, bandwidth] : changed) link->set_bandwidth(kMoreThanEnough);
  comm.start();
  for (const auto& [link, bandwidth] : changed) link->set_bandwidth(bandwidth);
}

std::vector<FinishedFlow> Engine::advance(Nanos until) {
  return guarded([&] {
    run_to(until);
    return take_finished();
  });
}

}  // namespace

FlowEngine* start_engine(const ClusterSpec& cluster) {
  return guarded([&] { return new Engine(cluster); });
}

}  // namespace tarry::simgrid_module
