// Every fault that a sweep tries.

#include <algorithm>
#include <boost/iterator/counting_iterator.hpp>
#include <map>
#include <numeric>
#include <set>

#include "properties/cluster/strategy.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kTenTimes = 1'000;  // percent
constexpr Nanos kParts = 4;                // a duration is that part of the run
constexpr Nanos kShortestOfAll = kSecond / 1'000;

// A field's values are made for its type; of a pair with the key "between" the order does not matter.
class EveryKind {
 public:
  EveryKind(const ClusterSpec& cluster, const Course& course)
      : cluster_(cluster), usual_(std::max(course.time / kParts, kShortestOfAll)) {
    for (const auto& [from, to] : course.talks) {
      const HostId a = cluster.tasks[from.index()].host, b = cluster.tasks[to.index()].host;
      if (from != to) tasks_.insert({{from, to}, {to, from}});
      if (a != b) hosts_.insert({{a, b}, {b, a}});
    }
  }

  std::vector<FaultKinds> run() {
    for_each_kind([&]<class K>() { fill(K(), std::integral_constant<std::size_t, 0>()); });
    return std::move(all_);
  }

 private:
  // The fields from I on, each with all its values.
  template <class K, std::size_t I>
  void fill(K kind, std::integral_constant<std::size_t, I>) {
    if constexpr (I == kFieldsOf<K>) {
      if (problem_of(kind, cluster_).empty()) all_.push_back(kind);
    } else {
      constexpr auto kField = std::get<I>(K::fields());
      auto& value = kind.*kField.member;
      for (auto& each : values_of(value)) {
        if (kField.key == "between" && is_turned(each)) continue;
        value = each;
        fill(kind, std::integral_constant<std::size_t, I + 1>());
      }
    }
  }

  template <class Value>
  static bool is_turned(const Value& v) {
    if constexpr (requires { v.a < v.b; }) return v.b < v.a;
    return false;
  }

  [[nodiscard]] std::vector<TaskId> values_of(const TaskId&) const { return all_ids<TaskId>(cluster_.tasks.size()); }
  // Those that have tasks: a loss of another one is none.
  [[nodiscard]] std::vector<HostId> values_of(const HostId&) const {
    std::vector<HostId> all = all_ids<HostId>(cluster_.hosts.size());
    std::erase_if(all, [&](HostId h) { return std::ranges::count(cluster_.tasks, h, &TaskSpec::host) == 0; });
    return all;
  }
  [[nodiscard]] std::vector<TaskPair> values_of(const TaskPair&) const {
    std::vector<TaskPair> all;
    for (const auto& [a, b] : tasks_) all.push_back({a, b});
    return all;
  }
  [[nodiscard]] std::vector<HostPair> values_of(const HostPair&) const {
    std::vector<HostPair> all;
    for (const auto& [a, b] : hosts_) all.push_back({a, b});
    return all;
  }
  [[nodiscard]] std::vector<HostList> values_of(const HostList&) const {
    std::vector<HostList> all;
    for (const HostId a : values_of(HostId()))
      for (const HostId b : values_of(HostId()))
        if (a < b) all.push_back({{a, b}});
    return all;
  }
  [[nodiscard]] std::vector<GpuIndex> values_of(const GpuIndex&) const {
    std::size_t most = 0;
    for (const TaskSpec& t : cluster_.tasks) most = std::max(most, t.gpus.size());
    std::vector<GpuIndex> all;
    for (std::size_t i = 0; i < most; ++i) all.push_back({static_cast<std::int64_t>(i)});
    return all;
  }
  [[nodiscard]] std::vector<Nanos> values_of(const Nanos&) const { return {usual_}; }
  static std::vector<Percent> values_of(const Percent&) { return {{kTenTimes}}; }
  static std::vector<PercentLeft> values_of(const PercentLeft&) { return {{10}}; }
  static std::vector<Count> values_of(const Count&) { return {{10}}; }
  static std::vector<Bytes> values_of(const Bytes&) { return {{std::uint64_t{1} << 40}}; }
  static std::vector<OpPattern> values_of(const OpPattern&) { return {{}}; }
  static std::vector<All> values_of(const All&) { return {{}}; }
  template <class Value>
  [[nodiscard]] std::vector<std::optional<Value>> values_of(const std::optional<Value>&) const {
    std::vector<std::optional<Value>> all{std::nullopt};
    for (const Value& v : values_of(Value())) all.emplace_back(v);
    return all;
  }

  template <class Id>
  static std::vector<Id> all_ids(std::size_t count) {
    std::vector<Id> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(i);
    return all;
  }
  const ClusterSpec& cluster_;
  std::set<std::pair<TaskId, TaskId>> tasks_;  // that send messages to one another, in both orders
  std::set<std::pair<HostId, HostId>> hosts_;
  Nanos usual_;
  std::vector<FaultKinds> all_;
};

struct PlacedMoment {
  std::variant<Nanos, Trigger> when;
  std::uint64_t looks = 0;  // what the run looks like then
  std::int64_t turn = 0;    // how many before it look the same
};

// Each moment twice: a time is before all that happens at it.
std::vector<PlacedMoment> every_moment(const Course& course) {
  std::vector<PlacedMoment> all;
  std::set<Nanos> times;
  std::set<std::size_t> events;  // one may be several moments
  for (const auto& [which, came] : course.moments)
    for (std::size_t n = 0; n < came.size(); ++n) {
      const std::uint64_t looks =
          (came[n].situation * 31 + static_cast<std::uint64_t>(which.first)) * 31 + which.second.index();
      if (events.insert(came[n].event).second)
        all.push_back({Trigger{which.first, which.second, static_cast<std::int64_t>(n) + 1, 0}, looks});
      if (came[n].at >= 0 && times.insert(came[n].at).second) all.push_back({came[n].at, ~looks});
    }
  std::map<std::uint64_t, std::int64_t> seen;
  for (PlacedMoment& m : all) m.turn = seen[m.looks]++;
  return all;
}

std::size_t stride_in(std::size_t size) {
  std::size_t stride = size * 61 / 100 + 1;
  while (std::gcd(stride, size) != 1) ++stride;
  return stride;
}

std::vector<std::vector<FaultKinds>> kinds_in_turns(const ClusterSpec& cluster, const Course& course) {
  std::map<std::size_t, std::vector<FaultKinds>> by_kind;
  for (FaultKinds& what : EveryKind(cluster, course).run()) by_kind[what.index()].push_back(std::move(what));
  std::vector<std::vector<FaultKinds>> kinds;
  for (auto& [kind, all] : by_kind) kinds.push_back(std::move(all));
  return kinds;
}

}  // namespace

// The seed says with which kind the turns begin.
EveryFault::EveryFault(const ClusterSpec& cluster, const Course& course, std::uint64_t seed)
    : kinds_(kinds_in_turns(cluster, course)), seed_(seed) {
  if (!kinds_.empty())
    std::rotate(kinds_.begin(), kinds_.begin() + static_cast<std::ptrdiff_t>(seed % kinds_.size()), kinds_.end());
  for (const std::vector<FaultKinds>& kind : kinds_) every_kind_ += kind.size();
  // Moments that look different come first.
  for (const PlacedMoment& m : every_moment(course)) (m.turn == 0 ? different_ : others_).push_back(m.when);
}

std::size_t EveryFault::up_to(std::size_t turn, const std::vector<When>& moments) const {
  std::size_t sum = 0;
  for (const std::vector<FaultKinds>& kind : kinds_) sum += std::min(turn, moments.size() * kind.size());
  return sum;
}

Fault EveryFault::scattered(const std::vector<When>& moments, std::size_t i) const {
  const boost::counting_iterator<std::size_t> first(0), last(moments.size() * every_kind_);
  const std::size_t turn =
      *std::partition_point(first, last, [&](std::size_t t) { return up_to(t + 1, moments) <= i; });
  std::size_t left = i - up_to(turn, moments);
  for (std::size_t k = 0;; ++k)
    if (turn < moments.size() * kinds_[k].size() && left-- == 0) return in_turn(turn, k, moments);
}

// Steps of a stride without a common divisor; the seed says where they begin.
Fault EveryFault::in_turn(std::size_t turn, std::size_t k, const std::vector<When>& moments) const {
  const std::vector<FaultKinds>& what = kinds_[k];
  const std::size_t all = moments.size() * what.size(), place = (turn + seed_) % all * stride_in(all) % all;
  return {moments[place / what.size()], what[place % what.size()]};
}

}  // namespace tarry
