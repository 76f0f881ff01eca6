#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/core/text.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// ---- who a fault is about ----

struct Subject {
  TaskId task;
  std::string a, b;  // hosts, or tasks
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

class SubjectReader {
 public:
  explicit SubjectReader(const ClusterSpec& cluster) : cluster_(cluster) {}

  Subject of(const Fault& fault) {
    std::visit(
        [this]<class K>(const K& kind) {
          std::apply([&](const auto&... field) { (take(kind.*field.member), ...); }, K::fields());
        },
        fault.what);
    return subject_;
  }

 private:
  void take(TaskId task) { subject_.task = task; }
  void take(HostId host) { subject_.a = cluster_.hosts[host.index()].name; }
  void take(const HostList& list) {
    for (const HostId host : list.hosts)
      subject_.a += (subject_.a.empty() ? "" : ", ") + cluster_.hosts[host.index()].name;
  }
  void take(const HostPair& p) {
    subject_.a = cluster_.hosts[p.a.index()].name, subject_.b = cluster_.hosts[p.b.index()].name;
  }
  void take(const TaskPair& p) {
    subject_.a = cluster_.tasks[p.a.index()].name, subject_.b = cluster_.tasks[p.b.index()].name;
  }
  template <class Other>
  void take(const Other&) {}

  const ClusterSpec& cluster_;
  Subject subject_;
};

class FaultCandidates {
 public:
  FaultCandidates(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome)
      : out_(out), job_(job), tasks_(outcome.tasks) {}

  void add_all() {
    std::set<Subject> known;
    std::vector<std::string> names;
    for (const Fault& f : job_.faults)
      if (const Subject s = SubjectReader(job_.cluster).of(f); known.insert(s).second) {
        add(s);
        names.push_back(show_subject(s) + kinds_of(s));
      }
    if (names.size() > 1) add_together(names);
  }

 private:
  // A host's name, or a task's as people read it.
  [[nodiscard]] std::string show_end(const std::string& name) const {
    const TaskId task = tasks_.find(name);
    return task.valid() ? tasks_.show(task) : name;
  }

  [[nodiscard]] std::string show_subject(const Subject& s) const {
    if (s.task.valid()) return "of " + tasks_.show(s.task);
    if (s.a.empty()) return "of the checkpoints";
    return s.b.empty() ? "of " + s.a : fmt::format("between {} and {}", show_end(s.a), show_end(s.b));
  }

  // " (kill, restart)": the keys of its faults, each once.
  [[nodiscard]] std::string kinds_of(const Subject& s) const {
    std::vector<std::string> keys;
    for (const Fault& f : job_.faults) {
      if (SubjectReader(job_.cluster).of(f) != s) continue;
      const std::string key(std::visit([]<class K>(const K&) { return K::kKey; }, f.what));
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    return fmt::format(" ({})", join(keys, ", "));
  }

  void add(const Subject& s) {
    const std::string who = show_subject(s);
    WhatIf w{{.cause = Cause::faults,
              .task = s.task,
              .a = s.a,
              .b = s.b,
              .what = fmt::format("there were faults {}{}", who, kinds_of(s)),
              .instead = "without the faults " + who},
             job_};
    std::erase_if(w.job.faults, [&](const Fault& o) { return SubjectReader(job_.cluster).of(o) == s; });
    out_.push_back(std::move(w));
  }

  // Where everybody waits for several, each alone gains nothing.
  void add_together(const std::vector<std::string>& names) {
    WhatIf w{{.cause = Cause::faults,
              .what = "there were faults " + join(names, ", "),
              .instead = "without any fault",
              .together = true},
             job_};
    w.job.faults.clear();
    out_.push_back(std::move(w));
  }

  std::vector<WhatIf>& out_;
  const Job& job_;
  const TaskNames& tasks_;
};

}  // namespace

void add_fault_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  FaultCandidates(out, job, outcome).add_all();
}

}  // namespace tarry
