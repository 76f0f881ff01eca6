// How long a kernel takes: what the scenario says, else what was measured, else the roofline of its device, else the
// default.
//
// The scenario's rules stand in order, the first that fits wins. A measured time is the mean of a node's executions in
// TensorFlow's step statistics (measured.hpp). A roofline is the longer of operations / peak and bytes / bandwidth,
// plus the launch; what does nothing (workers/roofline) takes no time there.
//
// A rule selects sites (a node on a task's device) and, if it wants, some of their executions (the n-th time the site
// runs, counted from 0). Its amount is a constant, a law, or a list that the executions walk through in a circle. Every
// site draws from a stream of its own, named after task and node, so a draw does not depend on who else drew before. A
// site that nothing prices costs `otherwise`, and is counted by op: a simulation never hides what it did not know.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "placer/core/random.hpp"
#include "sim/cluster.hpp"
#include "sim/measured.hpp"
#include "workers/env.hpp"

namespace tarry {

// Laws of a time in nanoseconds; mean and sd are those of the time itself (also lognormal's); a draw below 0 counts as
// 0.
struct Constant {
  Nanos time = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
struct Normal {
  Nanos mean = 0, sd = 0;
  friend bool operator==(const Normal&, const Normal&) = default;
};
struct Lognormal {
  Nanos mean = 0, sd = 0;
  friend bool operator==(const Lognormal&, const Lognormal&) = default;
};
struct Exponential {
  Nanos mean = 0;
  friend bool operator==(const Exponential&, const Exponential&) = default;
};
struct Uniform {  // both ends included
  Nanos low = 0, high = 0;
  friend bool operator==(const Uniform&, const Uniform&) = default;
};
struct Listed {  // not empty
  std::vector<Nanos> times;
  friend bool operator==(const Listed&, const Listed&) = default;
};
using Amount = std::variant<Constant, Normal, Lognormal, Exponential, Uniform, Listed>;

struct CostRule {           // an empty selector fits everything
  std::string node, op;     // "*" in them stands for any text
  std::string device_type;  // "CPU", "GPU"
  std::string job, task;    // "worker", "/job:worker/replica:0/task:1"
  std::int64_t first_execution = 0, last_execution = std::numeric_limits<std::int64_t>::max();
  Amount amount;
  friend bool operator==(const CostRule&, const CostRule&) = default;
};

struct CostRules {
  std::vector<CostRule> rules;
  Amount otherwise = Constant{0};
  Measured measured = {};
  friend bool operator==(const CostRules&, const CostRules&) = default;
};

// REQUIRES: low <= high, times not empty, nothing negative. `execution` walks a list.
[[nodiscard]] Nanos draw(const Amount& amount, std::uint64_t execution, Random& random);
[[nodiscard]] bool matches_glob(std::string_view text, std::string_view pattern);

// The longer of the two, plus the launch; each rounded up.
[[nodiscard]] Nanos roofline(const DeviceRates& rates, const Work& work);

class CostTable {
 public:
  CostTable(CostRules rules, Random streams) : rules_(std::move(rules)), streams_(streams) {}

  // No id = free at every execution. The same site gets the same answer for ever. A site that a rule fits counts as the
  // scenario's, even where the rule speaks of some executions only and the others fall through.
  KernelCost site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates = {});
  // The time of the site's next execution, which does this work.
  Nanos next(CostId id, const Work& work = {});
  // Ops whose sites nothing prices -> how many such sites.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& unpriced() const { return unpriced_; }

 private:
  struct Site {
    std::vector<const CostRule*> rules;  // those that fit, up to the first that covers every execution
    Random random;
    CostSource base = CostSource::otherwise;  // where no rule speaks
    Nanos measured = 0;
    DeviceRates rates;
    std::int64_t executions = 0;
  };

  KernelCost add_site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates);
  [[nodiscard]] std::vector<const CostRule*> rules_for(const KernelSite& site, std::string_view task_name) const;
  [[nodiscard]] CostSource source_of(const KernelSite& site, const Site& made) const;
  [[nodiscard]] bool costs(const KernelSite& site, const Site& made) const;
  [[nodiscard]] const Amount* rule_now(const Site& site) const;
  [[nodiscard]] Nanos without_rule(Site& site, const Work& work) const;

  CostRules rules_;
  Random streams_;
  std::vector<Site> sites_;
  absl::flat_hash_map<std::string, KernelCost> known_;  // by node and device; looked up, never iterated
  std::string key_;                                     // room for the one that is asked for
  std::map<std::string, std::uint64_t> unpriced_;
};

}  // namespace tarry
