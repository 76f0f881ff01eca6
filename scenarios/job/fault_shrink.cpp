#include "scenarios/job/fault_shrink.hpp"

#include <cstdlib>
#include <set>

namespace tarry {
namespace {

// Rounder: whole seconds, milliseconds, microseconds; then smaller.
std::vector<Nanos> simpler(Nanos t) {
  std::set<Nanos> below;
  for (const Nanos unit : {kSecond, kSecond / 1'000, kSecond / 1'000'000}) {
    below.insert(t / unit * unit);
    below.insert(t / 2 / unit * unit);
  }
  below.insert(0);
  below.erase(t);
  return {below.begin(), below.end()};
}

// Nearer to the usual 100 %, which would be no fault.
std::vector<Percent> simpler(Percent p) {
  std::vector<Percent> out;
  for (const std::int64_t other : {std::int64_t{200}, std::int64_t{50}, (p.value + 100) / 2})
    if (std::abs(other - 100) < std::abs(p.value - 100) && (other > 100) == (p.value > 100) && other != 100)
      out.push_back({other});
  return out;
}

std::vector<PercentLeft> simpler(PercentLeft s) {
  std::vector<PercentLeft> out;
  for (const std::int64_t other : {std::int64_t{50}, (s.value + 100) / 2})
    if (other > s.value && other <= PercentLeft::kMost) out.push_back({other});
  return out;
}

// Fewer, or less.
std::vector<Count> simpler(Count c) {
  if (c.value == 1) return {};
  return {{1}, {c.value / 2}};
}
std::vector<Bytes> simpler(Bytes b) {
  if (b.value <= 1) return {};
  std::uint64_t power = 1;
  while (power <= b.value / 2) power *= 2;
  if (power < b.value) return {{power}};
  return {{b.value / 2}};
}
// A rack of one host is a host.
template <class K>
FaultKinds one_host(const K& kind) {
  if constexpr (std::is_same_v<K, LoseRack>)
    if (kind.rack.hosts.size() == 1) return LoseHost{kind.rack.hosts[0], kind.back_after};
  return kind;
}

// Without one of them.
std::vector<HostList> simpler(const HostList& list) {
  std::vector<HostList> out;
  for (std::size_t i = 0; list.hosts.size() > 1 && i < list.hosts.size(); ++i) {
    out.push_back(list);
    out.back().hosts.erase(out.back().hosts.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

std::vector<TaskId> simpler(TaskId) { return {}; }
std::vector<HostId> simpler(HostId) { return {}; }
std::vector<GpuIndex> simpler(GpuIndex) { return {}; }
std::vector<OpPattern> simpler(const OpPattern&) { return {}; }
std::vector<All> simpler(All) { return {}; }
std::vector<TaskPair> simpler(const TaskPair&) { return {}; }
std::vector<HostPair> simpler(const HostPair&) { return {}; }

// For good, or for a simpler while.
template <class Value>
std::vector<std::optional<Value>> simpler(const std::optional<Value>& v) {
  std::vector<std::optional<Value>> out;
  if (!v) return out;
  out.push_back(std::nullopt);
  for (const Value& other : simpler(*v)) out.emplace_back(other);
  return out;
}

// A condition of no time, or of no size, is none. A new process may begin at once, and a connection break at once.
bool may_be_nothing(std::string_view key) { return key != "lasts" && key != "within" && key != "time"; }

bool is_nothing(Nanos t) { return t == 0; }
bool is_nothing(const std::optional<Nanos>& t) { return t == 0; }
template <class Value>
bool is_nothing(const Value&) {
  return false;
}

template <class K, class Member>
void add_simpler(const Fault& fault, const K& kind, const Field<K, Member>& field, std::vector<Fault>& out) {
  for (const Member& value : simpler(kind.*field.member)) {
    if (is_nothing(value) && !may_be_nothing(field.key)) continue;
    K other = kind;
    other.*field.member = value;
    out.push_back({fault.when, one_host(other)});
  }
}

void add_simpler_times(const Fault& fault, Nanos at, std::vector<Fault>& out) {
  for (const Nanos earlier : simpler(at)) out.push_back({earlier, fault.what});
}

void add_simpler_times(const Fault& fault, const Trigger& t, std::vector<Fault>& out) {
  for (const std::int64_t count : std::set{std::int64_t{1}, (t.count + 1) / 2})
    if (count < t.count) out.push_back({Trigger{t.moment, t.task, count, t.delay}, fault.what});
  for (const Nanos delay : simpler(t.delay)) out.push_back({Trigger{t.moment, t.task, t.count, delay}, fault.what});
}

}  // namespace

FaultKinds with_plainest_kind(const FaultKinds& what) {
  return std::visit([](const auto& kind) { return one_host(kind); }, what);
}

std::vector<Fault> simpler_faults(const Fault& fault) {
  std::vector<Fault> out;
  const FaultKinds plain = with_plainest_kind(fault.what);
  if (plain.index() != fault.what.index()) out.push_back({fault.when, plain});
  std::visit([&](const auto& when) { add_simpler_times(fault, when, out); }, fault.when);
  std::visit(
      [&]<class K>(const K& kind) {
        std::apply([&](const auto&... field) { (add_simpler(fault, kind, field, out), ...); }, K::fields());
      },
      fault.what);
  return out;
}

}  // namespace tarry
