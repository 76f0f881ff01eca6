// The description of a kind of fault, which its parser, printer and schema share.
//
// A kind is a plain struct in a file of its own: kKey names it in a scenario, kMeaning is one line about it, kExample
// is an example of its key's value; fields() describes its members, and happen() does it and says so in the log.
// Readers, printers, the schema and the lists of kinds are made from its fields. A kind with a single field takes the
// value itself (kill: worker/2), others take a map. A kind may have problem(cluster): what is wrong with its values in
// this cluster, or "". The list of kinds is in fault.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "placer/core/ids.hpp"
#include "scenarios/job/faults/context.hpp"

namespace tarry {

// ---- what a field may be: a TaskId, Nanos, one of these, or an optional one ----

struct TaskPair {  // two different ones
  TaskId a, b;
  friend bool operator==(const TaskPair&, const TaskPair&) = default;
};
struct HostPair {  // two different ones
  HostId a, b;
  friend bool operator==(const HostPair&, const HostPair&) = default;
};
struct HostList {  // at least one; each once
  std::vector<HostId> hosts;
  friend bool operator==(const HostList&, const HostList&) = default;
};
struct GpuIndex {  // of a task's GPUs; kinds that have one check that it is there (kind.problem)
  static constexpr std::int64_t kMost = 1'000;
  std::int64_t value = 0;
  friend bool operator==(const GpuIndex&, const GpuIndex&) = default;
};
struct Count {  // how many times
  static constexpr std::int64_t kMost = 1'000'000;
  std::int64_t value = 1;
  friend bool operator==(const Count&, const Count&) = default;
};
struct Bytes {
  std::uint64_t value = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
struct OpPattern {  // "*" in it stands for any text
  std::string text = "*";
  friend bool operator==(const OpPattern&, const OpPattern&) = default;
};
struct All {  // the word "all", for a kind that has nothing to choose
  friend bool operator==(const All&, const All&) = default;
};
struct PercentLeft {  // what is left of something, in percent
  static constexpr std::int64_t kLeast = 1, kMost = 99;
  std::int64_t value = 50;
  friend bool operator==(const PercentLeft&, const PercentLeft&) = default;
};
struct Percent {
  static constexpr std::int64_t kLeast = 1, kMost = 1'000'000;
  std::int64_t value = 100;
  friend bool operator==(const Percent&, const Percent&) = default;
};

template <class Kind, class Member>
struct Field {
  using Value = Member;
  std::string_view key;
  Member Kind::*member;
  std::string_view meaning;
};
template <class Kind, class Member>
constexpr Field<Kind, Member> field(std::string_view key, Member Kind::*member, std::string_view meaning) {
  return {key, member, meaning};
}

template <class K>
concept FaultKind = std::equality_comparable<K> && requires(const K& kind, FaultContext& context) {
  { K::kKey } -> std::convertible_to<std::string_view>;
  { K::kMeaning } -> std::convertible_to<std::string_view>;
  { K::kExample } -> std::convertible_to<std::string_view>;
  std::tuple_size<decltype(K::fields())>::value;
  kind.happen(context);
};

// What is wrong with a fault's values in this cluster; "" = nothing.
template <FaultKind K>
[[nodiscard]] std::string problem_of(const K& kind, const ClusterSpec& cluster) {
  if constexpr (requires { kind.problem(cluster); }) return kind.problem(cluster);
  return "";
}
// "/job:worker/replica:0/task:0 has 1 GPU and no GPU 3".
[[nodiscard]] inline std::string problem_of_gpu(const ClusterSpec& cluster, TaskId task, GpuIndex gpu) {
  const std::size_t gpus = cluster.tasks[task.index()].gpus.size();
  if (static_cast<std::size_t>(gpu.value) < gpus) return "";
  return fmt::format("{} has {} GPU{} and no GPU {}", cluster.tasks[task.index()].name, gpus, gpus == 1 ? "" : "s",
                     gpu.value);
}

// What kernels take under a fault: "18.68 times as long as usual", "50 % of their usual time".
[[nodiscard]] inline std::string pace_in_words(Percent pace, std::string_view whose) {
  if (pace.value < 100) return fmt::format("{} % of {} usual time", pace.value, whose);
  return fmt::format("{:g} times as long as usual", static_cast<double>(pace.value) / 100);
}

template <class K>
inline constexpr std::size_t kFieldsOf = std::tuple_size_v<decltype(K::fields())>;

}  // namespace tarry
