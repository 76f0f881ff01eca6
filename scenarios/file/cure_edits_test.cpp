// What each cure changes, which keys it says, and why there is none: edits of a scenario that is told by hand.

#include "scenarios/file/cure_edits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tarry {
namespace {

using testing::ElementsAre;

constexpr TaskId kPs{0u}, kChief{1u}, kSecond1{2u}, kThird{3u};
constexpr Nanos kHalf = kSecond / 2;

// A parameter server and three workers, each on a host of its own, that `build` makes.
struct Told {
  Scenario s;
  RunOptions options;
  Job job;
  Outcome outcome;
  Patient patient{s, options, job, outcome};
  Ward ward{patient, {}, {}, {}};
  CuredJob cured;

  Told() {
    for (const char* host : {"server", "host0", "host1", "host2"}) s.cluster.hosts.push_back({host});
    const auto task = [&](const std::string& name, std::size_t host) {
      s.cluster.tasks.push_back({name, HostId{host}});
      outcome.tasks.names.push_back(name);
    };
    task("/job:ps/replica:0/task:0", 0);
    for (std::size_t w = 0; w < 3; ++w) {
      task(fmt::format("/job:worker/replica:0/task:{}", w), w + 1);
      ward.contributions.workers.push_back({.task = TaskId{w + 1}});
      s.training.workers[TaskId{w + 1}] = {};
    }
    s.build = BuildSpec();
    s.build->plan.workers = 3;
    s.build->plan.ps = 1;
    job.cluster = s.cluster;
    outcome.log.set_names({"global_step"});
  }
  // What the edit says: its keys, or why it cannot be done.
  template <class Edit>
  std::string says(Edit edit, const std::string& to_do = "", const char* kind = "stuck") {
    cured = {};
    const Status done = edit(ward, Verdict{kind, "worker 2 pushed to v. To do: " + to_do}, s, cured);
    return done.ok() ? cured.keys : std::string(text_of(done));
  }
};

// ---- restarts ----

struct Restarted {
  std::string said;  // the advice, or why there is none
  std::vector<Fault> faults;
};
Restarted restarted(std::vector<Fault> faults, const std::string& to_do = "restart worker 2") {
  Told t;
  t.job.faults = std::move(faults);
  for (const TaskId task : {kThird, kSecond1, kThird}) t.outcome.log.add(kSecond, ProcessEnded{task});
  t.cured.job = t.job;
  const Status done = restart_soon(t.ward, {"stuck", "x. To do: " + to_do}, t.cured);
  return {done.ok() ? t.cured.advice : std::string(text_of(done)), t.cured.job.faults};
}
std::vector<Fault> at_one(FaultKinds what) { return {{kSecond, std::move(what)}}; }

TEST(CureEdits, let_processes_end_together_where_the_advice_says_so) {
  const auto with = [](const char* rest) {
    return restarted(at_one(Preempt{kThird, 5 * kSecond}), std::string("restart ps 0 and worker 2") + rest);
  };
  const Fault third{kSecond, Preempt{kThird, kSecond}}, ps{kSecond, Preempt{kPs, kSecond}};
  EXPECT_EQ(with(" together, since ps 0 keeps a queue").faults, (std::vector{third, ps}));
  EXPECT_EQ(with(" together, since ps 0 keeps a queue").said, "restart ps 0 and worker 2 within a second");
  EXPECT_EQ(with("").faults, std::vector{third});
}

TEST(CureEdits, let_processes_begin_again_a_second_later_or_as_soon_as_they_did) {
  for (const Nanos back : {5 * kSecond, kHalf}) {
    const Nanos soon = std::min(back, kSecond);
    EXPECT_EQ(restarted(at_one(Preempt{kThird, back})).faults, at_one(Preempt{kThird, soon}));
    EXPECT_EQ(restarted(at_one(LoseHost{HostId{3u}, back})).faults, at_one(LoseHost{HostId{3u}, soon}));
    EXPECT_EQ(restarted(at_one(LoseRack{{{HostId{3u}}}, back})).faults, at_one(LoseRack{{{HostId{3u}}}, soon}));
  }
  EXPECT_EQ(restarted(at_one(LoseHost{HostId{3u}, {}})).faults, at_one(LoseHost{HostId{3u}, kSecond}));
  EXPECT_EQ(restarted(at_one(LoseRack{{{HostId{3u}}}, {}})).faults, at_one(LoseRack{{{HostId{3u}}}, kSecond}));
  EXPECT_EQ(restarted(at_one(LoseRack{{{HostId{2u}}}, {}})).said,
            "no fault of the scenario leaves it without a process");
  EXPECT_EQ(restarted(at_one(Preempt{kThird, kHalf})).said, "it begins again that soon already");
}

TEST(CureEdits, put_a_restart_behind_a_kill_in_place_of_those_that_the_scenario_has) {
  const Fault killed{kSecond, Kill{kThird}}, later{9 * kSecond, Restart{kThird}}, other{9 * kSecond, Restart{kPs}},
      soon{2 * kSecond, Restart{kThird}};
  EXPECT_THAT(restarted({killed, later, other}).faults, ElementsAre(killed, other, soon));
  const Fault lost{kSecond, LoseHost{HostId{3u}, {}}};
  EXPECT_THAT(restarted({lost, later}).faults, ElementsAre(Fault{kSecond, LoseHost{HostId{3u}, kSecond}}, later));
  const Fault after{Trigger{.task = kThird, .delay = kHalf}, Kill{kThird}};
  EXPECT_THAT(restarted({after}).faults,
              ElementsAre(after, Fault{Trigger{.task = kThird, .delay = kHalf + kSecond}, Restart{kThird}}));
}

TEST(CureEdits, restart_those_that_are_named_or_else_all_that_were_lost) {
  const std::vector<Fault> all{{kSecond, Kill{kSecond1}}, {kSecond, Kill{kThird}}};
  EXPECT_EQ(restarted(all).said, "restart worker 2 within a second");
  EXPECT_EQ(restarted(all, "restart worker 1; look at the host of worker 2").said, "restart worker 1 within a second");
  EXPECT_EQ(restarted(all, "restart worker 1.").said, "restart worker 1 within a second");
  EXPECT_EQ(restarted(all, "restart them").said, "restart worker 2 and worker 1 within a second");
  EXPECT_EQ(restarted(all, "restart worker 20").said, "restart worker 2 and worker 1 within a second");
  EXPECT_EQ(restarted(all, "restart ps 0").said, "no fault of the scenario leaves it without a process");
}

// ---- checkpoints ----

TEST(CureEdits, save_so_often_that_a_run_this_short_has_checkpoints) {
  const auto steps = [](std::int64_t global_step) {
    Told t;
    t.ward.contributions.global_step = global_step;
    return t.says(save_more_often);
  };
  EXPECT_EQ(steps(100), "training.save_steps: 10");
  EXPECT_EQ(steps(20), "training.save_steps: 5");
  EXPECT_EQ(steps(3), "training.save_steps: 1");
  Told back;
  back.outcome.log.add(0, StepBegan{kChief, StepId{1}, Purpose::init});
  for (const std::int64_t step : {0, 28, 4}) back.outcome.log.add(1, ScalarAssigned{kPs, NameId{0u}, StepId{1}, step});
  back.ward.contributions.global_step = 4;
  EXPECT_EQ(back.says(save_more_often), "training.save_steps: 7") << "by the first time that it went back";
}

TEST(CureEdits, save_four_times_as_often_or_a_quarter_as_often) {
  Told t;
  EXPECT_EQ(t.says(save_less_often), "the scenario saves no checkpoints");
  t.s.training.save_steps = 8;
  EXPECT_EQ(t.says(save_more_often), "training.save_steps: 2");
  EXPECT_EQ(t.cured.advice, "save checkpoints four times as often");
  EXPECT_EQ(t.says(save_more_often), "training.save_steps: 1");
  EXPECT_EQ(t.cured.advice, "save checkpoints more often") << "not four times";
  EXPECT_EQ(t.says(save_more_often), "it saves after each step already");
  EXPECT_EQ(t.says(save_less_often), "training.save_steps: 4");
  t.s.training.save_every = 6 * kSecond;
  EXPECT_EQ(t.says(save_more_often), "training.save_every: 1.5s");
  EXPECT_EQ(t.says(save_less_often), "training.save_every: 6s");
  t.s.training.save_every = 2;
  EXPECT_EQ(t.says(save_more_often), "training.save_every: 1e-09s");
}

// ---- gradients and tokens ----

TEST(CureEdits, aggregate_as_many_gradients_fewer_as_workers_are_to_be_restarted) {
  const auto edited = [](const std::string& to_do) {
    Told t;
    t.s.build->plan.replicas = 4;
    t.ward.contributions.workers.resize(4);
    t.ward.contributions.workers[1].task = TaskId{2u};
    t.ward.contributions.workers[2].task = kThird;
    return t.says(aggregate_fewer, to_do, "stuck");
  };
  const std::string key = "build.replicas_to_aggregate: ", fewer = ", or aggregate fewer gradients than there are";
  EXPECT_EQ(edited("restart worker 1 and worker 2" + fewer), key + "2");
  EXPECT_EQ(edited("restart worker 1" + fewer), key + "3");
  EXPECT_EQ(edited("restart ps 0" + fewer), key + "3");
}

TEST(CureEdits, aggregate_a_gradient_fewer_or_one_of_each) {
  const auto edited = [](std::optional<int> replicas, std::size_t train, auto edit, const char* kind = "stuck") {
    Told t;
    t.s.build->plan.replicas = replicas;
    t.ward.contributions.workers.resize(train);
    return t.says(edit, "", kind);
  };
  const std::string key = "build.replicas_to_aggregate: ", already = "it aggregates so many already";
  EXPECT_EQ(edited({}, 3, aggregate_fewer), key + "2");
  EXPECT_EQ(edited(5, 3, aggregate_fewer), key + "2");
  EXPECT_EQ(edited(2, 3, aggregate_fewer), key + "1");
  EXPECT_EQ(edited(1, 3, aggregate_fewer), "there is no worker to spare");
  EXPECT_EQ(edited(5, 3, aggregate_fewer, "no_aggregate"), key + "3");
  EXPECT_EQ(edited({}, 3, aggregate_fewer, "no_aggregate"), key + "2");
  EXPECT_EQ(edited(2, 3, aggregate_fewer, "no_aggregate"), key + "1");
  EXPECT_EQ(edited({}, 3, aggregate_all), already);
  EXPECT_EQ(edited({}, 2, aggregate_all), key + "2");
}

TEST(CureEdits, count_backup_workers_where_the_scenario_does) {
  Told t;
  t.s.build->plan.workers = 5;
  t.s.build->plan.replicas = 4;
  t.s.build->says_backups = true;
  t.ward.contributions.workers.resize(5);
  EXPECT_EQ(t.says(aggregate_fewer, "", "stuck"), "build.backup_workers: 2");
  EXPECT_EQ(t.says(aggregate_all, "", "backup"), "build.backup_workers: 0");
}

TEST(CureEdits, give_as_many_tokens_as_the_error_asks_for_or_none) {
  Told t;
  EXPECT_EQ(t.says(start_without_tokens), "there are none");
  t.ward.contributions.initial_tokens = {0};
  EXPECT_EQ(t.says(start_without_tokens), "training.num_tokens: 0");
  EXPECT_EQ(t.says(enough_tokens, "give at least 16 initial tokens"), "build.num_tokens: 16");
  EXPECT_EQ(t.s.build->plan.num_tokens, 16);
  EXPECT_EQ(t.s.training.num_tokens, std::nullopt) << "it would replace them";
  EXPECT_EQ(t.says(enough_tokens, "give enough"), "it does not say how many");
  t.s.build.reset();
  EXPECT_EQ(t.says(enough_tokens, "give at least 16 initial tokens"), "training.num_tokens: 16");
  EXPECT_EQ(t.s.training.num_tokens, 16);
}

TEST(CureEdits, run_a_fifth_longer_than_the_first_aggregate_takes_but_no_hundred_times_as_long) {
  Told t;
  EXPECT_EQ(t.says(run_longer), "no gradient came");
  t.ward.contributions.accumulators = {{.left = {0, 0}, .required = 9}};
  t.outcome.log.ended_at = 10 * kSecond;
  EXPECT_EQ(t.says(run_longer), "stop.time: 1000s") << "until one is complete, whenever that is";
  EXPECT_EQ(t.s.stop.aggregates, 1);
  t.ward.contributions.accumulators[0] = {.left = {1, 0}, .required = 0};
  EXPECT_EQ(t.says(run_longer), "stop.time: 1000s") << "nobody has asked for one yet";
  t.ward.contributions.accumulators[0] = {.left = {1, 2}, .required = 9};
  t.s.stop.steps = 5;
  EXPECT_EQ(t.says(run_longer), "stop.time: 36s");
  EXPECT_EQ(t.s.stop, (StopSpec{.aggregates = 1, .time = 36 * kSecond}));
  EXPECT_TRUE(t.cured.to_its_end);
  t.ward.contributions.accumulators[0].required = 249;
  EXPECT_EQ(t.says(run_longer), "stop.time: 996s");
  t.ward.contributions.accumulators[0].required = 1000;
  EXPECT_EQ(t.says(run_longer), "it would have to run for 400 times as long");
}

// ---- who trains, and where ----

TEST(CureEdits, let_all_train_to_the_end) {
  const std::string why = "no key and no fault of the scenario makes a worker leave before the others",
                    keys = "training.workers.T.steps, training.workers.T.global_step; feeds.files; faults";
  EXPECT_EQ(Told().says(train_on), why);
  Told steps, global, leaves, data;
  steps.s.training.workers[kThird].steps = 5;
  global.s.training.workers[kChief].global_step = 5;
  leaves.s.faults = {{kSecond, Leave{kThird}}, {kSecond, Kill{kThird}}};
  EXPECT_EQ(steps.says(train_on), keys);
  EXPECT_EQ(steps.s.training.workers[kThird].steps, std::nullopt);
  EXPECT_EQ(global.says(train_on), keys);
  EXPECT_EQ(global.s.training.workers[kChief].global_step, std::nullopt);
  EXPECT_EQ(leaves.says(train_on), keys);
  EXPECT_EQ(leaves.s.faults, at_one(Kill{kThird}));
  data.s.input_files = {{{.name = "a", .task = kThird, .records = 1}, "", {}},
                        {{.name = "b", .task = kChief, .records = 9}, "", {}}};
  EXPECT_EQ(data.says(train_on), keys);
  ASSERT_EQ(data.s.input_files.size(), 1U);
  EXPECT_EQ(data.s.input_files[0].file.records, 9);
  EXPECT_FALSE(data.s.input_files[0].file.task.valid());
  EXPECT_EQ(data.s.input_files[0].file.name, "*");
}
TEST(CureEdits, let_readers_find_a_file_whose_path_is_written_from_the_scenario_s_folder) {
  const auto key = [](const char* scenario, const char* from) {
    Told t;
    t.s.file = scenario;
    t.s.input_files = {{{.name = "a"}, from, {}}};
    return t.says(find_files);
  };
  EXPECT_EQ(key("job/s.yaml", "job/sub/x.csv"), "feeds.files[]: {name: '*', from: sub/x.csv}");
  EXPECT_EQ(key("s.yaml", "sub/x.csv"), "feeds.files[]: {name: '*', from: sub/x.csv}");
  EXPECT_EQ(key("job/s.yaml", "/data/x.csv"), "feeds.files[]: {name: '*', from: /data/x.csv}");
}

TEST(CureEdits, let_training_stop_at_as_many_global_steps_as_all_workers_would_make) {
  EXPECT_EQ(Told().says(stop_at_global_step), "the scenario does not stop at so many steps of each worker");
  const auto stops_at = [](std::int64_t steps, std::optional<Protocol> protocol, int required = 0) {
    Told t;
    t.job.clients.resize(3), t.s.stop.steps = steps, t.s.build.reset();
    if (protocol) t.s.build.emplace().plan = {.protocol = *protocol, .workers = 3};
    if (protocol && required > 0) t.s.build->plan.replicas = required;
    if (!protocol && required > 0) t.ward.contributions.accumulators = {{.required = required}};
    const std::string says = t.says(stop_at_global_step);
    EXPECT_EQ(says, fmt::format("stop.global_step: {}; stop.steps: ~", t.s.stop.global_step.value_or(0)));
    EXPECT_EQ(t.s.stop.steps, std::nullopt);
    return t.s.stop.global_step.value();
  };
  EXPECT_EQ(stops_at(40, Protocol::synchronous), 40);
  EXPECT_EQ(stops_at(40, Protocol::synchronous, 2), 40) << "with a backup worker";
  EXPECT_EQ(stops_at(40, Protocol::synchronous, 6), 20) << "each worker brings two gradients of six";
  EXPECT_EQ(stops_at(1, Protocol::synchronous, 6), 1);
  EXPECT_EQ(stops_at(40, Protocol::asynchronous), 120);
  EXPECT_EQ(stops_at(40, {}), 120) << "of programs without accumulators";
  EXPECT_EQ(stops_at(40, {}, 3), 40);
  EXPECT_EQ(stops_at(40, {}, 6), 20);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(stops_at(9'000'000'000'000'000'000, Protocol::asynchronous), kMost);
  EXPECT_EQ(stops_at(kMost, Protocol::synchronous), kMost);
}
TEST(CureEdits, let_files_never_end) {
  EXPECT_EQ(Told().says(endless_files), "the scenario says nothing of files");
  Told t;
  t.s.input_files = {{{.name = "a", .records = 9}, "", {}}};
  EXPECT_EQ(t.says(endless_files), "feeds.files: []");
  EXPECT_TRUE(t.s.input_files.empty());
}

TEST(CureEdits, take_workers_out_and_let_missing_ones_in) {
  Told t;
  EXPECT_EQ(t.says(start_missing), "the cluster has no task for it");
  EXPECT_EQ(t.says(take_out), "training.workers.worker/2.absent: true");
  EXPECT_EQ(t.cured.advice, "take worker 2 out");
  EXPECT_TRUE(t.s.training.workers[kThird].absent);
  EXPECT_FALSE(t.s.training.workers[kChief].absent);
  EXPECT_EQ(t.says(start_missing), "training.workers.T.absent");
  EXPECT_FALSE(t.s.training.workers[kThird].absent);
  t.ward.contributions.workers.pop_back();
  EXPECT_EQ(t.says(take_out), "it names no worker") << "worker 2 never trained";
  EXPECT_EQ(t.says(plan_for_those), "build.workers: 2, and 2 of the workers in cluster.tasks");
  EXPECT_EQ(t.s.build->plan.workers, 2);
}

TEST(CureEdits, give_servers_hosts_of_their_own_or_put_one_beside_each_worker) {
  Told t;
  EXPECT_EQ(t.says(put_servers_apart), "no parameter server shares a host with a worker");
  t.s.cluster.tasks[0].host = HostId{1u};
  EXPECT_EQ(t.says(put_servers_apart), "cluster.hosts and cluster.tasks");
  EXPECT_EQ(t.s.cluster.tasks[0].host, HostId{4u});
  Told beside;
  beside.s.cluster.tasks[0].host = HostId{2u};
  EXPECT_EQ(beside.says(put_servers_beside), "cluster.tasks and build.ps");
  ASSERT_EQ(beside.s.cluster.tasks.size(), 6u);
  EXPECT_EQ(beside.s.cluster.tasks[4].name, "/job:ps/replica:0/task:1");
  EXPECT_EQ(beside.s.cluster.tasks[4].host, HostId{1u});
  EXPECT_EQ(beside.s.cluster.tasks[5].host, HostId{3u}) << "host1 has one already";
  EXPECT_EQ(beside.s.build->plan.ps, 3);
  beside.s.build->plan.protocol = Protocol::handwritten;
  EXPECT_EQ(beside.says(put_servers_beside), "its graph has its servers in it");
  t.s.cluster.tasks.erase(t.s.cluster.tasks.begin());
  EXPECT_EQ(t.says(put_servers_beside), "its graph has its servers in it");
}

TEST(CureEdits, of_other_keys_say_them_or_that_the_scenario_has_it_so) {
  Told t;
  EXPECT_EQ(t.says(start_sync_thread), "the scenario starts it already");
  t.s.training.sync_thread = false;
  EXPECT_EQ(t.says(start_sync_thread), "training.sync_thread: true");
  EXPECT_TRUE(t.s.training.sync_thread);
  EXPECT_EQ(t.says(fetch_nothing_more), "it is the graph itself that does");
  t.s.training.workers[kChief].also = {"op"};
  EXPECT_EQ(t.says(fetch_nothing_more), "training.workers.T.also");
  EXPECT_TRUE(t.s.training.workers[kChief].also.empty());
  t.s.cluster.tasks[1].gpus = {{.memory_bytes = 5}, {.memory_bytes = 6}};
  EXPECT_EQ(t.says(more_memory), "cluster.devices.gpu.memory; cluster.tasks.T.gpu_memory");
  EXPECT_EQ(t.s.cluster.tasks[1].gpus, std::vector<GpuSpec>(2));
  t.s.build.reset();
  for (const auto edit : {aggregate_fewer, aggregate_all, put_servers_beside, plan_for_those})
    EXPECT_EQ(t.says(edit), "only a job that `build` makes can have it");
}

}  // namespace
}  // namespace tarry
