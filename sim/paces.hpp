// How long kernels take in percent of their usual time: by task, by host, by device, and for one of so many executions.
//
// Percentages multiply. They are for kernels that begin from then on; 100 = as the costs say. No kernel takes longer
// than a hundred years.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/core/random.hpp"
#include "sim/cluster.hpp"
#include "sim/keyed.hpp"
#include "workers/env.hpp"

namespace tarry {

// One of `one_in` executions takes `percent` of its time. Which ones is keyed by node and execution (keyed.hpp), so
// that it doesn't matter what else runs, nor since when executions have a tail.
struct Tail {
  std::int64_t one_in = 1, percent = 100;
};

// No longer than a hundred years.
[[nodiscard]] Nanos at_percent(Nanos duration, std::int64_t percent);

class Paces {
 public:
  struct Site {
    TaskId task;
    DeviceId device;
    std::string_view node, op;
    std::uint64_t execution = 0;  // of the node
  };

  // REQUIRES: `cluster` outlives it.
  Paces(const ClusterSpec& cluster, Random streams) : cluster_(cluster), streams_(streams) {}

  void set_task(TaskId task, std::int64_t percent) { set(tasks_, task, percent); }
  void set_host(HostId host, std::int64_t percent) { set(hosts_, host, percent); }
  void set_device(DeviceId device, std::int64_t percent) { set(devices_, device, percent); }
  // Of the ops of a task that fit `op` ("*" in it stands for any text); nullopt = as the costs say.
  void set_tail(TaskId task, const std::string& op, std::optional<Tail> tail);

  // Nothing differs from the usual: `of` would give every duration as it is.
  [[nodiscard]] bool are_usual() const {
    return tasks_.empty() && hosts_.empty() && devices_.empty() && tails_.empty();
  }
  [[nodiscard]] Nanos of(Nanos duration, CostId cost, const Site& site);

 private:
  struct Tailed {
    Tail tail;
    std::map<CostId, std::optional<Keyed>> sites;  // nullopt = the op doesn't fit
  };
  template <class Id>
  static void set(std::map<Id, std::int64_t>& paces, Id id, std::int64_t percent) {
    if (percent == 100)
      paces.erase(id);
    else
      paces[id] = percent;
  }
  [[nodiscard]] Nanos in_tails(Nanos duration, CostId cost, const Site& site);
  [[nodiscard]] std::optional<Keyed> draws_of(const std::string& op, const Site& site) const;

  const ClusterSpec& cluster_;
  Random streams_;
  std::map<TaskId, std::int64_t> tasks_;  // those that differ from 100
  std::map<HostId, std::int64_t> hosts_;
  std::map<DeviceId, std::int64_t> devices_;
  std::map<std::pair<TaskId, std::string>, Tailed> tails_;  // by task and op
};

}  // namespace tarry
