#include "properties/cluster/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/hunted.hpp"
#include "properties/cluster/reach.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

// ---- every fault ----

const ClusterSpec kTwoHosts{
    .hosts = {{"a"}, {"b"}},
    .tasks = {{"/job:ps/task:0", HostId{0u}}, {"/job:worker/task:0", HostId{1u}}, {"/job:worker/task:1", HostId{1u}}}};
const Course kShortCourse{.time = 8 * kSecond,
                          .moments = {{{Moment::pushed, TaskId{1u}}, {{kSecond, 1, 7}, {2 * kSecond, 2, 7}}},
                                      {{Moment::token_taken, TaskId{1u}}, {{2 * kSecond, 3, 8}}}},
                          .talks = {{TaskId{1u}, TaskId{0u}}}};

std::vector<Fault> all_of(const EveryFault& every) {
  std::vector<Fault> all;
  for (std::size_t i = 0; i < every.size(); ++i) all.push_back(every[i]);
  return all;
}

TEST(EveryFault, is_each_kind_for_each_task_before_and_after_each_moment_and_only_once) {
  const EveryFault every(kTwoHosts, kShortCourse);
  const std::vector<Fault> faults = all_of(every);
  const auto of = [&](const FaultKinds& what) {
    std::vector<std::string> when;
    for (const Fault& f : faults)
      if (f.what == what) when.push_back(std::holds_alternative<Nanos>(f.when) ? "at" : "after");
    return when;
  };
  EXPECT_THAT(of(Kill{TaskId{0u}}), testing::UnorderedElementsAre("after", "at", "after", "after", "at"));
  EXPECT_EQ(every.different() * 5, every.size() * 3);  // the second push looks like the first
  EXPECT_EQ(of(Kill{TaskId{1u}}).size(), 5u);
  EXPECT_EQ(of(Preempt{TaskId{1u}, 2 * kSecond}).size(), 5u);
  EXPECT_EQ(of(Part{{HostId{0u}, HostId{1u}}, std::nullopt}).size(), 5u);
  EXPECT_EQ(of(Part{{HostId{0u}, HostId{1u}}, 2 * kSecond}).size(), 5u);
  EXPECT_EQ(of(Part{{HostId{1u}, HostId{0u}}, 2 * kSecond}).size(), 0u);  // the same
  EXPECT_EQ(of(PartOneWay{{HostId{1u}, HostId{0u}}, 2 * kSecond}).size(), 5u);
  EXPECT_EQ(of(Disconnect{{TaskId{0u}, TaskId{1u}}}).size(), 5u);
  EXPECT_EQ(of(Disconnect{{TaskId{1u}, TaskId{2u}}}).size(), 0u);  // they send each other nothing
  for (const Fault& f : faults) EXPECT_EQ(std::ranges::count(faults, f), 1);
}

TEST(EveryFault, begins_with_one_of_each_kind_and_elsewhere_for_another_seed) {
  const EveryFault every(kTwoHosts, kShortCourse, 1);
  const std::vector<Fault> all = all_of(every);
  std::set<std::size_t> kinds, first;
  for (const Fault& f : all) kinds.insert(f.what.index());
  for (std::size_t i = 0; i < kinds.size(); ++i) first.insert(all[i].what.index());
  EXPECT_EQ(first, kinds);
  const EveryFault other(kTwoHosts, kShortCourse, 2);
  const std::vector<Fault> others = all_of(other);
  EXPECT_EQ(other.different(), every.different());
  EXPECT_NE(others[0].what.index(), all[0].what.index());
  for (std::size_t i = 0; i < every.different(); ++i)  // those at moments that look different stay in front
    EXPECT_EQ(std::ranges::count(std::span(others).first(every.different()), all[i]), 1);
}

TEST(EveryFault, of_a_large_cluster_is_made_when_it_is_asked_for) {
  ClusterSpec cluster;
  Course course{.time = 8 * kSecond};
  for (std::size_t t = 0; t < 100; ++t) {
    cluster.hosts.push_back({fmt::format("h{}", t)});
    cluster.tasks.push_back({fmt::format("/job:worker/task:{}", t), HostId{t}});
    for (std::int64_t n = 0; n < 100; ++n)
      course.moments[{Moment::pushed, TaskId{t}}].push_back({n * kSecond, t * 100 + static_cast<std::size_t>(n), 7});
    for (std::size_t other = 0; other < t; ++other) course.talks.insert({TaskId{t}, TaskId{other}});
  }
  const EveryFault every(cluster, course);
  EXPECT_GT(every.size(), 500'000'000u);
  EXPECT_NE(every[0], every[every.size() - 1]);
}

// ---- strategies ----

TEST(Strategies, give_the_same_schedule_for_the_same_number_and_seed_and_their_own_for_another) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const Course course = course_of(run_here(h.job));
  for (const StrategyText& s : strategies()) {
    const auto one = make_strategy({s.kind, 1, 4}, h.job.cluster, course),
               same = make_strategy({s.kind, 1, 4}, h.job.cluster, course),
               other = make_strategy({s.kind, 2, 4}, h.job.cluster, course);
    int differ = 0;
    for (std::uint64_t n = 0; n < 60; ++n) {
      EXPECT_EQ(one->schedule(n), same->schedule(n)) << s.key;
      differ += one->schedule(n) != other->schedule(n) ? 1 : 0;
    }
    EXPECT_GT(differ, 0) << s.key;
  }
}

TEST(Strategies, that_sweep_try_every_fault_once_and_then_every_pair) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const Course course{.time = kSecond, .moments = {{{Moment::pushed, TaskId{1u}}, {{kSecond, 1, 7}}}}};
  const std::uint64_t n = EveryFault(h.job.cluster, course).size();
  const auto single = make_strategy({StrategyKind::sweep, 1, 1}, h.job.cluster, course),
             pairs = make_strategy({StrategyKind::sweep, 1, 2}, h.job.cluster, course);
  EXPECT_EQ(single->count(), n);
  EXPECT_EQ(pairs->count(), n + n * n);
  EXPECT_EQ(pairs->schedule(n + 1).faults,
            (std::vector<Fault>{single->schedule(1).faults[0], single->schedule(2).faults[0]}));
  std::set<std::string> tried;
  for (std::uint64_t i = n; i < n + n * n; ++i) tried.insert(faults_line(pairs->schedule(i).faults, h.job.cluster));
  EXPECT_EQ(tried.size(), n * n);
}

TEST(Strategies, of_the_portfolio_have_no_more_faults_when_each_single_one_has_been_tried) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const Course course{.time = kSecond, .moments = {{{Moment::pushed, TaskId{1u}}, {{kSecond, 1, 7}}}}};
  const auto all = make_strategy({StrategyKind::portfolio, 1, 1}, h.job.cluster, course);
  std::size_t most = 0;
  for (std::uint64_t i = 0, n = EveryFault(h.job.cluster, course).size(); i < 20 * n; ++i)
    most = std::max(most, all->schedule(i).faults.size());
  EXPECT_EQ(most, 1u);
}

TEST(Strategies, that_are_guided_change_what_showed_something_new) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const Course course = course_of(run_here(h.job));
  const auto guided = make_strategy({StrategyKind::guided, 1, 4}, h.job.cluster, course);
  const Schedule known{{{17 * kSecond, Kill{TaskId{2u}}}, {18 * kSecond, Kill{TaskId{3u}}}}};
  guided->learn(0, known, {1, 2});
  guided->learn(1, {{{1, Kill{TaskId{1u}}}}}, {1, 2});  // nothing new
  std::uint64_t near = 0;
  for (std::uint64_t n = 0; n < 100; ++n)
    for (const Fault& f : guided->schedule(n).faults) near += std::ranges::count(known.faults, f) > 0 ? 1 : 0;
  EXPECT_GT(near, 60u);
}

TEST(Strategies, that_draw_the_order_change_it_at_most_three_times_and_add_faults_in_half_of_the_runs) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const Course course = course_of(run_here(h.job));
  const auto order = make_strategy({StrategyKind::order, 1, 4}, h.job.cluster, course);
  std::map<std::int64_t, int> changes;
  int alone = 0;
  for (std::uint64_t n = 0; n < 400; ++n) {
    const Schedule s = order->schedule(n);
    const auto& first = std::get<Order>(s.faults.at(0).what);
    EXPECT_EQ(s.faults[0].when, (std::variant<Nanos, Trigger>(Nanos{0})));
    if (first.changes) EXPECT_EQ(first.within->value, static_cast<std::int64_t>(course.events));
    ++changes[first.changes ? first.changes->value : 0];
    alone += s.faults.size() == 1 ? 1 : 0;
    EXPECT_LE(s.faults.size(), 4u);
  }
  EXPECT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes.rbegin()->first, 3);
  EXPECT_NEAR(alone, 200, 50);
}

// ---- what is told of a campaign ----

TEST(Strategies, have_the_names_that_commands_take) {
  std::vector<std::string_view> names;
  for (const StrategyText& t : strategies()) names.push_back(t.key);
  EXPECT_THAT(names, testing::ElementsAre("portfolio", "random", "uniform", "sweep", "guided", "order"));
}

std::string reached(const DrawnCluster& c) {
  Reach r;
  r.note(c);
  std::string all;
  for (const ReachGroup& g : reach_groups())
    for (const auto& [bucket, count] : r.groups[std::string(g.key)]) all += fmt::format("{}: {}; ", g.key, bucket);
  return all;
}

DrawnCluster synchronous(std::optional<std::int64_t> replicas, std::optional<std::int64_t> tokens) {
  DrawnCluster c{.graph = "g", .protocol = Protocol::synchronous, .replicas = replicas, .num_tokens = tokens};
  c.ps = {0};
  c.workers.resize(2);
  c.hosts = 3;
  c.stop.steps = 5;
  return c;
}

TEST(Reach, of_a_cluster_says_its_parts_in_the_order_of_the_groups) {
  EXPECT_EQ(reached(synchronous({}, {})),
            "workers: 2; ps: 1; hosts: own; protocol: sync; replicas: equal; tokens: equal; start: together; costs: "
            "constant; stop: steps; graph: g; ");
  EXPECT_EQ(reached(synchronous(1, 2)),
            "workers: 2; ps: 1; hosts: own; protocol: sync with backup workers; replicas: below; tokens: above; start: "
            "together; costs: constant; stop: steps; graph: g; ");
  EXPECT_EQ(reached(synchronous(3, 0)),
            "workers: 2; ps: 1; hosts: own; protocol: sync; replicas: above; tokens: none; start: together; costs: "
            "constant; stop: steps; graph: g; ");
}

TEST(Reach, of_a_cluster_with_all_options_has_them_by_name) {
  DrawnCluster c = synchronous(2, 2);
  c.hosts = 1;
  c.cost = Exponential{kSecond};
  c.stop = {.time = kSecond};
  c.workers[0] = {.cost = Constant{1}, .client = {.start_after = 1, .steps = 5, .poll_first = true}};
  c.workers[1].client.absent = true;
  c.training.start = Start::natural;
  c.training.queue_runner = QueueRunnerEra::closes_dummy_queue;
  c.training.device_filters = c.training.fail_fast = false;
  c.training.save_steps = 5;
  c.nic = c.gpu_memory = 1, c.gpus = c.threads = 1;
  EXPECT_EQ(
      reached(c),
      "workers: 2; ps: 1; hosts: one; protocol: sync; replicas: equal; tokens: equal; start: natural; costs: "
      "exponential; stop: time; clients: absent; clients: late; clients: leaves early; clients: looks first; clients: "
      "own costs; options: GPU memory; options: GPUs; options: calls wait for tasks; options: checkpoints; options: "
      "few threads; options: links shared by flows; options: no device filters; options: old queue runner; graph: g; ");
  c.protocol = Protocol::stale_synchronous, c.hosts = 2;
  EXPECT_THAT(reached(c), testing::HasSubstr("hosts: shared; protocol: stale_sync; start:"));
}

}  // namespace
}  // namespace tarry
