// How long a kernel takes: the time that the scenario gives, else the measured time, else the roofline of its device,
// else the default.
//
// The scenario's rules have an order, and the first that fits wins. A measured time is the mean of a node's executions
// in TensorFlow's step statistics (measured.hpp). A roofline is the longer of operations / peak and bytes / bandwidth,
// plus the launch, where the op's kernels reach the device's efficiency of both peaks; an op without work
// (workers/roofline) takes no time there.
//
// A rule selects sites (a node on a task's device) and optionally some of their executions (the n-th time the site
// runs, counted from 0). Its amount is a constant, a random distribution, or a list that the executions cycle through;
// its factors multiply it. A draw is keyed by task, node and execution (keyed.hpp): what one execution draws depends
// neither on other sites nor on the laws of other executions. A site without any cost takes `otherwise`, and is counted
// by op, so that reports can show what was not known.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "placer/core/random.hpp"
#include "sim/cluster.hpp"
#include "sim/interference.hpp"
#include "sim/keyed.hpp"
#include "sim/laws.hpp"
#include "sim/measured.hpp"
#include "sim/variation.hpp"
#include "workers/env.hpp"

namespace tarry {

struct CostRule {           // an empty selector fits everything
  std::string node, op;     // "*" in them stands for any text
  std::string device_type;  // "CPU", "GPU"
  std::string job, task;    // "worker", "/job:worker/replica:0/task:1"
  std::int64_t first_execution = 0, last_execution = std::numeric_limits<std::int64_t>::max();
  Amount amount;
  std::vector<std::int64_t> factors = {};  // millionths of it, that the executions cycle through; none = all of it
  friend bool operator==(const CostRule&, const CostRule&) = default;
};

// By node, in millionths: its kernels take so many times as long as all else says.
using NodePaces = std::map<std::string, std::int64_t, std::less<>>;

inline constexpr std::int64_t kUsualPace = 1'000'000;

struct CostRules {
  std::vector<CostRule> rules;
  Amount otherwise = Constant{0};
  Measured measured = {};
  std::vector<Interference> interference = {};
  std::vector<Variation> variations = {};
  std::map<std::string, NodePaces, std::less<>> node_paces = {};  // by task, for what a scenario does not say
  friend bool operator==(const CostRules&, const CostRules&) = default;
};

[[nodiscard]] bool matches_glob(std::string_view text, std::string_view pattern);
// Whether its selectors fit the kernels of a site of the task, at some execution.
[[nodiscard]] bool applies_to(const CostRule& rule, const KernelSite& site, std::string_view task);

// What kernels of this op reach of the device's rates: its own rates, without efficiencies. At least 1 of what has a
// limit.
[[nodiscard]] DeviceRates rates_of(const DeviceRates& device, std::string_view op);

// The longer of the times for operations and for bytes, each rounded up, plus the launch.
[[nodiscard]] Nanos roofline(const DeviceRates& rates, const Work& work);

class CostTable {
 public:
  CostTable(CostRules rules, Random streams) : rules_(std::move(rules)), streams_(streams) {}

  // Without an id the site takes no time at any execution. The same site always gets the same answer. A site that a
  // rule fits has the source `scenario`, even if the rule covers some executions only and the others take their time
  // from elsewhere.
  KernelCost site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates = {});
  // The time of the site's next execution, which does the work `work`.
  Nanos next(CostId id, const Work& work = {});
  // What of the time of the site's next execution is its device's launch; 0 where that time is no roofline.
  [[nodiscard]] Nanos launch_of_next(CostId id) const;
  // Of the site, so far.
  [[nodiscard]] std::uint64_t executions(CostId id) const { return sites_[id.index()].executions; }
  [[nodiscard]] const std::vector<Interference>& interference() const { return rules_.interference; }
  [[nodiscard]] std::int64_t pace_of(const KernelSite& site, std::string_view task_name) const;  // else kUsualPace
  [[nodiscard]] const std::vector<Variation>& variations() const { return rules_.variations; }
  // Ops with sites without a cost -> how many such sites.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& unpriced() const { return unpriced_; }

 private:
  struct Site {
    std::vector<const CostRule*> rules;  // those that fit, up to the first that covers every execution
    Keyed draws;
    CostSource base = CostSource::otherwise;  // used for executions that no rule covers
    Nanos measured = 0;
    DeviceRates rates;
    std::uint64_t executions = 0;
  };

  KernelCost add_site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates);
  [[nodiscard]] std::vector<const CostRule*> rules_for(const KernelSite& site, std::string_view task_name) const;
  [[nodiscard]] CostSource source_of(const KernelSite& site, const Site& made) const;
  [[nodiscard]] bool costs(const KernelSite& site, const Site& made) const;
  [[nodiscard]] const CostRule* rule_now(const Site& site) const;
  [[nodiscard]] Nanos without_rule(const Site& site, const Work& work) const;

  CostRules rules_;
  Random streams_;
  std::vector<Site> sites_;
  absl::flat_hash_map<std::string, KernelCost> known_;  // by node and device; looked up, never iterated
  std::string key_;                                     // memory for the key that is looked up
  std::map<std::string, std::uint64_t> unpriced_;
};

}  // namespace tarry
