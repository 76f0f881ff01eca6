// Messages between tasks: latency, transfer time, and the bytes counted.
//
// A message whose path has no bandwidth limit is one event: it takes the latency. A message below
// NetworkSpec::small_message is one event, too: latency + bytes / bandwidth, rounded up to whole nanoseconds, and what
// the small messages before it on its way still take of the cards, trunks and links (lanes.hpp). A trunk or a card of
// its receiver that is busy when it arrives is one more event. Any other message waits until the small ones before it
// are through, for the latency, then for its turn in the channel of its ordered pair of tasks (first come, first
// served, a bounded number at a time), and then becomes a flow that shares the links with all others (flows.hpp).
//
// Small messages and flows take from each other. Beside n flows a small one takes n + 1 times as long (lanes.hpp). Its
// bytes are counted by channel: whenever a channel has small_message bytes that no flow has carried, they are a flow of
// that channel, which shares the links with all others and which nobody waits for.
//
// Where connections have a window (TransportSpec), the large messages from one task to another have at most that many
// bytes in each round trip together. Where cards take in less while many send to them (incast.hpp), they do so for
// flows at once.
//
// All that two tasks send each other keeps to one card of each end (cards.hpp).
//
// Where the bandwidth of cards varies (card_factors.hpp), it changes for flows at once, and for small messages that
// come to the card from then on.
//
// What is wrong with a network lasts until it is taken back: messages are held on some ways, for one or more reasons;
// on a way that breaks connections, one that is held for too long is lost, and its sender hears of it; a way is
// narrower than usual; messages of two tasks overtake each other.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/card_factors.hpp"
#include "sim/cluster.hpp"
#include "sim/flows.hpp"
#include "sim/heap.hpp"
#include "sim/incast.hpp"
#include "sim/keyed.hpp"
#include "sim/lanes.hpp"
#include "sim/pool.hpp"

namespace tarry {

struct Traffic {  // of one ordered pair of hosts' cards, or of one host with itself
  Card from, to;
  std::uint64_t bytes = 0, messages = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct Way {  // from one host to another
  HostId from, to;
  friend auto operator<=>(const Way&, const Way&) = default;
};

using Ways = std::vector<Way>;
[[nodiscard]] inline Ways both_ways(HostId a, HostId b) { return {{a, b}, {b, a}}; }

// Why messages are held on a way. Each reason holds them by itself.
enum class Hold : std::uint8_t { part, one_way, jam, breaking, sender, receiver };
// How held messages go on: as if sent now, or they are there at once.
enum class LetGo : std::uint8_t { sent_now, at_once };

class Transport {
 public:
  // REQUIRES: the cluster and the heap outlive the transport. `streams`: what the variations of cards draw from.
  Transport(const ClusterSpec& cluster, EventHeap& heap, const Random& streams = Random(0))
      : cluster_(cluster),
        heap_(heap),
        flows_(cluster),
        lanes_(cluster),
        incast_(cluster),
        cards_(cluster, streams),
        choice_(cluster),
        channel_of_(cluster.tasks.size()) {}

  void send(TaskId from, TaskId to, std::uint64_t bytes, Continuation delivered, Manner manner = Manner::usual);
  // For messages that are sent from then on; nullopt = as the cluster says.
  void set_latency(HostId from, HostId to, std::optional<Nanos> latency);
  // Messages wait at their sender while something holds them on their way; then they go on, in order.
  void hold(const Ways& ways, Hold why);
  void release(const Ways& ways, Hold why, LetGo how = LetGo::sent_now);
  void part(HostId a, HostId b) { hold(both_ways(a, b), Hold::part); }
  void join(HostId a, HostId b) { release(both_ways(a, b), Hold::part); }
  void part_one_way(HostId from, HostId to) { hold({{from, to}}, Hold::one_way); }
  void join_one_way(HostId from, HostId to) { release({{from, to}}, Hold::one_way); }
  // Takes away the messages that are held on these ways, but those that wait for a connection: the caller tells
  // `on_broken` of them.
  [[nodiscard]] std::vector<Continuation> take_held(const Ways& ways);
  // A message sent from then on (but one that waits for a connection) that is held for that long is lost: `on_broken`
  // is told. nullopt = no message is lost from then on.
  void lose_held_after(const Ways& ways, std::optional<Nanos> time);
  std::function<void(Continuation)> on_broken;
  // The bandwidth of a way, in percent of the usual, for messages sent from then on and for flows at once; 100 = usual.
  // REQUIRES: may_narrow was called for it before any message was sent.
  void may_narrow(const Way& way);
  void narrow(const Way& way, std::int64_t percent);
  // From then on messages from one task to the other take up to `within` longer, each a time that is drawn for the n-th
  // message between them; nullopt = as usual. What is sent in order stays behind all that was sent before it.
  struct Jitter {
    Nanos within = 0;
    Keyed draws;
  };
  void set_jitter(TaskId from, TaskId to, const std::optional<Jitter>& jitter);
  // From now on the bandwidth of cards varies as the cluster says; before, it is the usual one.
  void begin_variations() { cards_.begin(heap_.now()); }
  [[nodiscard]] bool flows_alive() const { return flows_.alive(); }
  // REQUIRES: flows_alive(). Lets the flows run up to `until`, or until some finish earlier: those become events of the
  // heap.
  void advance_flows(Nanos until);
  // The pairs of cards that exchanged messages, ascending.
  [[nodiscard]] std::vector<Traffic> traffic() const;

 private:
  struct Channel {
    PathSpec path;  // with the limit of its connection
    Card from, to;
    TaskId sender, receiver;
    Lanes::Route route;
    std::uint64_t window_rate = 0;   // the limit of its connection; 0 = none
    bool counts = false;             // it is one of those that send to the card `to`
    std::uint64_t beside_flows = 0;  // bytes of small messages that no flow has carried yet
    bool has_load = false;           // a flow of such bytes is under way
    int in_flight = 0;
    std::deque<std::uint32_t> waiting;  // transfers
    std::uint64_t bytes = 0, messages = 0;
    std::vector<std::uint32_t> held = {};  // transfers that wait until nothing holds them
    std::uint64_t departed = 0;            // messages
    Nanos latest = 0;                      // when the last message that it let go will have arrived
    std::optional<Jitter> jitter = {};
  };
  struct Transfer {
    std::uint32_t channel = 0;
    std::uint64_t bytes = 0;
    Continuation delivered;
    Manner manner = Manner::usual;
    std::uint64_t number = 0;  // of those that were held; 0 = it was not
    Wait wait = {};            // of its flow (workers/causes.hpp)
    bool is_load = false;      // it is what small messages of its channel carried
  };

  std::uint32_t channel_of(TaskId from, TaskId to);
  std::uint32_t add_channel(TaskId from, TaskId to);
  void depart(std::uint32_t channel, std::uint64_t bytes, Continuation delivered, Manner manner);
  void depart_small(std::uint32_t channel, std::uint64_t bytes, Continuation delivered, const Wait& wait);
  void arrive(std::uint32_t transfer);
  void arrive_at_card(std::uint32_t transfer);
  void load_flows(std::uint32_t channel, std::uint64_t bytes);
  void start_load(std::uint32_t channel);
  [[nodiscard]] Nanos arrival_of(Channel& channel, Manner manner);
  [[nodiscard]] bool is_held(const Channel& c) const { return held_.contains(way_of(c)); }
  void keep(std::uint32_t channel, const Transfer& transfer);
  void lose(std::uint32_t channel, std::uint64_t number);
  void refresh(const Way& way);
  [[nodiscard]] static Way way_of(const Channel& c) { return {c.from.host, c.to.host}; }
  [[nodiscard]] std::uint64_t bandwidth_now(Card card) const;
  [[nodiscard]] PathSpec path_now(Card from, Card to) const;
  [[nodiscard]] std::uint64_t narrowed(const Way& way, std::int64_t percent) const;
  void reach_card(std::uint32_t transfer);
  void enter_channel(std::uint32_t transfer);
  void fill_channel(std::uint32_t channel);
  void start_flow(std::uint32_t channel, std::uint32_t transfer);
  void count_sender(Channel& channel);
  void look_at_cards() {
    if (cards_.next() <= heap_.now()) vary_cards(heap_.now());
  }
  void vary_cards(Nanos now);
  void vary_card(Card card);
  void set_incast(Card card);
  void set_way(const Way& way);
  std::vector<FinishedFlow> advance_varying(Nanos until);
  void set_path(Channel& channel) const;
  void finish(std::uint32_t transfer);

  const ClusterSpec& cluster_;
  EventHeap& heap_;
  Flows flows_;
  Lanes lanes_;
  Incast incast_;
  CardFactors cards_;
  CardChoice choice_;
  std::vector<Channel> channels_;
  std::vector<std::vector<std::uint32_t>>
      channel_of_;  // by sender and receiver; a sender that has sent nothing has no row
  Pool<Transfer> transfers_;
  std::map<std::pair<HostId, HostId>, Nanos> latencies_;  // latencies that differ from the cluster's
  std::map<Way, unsigned> held_;                          // reasons, a bit each; a way that nothing holds is not in it
  std::map<Way, Nanos> lost_after_;                       // ways that break connections
  std::map<Way, std::int64_t> percent_;                   // of bandwidth, of the ways that may be narrowed
  std::map<std::pair<TaskId, TaskId>, Jitter> jitters_;
  std::uint64_t kept_ = 0;  // messages that were ever held
};

}  // namespace tarry
