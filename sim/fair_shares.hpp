// Max-min fair rates of channels that cross links, found anew only where something changed.
//
// Each channel has a number of equal flows. A link that is full has a *level*: the rate of the flows that it limits. A
// flow has the least level of the links that it crosses, and nobody could have more without somebody of a lesser or
// equal rate having less. Links fill in the order of their levels, so a change on one link reaches only links of higher
// levels, and of those only the ones that limit a channel of a changed link or are crossed by it. These are opened, and
// filled again from the lowest level upwards. A link that limits nobody is not opened while its load stays below its
// capacity.
//
// Rates have the unit of the capacities (bytes a second). Everything is computed with + - * / on doubles in an order
// that the calls alone decide, so every machine gives the same.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace tarry {

class FairShares {
 public:
  static constexpr std::uint32_t kNoLink = 0;  // links are numbered from 1
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  // REQUIRES: capacity > 0.
  std::uint32_t add_link(double capacity);
  // Channels are numbered from 0 and have no flow at first. REQUIRES: one link or more, each once.
  std::uint32_t add_channel(std::span<const std::uint32_t> links);
  // Both take effect with the next `solve`.
  void set_flows(std::uint32_t channel, std::size_t flows);
  void set_capacity(std::uint32_t link, double capacity);

  struct Move {
    std::uint32_t channel = 0, to = kNoLink;  // the link that limits it from now on
  };
  struct Changes {
    std::vector<std::uint32_t> links;  // whose level may have changed; a link may be here twice
    std::vector<Move> moves;           // in order; both ends of each move are in `links`
  };
  // What changed since the last call. A channel that has lost its last flow makes no move. Valid until the next call.
  const Changes& solve();

  // Of the flows that this link limits; kUnlimited while it limits none.
  [[nodiscard]] double level(std::uint32_t link) const { return level_[link]; }
  // REQUIRES: it has flows, as of the last `solve`.
  [[nodiscard]] std::uint32_t limiting_link(std::uint32_t channel) const { return channels_[channel].limit; }
  [[nodiscard]] double rate(std::uint32_t channel) const { return level_[channels_[channel].limit]; }

 private:
  enum class State : std::uint8_t { closed, open, filled };
  struct Member {  // of a link, what its level depends on: a copy of the channel's
    std::uint32_t channel = 0, limit = kNoLink;
    double flows = 0;
  };
  struct Link {
    double capacity = 0;
    double before = kUnlimited;   // its level when it was opened
    double next = 0;              // while it is open: its level is at the least that
    double load = 0;              // of all channels; kept while it does not bind
    std::uint32_t limited = 0;    // channels that it limits
    std::vector<Member> members;  // channels with flows
    State state = State::closed;
    bool binds = false;     // false: it has room for all, and is only watched
    bool is_stale = false;  // `next` must be computed again
    bool is_suspect = false;
  };
  struct Channel {
    absl::InlinedVector<std::uint32_t, 6> links;
    absl::InlinedVector<std::uint32_t, 6> places;  // in Link::members
    std::uint32_t limit = kNoLink;
    double flows = 0, wanted = 0;
  };

  [[nodiscard]] std::span<const std::uint32_t> links_of(const Channel& c) const { return c.links; }
  [[nodiscard]] double rate_before(const Channel& c) const;
  [[nodiscard]] double load_of(const Link& link) const;
  [[nodiscard]] double level_for(const Link& link) const;
  void attach(std::uint32_t channel);
  void detach(std::uint32_t channel);
  void tell_links(const Channel& c);
  void take_change(std::uint32_t channel);
  void bind(std::uint32_t link);
  void fill_all();
  void open(std::uint32_t link);
  void open_one(std::uint32_t link);
  void recompute_from_here(std::uint32_t link);
  void visit(std::uint32_t link);
  void fill(std::uint32_t link);
  void limit(std::uint32_t channel, std::uint32_t link);
  void add_load(std::uint32_t link, double more);
  void close_opened();
  void bind_overfull();
  void unbind_idle();

  std::vector<Link> links_{Link{}};
  std::vector<double> level_{kUnlimited};  // of an open link kUnlimited
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> changed_channels_;
  std::vector<std::uint32_t> seeds_;     // binding links that something changed about
  std::vector<std::uint32_t> to_open_;   // empty between calls of `open`
  std::vector<std::uint32_t> suspects_;  // links that do not bind and may be too full
  std::size_t opened_from_ = 0;          // in Changes::links: those of this filling
  double floor_ = 0;                     // all lower levels are final
  using Next = std::pair<double, std::uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;
  Changes changes_;
};

}  // namespace tarry
