#include "scenarios/file/fault_resolve.hpp"

#include <algorithm>

namespace tarry {
namespace {

class FaultResolver {
 public:
  FaultResolver(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawFault& raw)
      : in_(in), names_(names), cluster_(cluster), raw_(raw) {}

  Fault run() {
    Fault out;
    if (raw_.at.has_value() == raw_.after.has_value()) return fail("a fault needs either 'at' or 'after'"), out;
    if (raw_.at)
      out.when = *raw_.at;
    else
      out.when = trigger(*raw_.after);
    if (raw_.what.size() != 1) return fail(fmt::format("a fault is one of {}", kind_names())), out;
    std::visit([&](const auto& raw) { out.what = kind(raw); }, raw_.what[0]);
    return out;
  }

 private:
  void fail(const std::string& what) { in_.fail(raw_.position, what); }

  Trigger trigger(const RawMoment& m) {
    Trigger out{.count = m.count, .delay = m.delay};
    if (!m.given.empty()) out.moment = m.given[0].first, out.task = names_.task_of(m.given[0].second);
    if (m.given.size() != 1)
      fail(fmt::format("'after' names one of {}", moment_names()));
    else if (in_.ok() && !names_.with_program.contains(out.task))
      fail("'after' waits for a task that runs no program");
    return out;
  }

  template <class K>
  K kind(const RawKind<K>& raw) {
    K out;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (set(out.*std::get<I>(K::fields()).member, std::get<I>(raw.values), label<K>(std::get<I>(K::fields()).key)), ...);
    }
    (std::make_index_sequence<kFieldsOf<K>>());
    if (const std::string problem = in_.ok() ? problem_of(out, cluster_) : ""; !problem.empty()) fail(problem);
    return out;
  }

  // What a field is called in messages: where it has no key of its own, by its kind's.
  template <class K>
  static std::string label(std::string_view key) {
    return kFieldsOf<K> == 1 ? std::string(K::kKey) : fmt::format("'{}'", key);
  }

  void set(TaskId& out, const Named& raw, const std::string&) { out = names_.task_of(raw); }
  void set(HostId& out, const Named& raw, const std::string&) { out = names_.host_of(raw); }
  void set(HostList& out, const std::vector<Named>& raw, const std::string& label) {
    if (raw.empty()) return fail(label + " names no host");
    for (const Named& name : raw) {
      const HostId host = names_.host_of(name);
      if (in_.ok() && std::ranges::count(out.hosts, host) > 0)
        return fail(fmt::format("{} names '{}' twice", label, shown(name.text)));
      out.hosts.push_back(host);
    }
  }
  void set(TaskPair& out, const std::vector<Named>& raw, const std::string& label) {
    if (raw.size() != 2) return fail(label + " names two tasks");
    out = {names_.task_of(raw[0]), names_.task_of(raw[1])};
    if (in_.ok() && out.a == out.b) fail(label + " names one task twice");
  }
  void set(HostPair& out, const std::vector<Named>& raw, const std::string& label) {
    if (raw.size() != 2) return fail(label + " names two hosts");
    out = {names_.host_of(raw[0]), names_.host_of(raw[1])};
    if (in_.ok() && out.a == out.b) fail(label + " names one host twice");
  }
  template <class Value>
  void set(Value& out, const Value& raw, const std::string&) {
    out = raw;
  }

  Reader& in_;
  const Lookup& names_;
  const ClusterSpec& cluster_;
  const RawFault& raw_;
};

}  // namespace

Fault resolve_fault(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawFault& raw) {
  return FaultResolver(in, names, cluster, raw).run();
}

}  // namespace tarry
