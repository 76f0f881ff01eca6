#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/core/text.hpp"
#include "results/trouble.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using Harm = Proof::Harm;

// ---- who a fault is about ----

Harm harm_of(const Fault& f) { return slows_down_only(key_of(f)) ? Harm::slows : Harm::stops; }

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
    if (std::holds_alternative<Order>(fault.what)) subject_.a = "simultaneous events";
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
      if (const Subject s = SubjectReader(job_.cluster).of(f); known.insert(s).second)
        for (const Harm harm : harms_of(s)) {
          add(s, harm);
          names.push_back(show_subject(s) + kinds_of(s, harm));
        }
    if (known.size() > 1) add_together(names);
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

  [[nodiscard]] bool is_one_of(const Fault& f, const Subject& s, Harm harm) const {
    return SubjectReader(job_.cluster).of(f) == s && (harm == Harm::any || harm == harm_of(f));
  }
  // What stops it and what slows it are apart; where all its faults do one of the two, they are any.
  [[nodiscard]] std::vector<Harm> harms_of(const Subject& s) const {
    const auto has = [&](Harm harm) {
      return std::ranges::any_of(job_.faults, [&](const Fault& f) { return is_one_of(f, s, harm); });
    };
    return has(Harm::slows) && has(Harm::stops) ? std::vector{Harm::stops, Harm::slows} : std::vector{Harm::any};
  }

  // " (kill, restart)": the keys of its faults, each once.
  [[nodiscard]] std::string kinds_of(const Subject& s, Harm harm) const {
    std::vector<std::string> keys;
    for (const Fault& f : job_.faults) {
      if (!is_one_of(f, s, harm)) continue;
      const std::string key(key_of(f));
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    return fmt::format(" ({})", join(keys, ", "));
  }

  void add(const Subject& s, Harm harm) {
    const std::string who = show_subject(s), kinds = kinds_of(s, harm);
    WhatIf w{{.cause = Cause::faults,
              .task = s.task,
              .a = s.a,
              .b = s.b,
              .harm = harm,
              .what = fmt::format("there were faults {}{}", who, kinds),
              .instead = fmt::format("without the faults {}{}", who, harm == Harm::any ? "" : kinds)},
             job_};
    std::erase_if(w.job.faults, [&](const Fault& o) { return is_one_of(o, s, harm); });
    out_.push_back(std::move(w));
  }

  // Where everybody waits for several, each alone gains nothing.
  void add_together(const std::vector<std::string>& names) {
    WhatIf w{{.cause = Cause::faults,
              .what = "there were faults " + listed(names),
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
