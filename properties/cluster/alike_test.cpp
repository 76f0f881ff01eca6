// Runs that a sweep need not make: those with the events of another run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/hunted.hpp"
#include "properties/cluster/no_effect.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

// ---- faults that take the same turn ----

struct Sweep : Hunted {
  Trials trials;
  explicit Sweep(const std::string& name) : Hunted(name, kNeverStuck), trials(job, must) {
    EXPECT_TRUE(trials.look_without_faults().ok());
  }
  [[nodiscard]] std::vector<Trigger> moments() const {
    std::vector<Trigger> all;
    for (const auto& [which, came] : trials.course().moments)
      for (std::int64_t n = 1; n <= std::ssize(came); ++n) all.push_back({which.first, which.second, n, 0});
    return all;
  }
  [[nodiscard]] const Course::Came& came(const Trigger& t) const {
    return trials.course().moments.at({t.moment, t.task})[static_cast<std::size_t>(t.count) - 1];
  }
  Hash128 hash(const Schedule& s) { return trials.run(s).value().hash; }
};

TEST(AlikeSchedules, have_one_fault_at_moments_of_one_turn_and_the_same_run) {
  Sweep sweep("040_worker_dies");
  std::size_t of_other_events = 0;
  for (const Trigger& t : sweep.moments())
    for (const FaultKinds& what : {FaultKinds(Kill{TaskId{2u}}), FaultKinds(Pause{TaskId{1u}, {}})}) {
      const Schedule own{{{t, what}}};
      const auto first = first_alike(own, sweep.trials.course());
      if (!first || *first == own) continue;
      EXPECT_EQ(sweep.hash(*first), sweep.hash(own)) << faults_line(own.faults, sweep.job.cluster);
      of_other_events += sweep.came(std::get<Trigger>(first->faults[0].when)).event != sweep.came(t).event ? 1 : 0;
    }
  EXPECT_GT(of_other_events, 10u);  // not only two moments that are one event
}

TEST(AlikeSchedules, are_those_of_one_turn_and_no_others) {
  Sweep sweep("040_worker_dies");
  using Place = std::pair<Nanos, std::uint64_t>;
  const auto place = [&](const Trigger& t) { return Place(sweep.came(t).at, sweep.came(t).turn); };
  std::map<Place, std::vector<Trigger>> moments;
  for (const Trigger& t : sweep.moments()) moments[place(t)].push_back(t);
  for (const auto& [where, all] : moments)
    for (const Trigger& t : all) {
      const auto first = first_alike({{{t, Kill{TaskId{1u}}}}}, sweep.trials.course());
      EXPECT_EQ(first.has_value(), all.size() > 1);
      if (first) EXPECT_EQ(place(std::get<Trigger>(first->faults[0].when)), where);
    }
}

TEST(AlikeSchedules, have_no_other_turn_of_the_same_instant) {
  Sweep sweep("040_worker_dies");
  std::set<std::pair<Nanos, std::uint64_t>> turns;
  std::map<Nanos, std::set<std::string>> hashes;
  for (const Trigger& t : sweep.moments()) {
    if (sweep.came(t).at != 0) continue;
    turns.insert({sweep.came(t).at, sweep.came(t).turn});
    hashes[sweep.came(t).at].insert(to_string(sweep.hash({{{t, Kill{TaskId{1u}}}}})));
  }
  EXPECT_GT(hashes.at(0).size(), 1u);
  EXPECT_LE(hashes.at(0).size(), turns.size());
}

TEST(AlikeSchedules, are_none_with_two_faults_or_at_a_time_or_after_what_does_not_come) {
  const Sweep sweep("040_worker_dies");
  const auto like = [&](const std::string& faults) {
    return first_alike({parse_faults(faults, sweep.scenario).value()}, sweep.trials.course());
  };
  EXPECT_TRUE(like("kill worker/1 after pushed:worker/1"));
  EXPECT_FALSE(like("kill worker/1 after pushed:worker/1; kill worker/2 after pushed:worker/1"));
  EXPECT_FALSE(like("kill worker/1 at 1s"));
  EXPECT_FALSE(like("kill worker/1 after pushed#1000000:worker/1"));
  EXPECT_FALSE(like("kill worker/1 after checkpoint_written:worker/1"));
}

// ---- faults that find nothing to act on ----

std::vector<std::string> events_but_notes(const EventLog& log) {
  std::vector<std::string> all;
  for (const LoggedEvent& e : log.events())
    std::visit(
        [&]<class E>(const E& event) {
          if constexpr (std::is_same_v<E, ConditionChanged>) return;
          std::string text = fmt::format("{} {}", e.at, e.event.index());
          const auto add = [&]<class F>(const F& field) {
            if constexpr (std::is_same_v<F, NameId>)
              text += fmt::format(" {}", log.name(field));
            else if constexpr (requires { field.value; })
              text += fmt::format(" {}", field.value);
            else
              text += fmt::format(" {}", static_cast<std::int64_t>(field));
          };
          std::apply([&](auto... field) { (add(event.*field), ...); }, E::kFields);
          all.push_back(std::move(text));
        },
        e.event);
  return all;
}

// How many faults without an effect a sweep of this job has at its first moment and at one in the middle.
std::size_t have_no_effect(const std::string& name) {
  Sweep sweep(name);
  Job audited = sweep.job;
  audited.audits = true;
  const Outcome usual = run_here(audited);
  const NoEffect none(sweep.job, usual);
  const std::vector<std::string> events = events_but_notes(usual.log);
  const std::vector<Trigger> moments = sweep.moments();
  const EveryFault every(sweep.job.cluster, sweep.trials.course());
  std::size_t found = 0;
  for (std::size_t i = 0; i < every.different(); ++i) {
    const Schedule s{{every[i]}};
    const auto* t = std::get_if<Trigger>(&s.faults[0].when);
    if (t == nullptr || (*t != moments.front() && *t != moments[moments.size() / 2]) || !none.is_of(s)) continue;
    const Outcome o = sweep.trials.outcome(s).value();
    EXPECT_EQ(events_but_notes(o.log), events) << faults_line(s.faults, sweep.job.cluster);
    EXPECT_EQ(o.audit.marks, usual.audit.marks);
    ++found;
  }
  return found;
}

TEST(NoEffect, is_of_faults_under_which_the_job_does_what_it_does_without_them) {
  EXPECT_GT(have_no_effect("040_worker_dies"), 20u);  // saves nothing, and its network has no limits
  EXPECT_GT(have_no_effect("066_stale_sync"), 20u);
  EXPECT_GT(have_no_effect("047_chief_dies_checkpoint"), 5u);  // it saves, and its server computes nothing
}

TEST(NoEffect, is_of_no_fault_that_finds_something) {
  const auto has_none = [](const std::string& name, const std::string& faults) {
    Scenario s = shipped(name);
    s.faults.clear();
    Job job = job_for(s).value();
    job.audits = true;
    return NoEffect(job, run_here(job)).is_of({parse_faults(faults, s).value()});
  };
  for (const char* fault : {"fail_save ps/0", "slow_save ps/0 time=1s", "tear_save ps/0", "lose_checkpoints all"}) {
    EXPECT_TRUE(has_none("040_worker_dies", std::string(fault) + " at 1s")) << fault;
    EXPECT_FALSE(has_none("047_chief_dies_checkpoint", std::string(fault) + " at 1s")) << fault;
  }
  EXPECT_TRUE(has_none("040_worker_dies", "slow ps/0 percent=300 at 1s"));
  EXPECT_FALSE(has_none("040_worker_dies", "slow worker/1 percent=300 at 1s"));
  EXPECT_FALSE(has_none("040_worker_dies", "slow_host host0 percent=300 at 1s"));
  EXPECT_TRUE(has_none("040_worker_dies", "leave ps/0 at 1s"));
  EXPECT_FALSE(has_none("040_worker_dies", "leave worker/1 at 1s"));
  EXPECT_FALSE(has_none("040_worker_dies", "leave ps/0 at 1s; kill worker/1 at 1s"));
  EXPECT_FALSE(has_none("034_absent_no_tokens", "leave ps/0 at 1s"));  // it stands still by itself
}

// ---- both in a sweep ----

ClusterReport swept(bool makes_known_runs, int processes) {
  const Hunted h("040_worker_dies", {.progress = 5 * kSecond, .throughput = Share{9'000}, .never = {"stuck"}});
  ClusterHunt what = h.with(StrategyKind::sweep, 1'500);
  what.strategy.most_faults = 1;
  what.most_shrinks = 1;
  what.keep_going = true;
  what.makes_known_runs = makes_known_runs;
  what.processes = processes;
  return hunt(what).value();
}

TEST(Sweeps, find_what_they_find_when_every_schedule_is_run) {
  const ClusterReport all = swept(true, 2);
  for (const int processes : {1, 2}) {
    const ClusterReport some = swept(false, processes);
    EXPECT_EQ(some.runs, all.runs);
    EXPECT_EQ(some.broken, all.broken);
    EXPECT_EQ(some.marks.runs, all.marks.runs);
    ASSERT_EQ(some.findings.size(), all.findings.size());
    for (std::size_t i = 0; i < all.findings.size(); ++i) {
      EXPECT_EQ(some.findings[i].hazard, all.findings[i].hazard);
      EXPECT_EQ(some.findings[i].runs, all.findings[i].runs) << all.findings[i].hazard;
      EXPECT_EQ(some.findings[i].hash, all.findings[i].hash);
    }
  }
}

}  // namespace
}  // namespace tarry
