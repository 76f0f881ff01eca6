// Times that TensorFlow measured: the mean time of each node, from step statistics (docs/rules/runtime.md#H.4).
//
// A node's time is op_end_rel - op_start_rel. On a GPU that is the launch only; where the statistics have the device's
// own pseudo-device (".../stream:all", docs/rules/runtime.md#H.2), the kernels of a node there, added up, replace it. A
// node is found by name and device; without a measurement on exactly that device, by name and type of device, so that
// one worker's measurement serves the others, which run the same graph.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "placer/graph/step_stats.hpp"
#include "workers/events.hpp"

namespace tarry {

class Measured {
 public:
  Measured() = default;
  explicit Measured(std::span<const NodeExecTime> times);

  [[nodiscard]] std::optional<Nanos> find(std::string_view node, std::string_view device) const;
  [[nodiscard]] std::size_t size() const { return by_device_.size(); }
  friend bool operator==(const Measured&, const Measured&) = default;

 private:
  struct Mean {
    Nanos sum = 0;
    std::int64_t count = 0;
    friend bool operator==(const Mean&, const Mean&) = default;
  };
  using Means = std::map<std::string, Mean, std::less<>>;  // by "node device" or "node CPU"

  static std::optional<Nanos> look_up(const Means& means, const std::string& key);
  void add(const NodeExecTime& t);
  void replace_launches(std::span<const NodeExecTime> times);

  Means by_device_, by_type_;
};

}  // namespace tarry
