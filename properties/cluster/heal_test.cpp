// A job gets back what it needs, and must go on (properties/cluster/heal.hpp).

#include "properties/cluster/heal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/hunt.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A job that ships, and the parts of its cluster that examples of faults name.
struct Healer {
  explicit Healer(const std::string& name, PlantedClusterBug bug = PlantedClusterBug::none) : scenario(shipped(name)) {
    scenario.faults.clear();
    job = job_for(scenario).value();
    job.planted = bug;
    trials = std::make_unique<Trials>(job, must);
    const Status healthy = trials->look_without_faults();
    EXPECT_TRUE(healthy.ok()) << healthy;
    trials->heal();
  }
  Trial run(const std::string& faults) { return trials->run({parse_faults(faults, scenario).value()}).value(); }
  [[nodiscard]] std::string healing(const Trial& t) const {
    return faults_line(std::span(t.healed.faults).last(t.healed.healing), job.cluster);
  }

  Scenario scenario;
  Job job;
  Must must;
  std::unique_ptr<Trials> trials;
};

// ---- kinds ----

TEST(FaultHealth, has_a_row_for_each_kind_in_the_order_of_the_list) {
  std::vector<std::string> kinds, rows;
  for (const FaultKindText& kind : fault_kinds()) kinds.push_back(kind.key);
  for (const FaultHealth& row : fault_health()) rows.emplace_back(row.key);
  EXPECT_EQ(rows, kinds);
}

Scenario with_gpus_and_bandwidth() {
  Scenario s = shipped("040_worker_dies");
  s.faults.clear();
  s.training.save_steps = 5;
  s.training.soft_placement = true;
  s.training.num_tokens.reset();
  s.stop = {.time = 10 * kSecond};
  for (TaskSpec& t : s.cluster.tasks)
    if (t.name.starts_with("/job:worker")) t.gpus.push_back({.memory_bytes = 1'000'000'000});
  return s;
}

// A fault of each kind, for as long as it can be.
constexpr const char* kOfEachKind[] = {"kill worker/1",
                                       "restart worker/1",
                                       "preempt worker/1 back_after=1h",
                                       "pause worker/1",
                                       "leave worker/1",
                                       "lose_host host1",
                                       "lose_rack host1,server0",
                                       "slow worker/1 percent=10000",
                                       "slow_host host1 percent=10000",
                                       "throttle worker/1 gpu=0 percent=10000",
                                       "lose_gpu worker/1 gpu=0",
                                       "take_memory worker/1 gpu=0 bytes=1GB",
                                       "heavy_tail worker/1 op=* one_in=2 percent=10000",
                                       "disconnect worker/1,ps/0",
                                       "resend worker/1,ps/0",
                                       "delay host1,server0 latency=20s",
                                       "narrow host1,server0 percent=1",
                                       "part host1,server0",
                                       "part_one_way host1,server0",
                                       "part_breaking host1,server0 breaks_after=2s",
                                       "jam host1,server0 lasts=20s",
                                       "swizzle host1,server0 step=1s lasts=10s",
                                       "reorder worker/1,ps/0 within=20s",
                                       "order 7 changes=2",
                                       "fail_save ps/0",
                                       "slow_save ps/0 time=10s",
                                       "tear_save ps/0",
                                       "lose_checkpoints all"};

// A chief that has left closed the token queue, which a new one finds closed.
TEST(Healing, ends_what_each_kind_leaves_behind) {
  const Scenario s = with_gpus_and_bandwidth();
  const Job job = job_for(s).value();
  const Must must;
  Trials trials(job, must);
  ASSERT_TRUE(trials.look_without_faults().ok());
  trials.heal();
  for (const std::string line : kOfEachKind) {
    SCOPED_TRACE(line);
    const auto faults = parse_faults(line + " at 3s", s);
    ASSERT_TRUE(faults.ok()) << faults.status();
    const Trial t = trials.run({*faults}).value();
    if (line.starts_with("fail_save"))
      EXPECT_THAT(t.broken, ElementsAre(Field(&Breach::property, "heals (E.6.6)")));
    else
      EXPECT_THAT(t.broken, IsEmpty()) << t.broken[0].property << ": " << t.broken[0].text;
  }
}

// ---- the core ----

TEST(Healing, gives_back_as_many_workers_as_an_aggregate_needs) {
  Healer h("041_worker_dies_backup");  // three of four
  const Trial one = h.run("kill worker/3 at 3s"), two = h.run("kill worker/3 at 3s; kill worker/2 at 4s");
  EXPECT_EQ(h.healing(one), "");
  EXPECT_THAT(one.broken, IsEmpty());
  EXPECT_THAT(h.healing(two), StartsWith("restart worker/2 at "));
  EXPECT_EQ(two.healed.healing, 1u);
  EXPECT_THAT(two.broken, IsEmpty());
}

TEST(Healing, leaves_workers_away_that_do_not_need_each_other) {
  Healer h("055_async_worker_dies");
  EXPECT_EQ(h.healing(h.run("kill worker/1 at 3s; kill worker/2 at 4s")), "");
  EXPECT_THAT(h.healing(h.run("kill worker/0 at 3s; kill ps/0 at 4s")),
              AllOf(HasSubstr("restart ps/0"), HasSubstr("restart worker/0")));
}

TEST(Healing, gives_back_all_tasks_of_a_job_with_one_client) {
  Healer h("063_handwritten_dense");
  const Trial t = h.run("kill worker/2 at 1s");
  EXPECT_THAT(h.healing(t), StartsWith("restart worker/2 at "));
  EXPECT_THAT(t.broken, IsEmpty());
}

TEST(Healing, gives_back_all_that_must_start_together) {
  Healer h("055_async_worker_dies");
  const Trial t = h.run("part_one_way server0,host1 after session_created:worker/0");
  EXPECT_EQ(h.healing(t), "part_one_way server0,host1 lasts=0s after session_created:worker/0 +15s");
  EXPECT_THAT(t.broken, IsEmpty());
}

TEST(Healing, comes_after_a_fault_that_kept_training_from_starting) {
  Healer h("055_async_worker_dies");
  const Trial t = h.run("kill ps/0 after session_ready:worker/0");
  EXPECT_EQ(h.healing(t), "restart ps/0 after session_ready:worker/0 +15s");
  EXPECT_THAT(t.broken, IsEmpty());
}

TEST(Healing, leaves_out_faults_whose_moment_has_not_come) {
  Healer h("040_worker_dies");
  EXPECT_THAT(h.run("kill worker/1 after pushed#100000").healed.faults, IsEmpty());
}

// ---- hazards and defects ----

TEST(Healing, tells_a_hazard_with_its_rule_and_its_cure) {
  Healer h("049_second_ps_dies");
  const Trial t = h.run("kill ps/1 at 4s");
  ASSERT_THAT(t.broken, ElementsAre(Field(&Breach::property, "heals (E.6.6)")));
  EXPECT_THAT(t.broken[0].text, AllOf(HasSubstr("the client of worker 0 left training at"), HasSubstr("Cure: ")));
}

TEST(Healing, tells_a_defect_that_is_planted) {
  const std::string dies = "kill worker/0 at 25s";
  EXPECT_THAT(Healer("047_chief_dies_checkpoint").run(dies).broken, IsEmpty());
  EXPECT_THAT(Healer("047_chief_dies_checkpoint", PlantedClusterBug::abort_skips_waiter).run(dies).broken,
              Contains(Field(&Breach::property, kDefect)));
}

TEST(Healing, is_given_up_within_either_of_its_runs_when_the_time_is_up) {
  const Healer h("040_worker_dies");
  const auto asked_at_most = [&](int most) {
    int asked = 0;
    const auto t = h.trials->run({}, {.is_time_up = [&] { return ++asked > most; }});
    EXPECT_TRUE(t.ok() || is_given_up(t.status())) << t.status();
    return std::pair(t.ok(), asked);
  };
  const auto [ends_well, all] = asked_at_most(1'000'000);
  EXPECT_TRUE(ends_well);
  int asked_of_one = 0;
  Trials without_healing(h.job, h.must);
  ASSERT_TRUE(without_healing.look_without_faults().ok());
  ASSERT_TRUE(without_healing.run({}, {.is_time_up = [&] { return ++asked_of_one < 0; }}).ok());
  EXPECT_GT(all, asked_of_one * 3 / 2);  // both runs ask
  for (const int most : {1, all / 4, all - 4}) {
    const auto [ended, asked] = asked_at_most(most);
    EXPECT_FALSE(ended) << most;
    EXPECT_LE(asked, most + 4);  // soon after the answer that it is
  }
}

TEST(Healing, waits_for_the_job_and_its_clients_as_long_as_they_need) {
  const Trial sync = Healer("040_worker_dies").run("disconnect worker/1,ps/0 at 3s");
  const Trial async = Healer("055_async_worker_dies").run("disconnect worker/1,ps/0 at 3s");
  const Trial slow = Healer("040_worker_dies").run("slow worker/1 percent=1000 at 3s");
  const auto bound = [](const Trial& t) { return in_seconds(t.healed.until - t.healed.at); };
  EXPECT_NEAR(bound(sync), 2 * (120 + 30) + 6 * 4, 1);  // its slowest steps take 4 s
  EXPECT_NEAR(bound(async), 2 * 30 + 6 * 0.3, 1);
  EXPECT_NEAR(bound(slow), bound(sync) + 40, 1);
}

// ---- the budget ----

bool has_an_end(const Fault& f) {
  return std::visit(
      []<class K>(const K& kind) {
        if constexpr (requires { kind.lasts; })
          return std::optional<Nanos>(kind.lasts).has_value();
        else if constexpr (requires { kind.back_after; })
          return std::optional<Nanos>(kind.back_after).has_value();
        else
          return !std::is_same_v<K, Kill>;
      },
      f.what);
}

TEST(Budget, of_what_is_recovered_from_has_an_end_and_leaves_out_what_a_rule_names) {
  const Scenario s = with_gpus_and_bandwidth();
  const Job job = job_for(s).value();
  const Course course{.time = 100 * kSecond, .moments = {}};
  std::size_t left_out = 0;
  for (std::uint64_t n = 0; n < 500; ++n) {
    Random random = random_of_case(1, n);
    const Schedule drawn = draw_schedule(job.cluster, course, 1, random), kept = recoverable(drawn, course, job);
    const std::string line = faults_line(drawn.faults, job.cluster), key = line.substr(0, line.find(' '));
    const auto row = std::ranges::find(fault_health(), key, &FaultHealth::key);
    if (row == fault_health().end()) continue;  // a fault in braces
    SCOPED_TRACE(line);
    const bool breaks = key == "disconnect" || key == "resend" || key == "part_breaking";  // perhaps the chief's
    if (!breaks) EXPECT_EQ(kept.faults.empty(), !row->why_not.empty());
    for (const Fault& f : kept.faults) EXPECT_TRUE(has_an_end(f));
    left_out += kept.faults.empty() ? 1 : 0;
  }
  EXPECT_GT(left_out, 50u);
}

TEST(Budget, has_no_broken_connection_of_a_chief_that_then_finds_its_queue_closed) {
  const auto kept = [](const std::string& name) {
    const Scenario s = shipped(name);
    return recoverable({parse_faults("disconnect worker/0,ps/0 at 4s; disconnect worker/1,ps/0 at 5s", s).value()},
                       {.time = kSecond, .moments = {}}, job_for(s).value())
        .faults.size();
  };
  EXPECT_EQ(kept("040_worker_dies"), 1u);
  EXPECT_EQ(kept("050_second_ps_dies_old"), 2u);
}

TEST(Budget, has_no_end_of_a_second_server_whose_chief_finds_its_queue_closed) {
  const auto kept = [](const std::string& name) {
    const Scenario s = shipped(name);
    return recoverable({parse_faults("kill ps/1 at 4s; kill ps/0 at 5s", s).value()}, {.time = kSecond, .moments = {}},
                       job_for(s).value())
        .faults.size();
  };
  EXPECT_EQ(kept("049_second_ps_dies"), 1u);
  EXPECT_EQ(kept("050_second_ps_dies_old"), 2u);
}

}  // namespace
}  // namespace tarry
