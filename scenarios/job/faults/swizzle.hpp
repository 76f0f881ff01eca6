// The networks of several hosts are held one by one, and released one by one in another order, which is drawn from the
// job's seed. It finds what depends on the order in which parts of a cluster come back.
//
// Nobody is told (recorded for partitions: docs/rules/runtime.md#E.3.8; the rest is derived). Messages within a host
// pass.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Swizzle {
  static constexpr std::string_view kKey = "swizzle", kExample = "{hosts: [server, host0], step: 1s, lasts: 5s}",
                                    kMeaning =
                                        "the networks of hosts are held one by one, and released in another order";
  HostList held;
  Nanos step = 0;
  Nanos lasts = 0;

  static constexpr auto fields() {
    return std::tuple(field("hosts", &Swizzle::held, "in the order in which they are held"),
                      field("step", &Swizzle::step, "between one host and the next"),
                      field("lasts", &Swizzle::lasts, "from the last hold to the first release"));
  }
  void happen(FaultContext& c) const {
    const std::vector<std::size_t> ranks = release_order(c.world.stream("swizzle" + names(c)));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const Nanos begin = steps(i), end = steps(ranks.size() - 1) + lasts + steps(ranks[i]);
      ++c.to_undo;
      c.world.after(begin, [&c, host = held.hosts[i], time = end - begin] {
        --c.to_undo;
        if (!c.is_frozen) hold(c, host, time);
      });
    }
  }
  // The place of each host among those that are released: never the order in which they are held, if there are two.
  [[nodiscard]] std::vector<std::size_t> release_order(Random random) const {
    std::vector<std::size_t> ranks(held.hosts.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = i;
    const std::vector<std::size_t> same = ranks;
    for (std::size_t left = ranks.size(); left > 1; --left) std::swap(ranks[left - 1], ranks[random.below(left)]);
    if (ranks == same) std::rotate(ranks.begin(), ranks.end() - 1, ranks.end());
    return ranks;
  }
  [[nodiscard]] std::string names(const FaultContext& c) const {
    std::string all;
    for (const HostId host : held.hosts) all += "/" + c.name(host);
    return all;
  }
  [[nodiscard]] Nanos steps(std::size_t n) const {
    constexpr Nanos kLatest = std::numeric_limits<Nanos>::max() / 8;
    return static_cast<Nanos>(std::min<__int128>(static_cast<__int128>(step) * static_cast<__int128>(n), kLatest));
  }
  static void hold(FaultContext& c, HostId host, Nanos time) {
    c.note(fmt::format("the network of {} is held", c.name(host)), kKey, c.name(host), "", true);
    c.world.network().hold(ways(c, host, false), Hold::sender);
    c.world.network().hold(ways(c, host, true), Hold::receiver);
    c.undo_after(time, kKey, c.name(host), "", [&c, host] {
      c.note(fmt::format("the network of {} is released", c.name(host)), kKey, c.name(host), "", false);
      c.world.network().release(ways(c, host, false), Hold::sender);
      c.world.network().release(ways(c, host, true), Hold::receiver);
    });
  }
  // To all other hosts, or from them.
  static Ways ways(const FaultContext& c, HostId host, bool to_it) {
    Ways all;
    for (std::size_t h = 0; h < c.world.cluster().hosts.size(); ++h)
      if (const HostId other{h}; other != host) all.push_back(to_it ? Way{other, host} : Way{host, other});
    return all;
  }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

}  // namespace tarry
