// How long a kernel takes: rules in order, the first that fits wins.
//
// A rule selects sites (a node on a task's device) and, if it wants, some of their executions (the n-th time the site runs, counted
// from 0). Its amount is a constant, a law, or a list that the executions walk through in a circle. Every site draws from a stream of its own,
// named after task and node, so a draw does not depend on who else drew before. A site that no rule fits costs `otherwise`, and is
// counted by op: a simulation never hides what it did not know.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "placer/core/random.hpp"
#include "workers/env.hpp"

namespace tarry {

// Laws of a time in nanoseconds; mean and sd are those of the time itself (also lognormal's); a draw below 0 counts as 0.
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

struct CostRule {  // an empty selector fits everything
  std::string node, op;      // "*" in them stands for any text
  std::string device_type;   // "CPU", "GPU"
  std::string job, task;     // "worker", "/job:worker/replica:0/task:1"
  std::int64_t first_execution = 0, last_execution = std::numeric_limits<std::int64_t>::max();
  Amount amount;
  friend bool operator==(const CostRule&, const CostRule&) = default;
};

struct CostRules {
  std::vector<CostRule> rules;
  Amount otherwise = Constant{0};
  friend bool operator==(const CostRules&, const CostRules&) = default;
};

// REQUIRES: low <= high, times not empty, nothing negative. `execution` walks a list.
[[nodiscard]] Nanos draw(const Amount& amount, std::uint64_t execution, Random& random);
[[nodiscard]] bool matches_glob(std::string_view text, std::string_view pattern);

class CostTable {
 public:
  CostTable(CostRules rules, Random streams) : rules_(std::move(rules)), streams_(streams) {}

  // none = free at every execution. The same site gets the same id for ever.
  CostId site(const KernelSite& site, std::string_view task_name);
  // The time of the site's next execution.
  Nanos next(CostId id);
  // Ops whose sites no rule fits -> how many such sites.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& unpriced() const { return unpriced_; }

 private:
  struct Site {
    std::vector<const CostRule*> rules;  // those that fit, up to the first that covers every execution
    Random random;
    std::int64_t executions = 0;
  };

  CostId add_site(const KernelSite& site, std::string_view task_name);
  [[nodiscard]] std::vector<const CostRule*> rules_for(const KernelSite& site, std::string_view task_name) const;
  [[nodiscard]] const Amount& amount_now(const Site& site) const;

  CostRules rules_;
  Random streams_;
  std::vector<Site> sites_;
  std::map<std::string, CostId, std::less<>> ids_;  // by device and node
  std::map<std::string, std::uint64_t> unpriced_;
};

}  // namespace tarry
