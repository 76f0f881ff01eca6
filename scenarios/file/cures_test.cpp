#include "scenarios/file/cures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "results/to_do.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- the table, beside what the verdicts say ----

// The source of a verdict, its literals joined to one text.
std::string source_of(const std::filesystem::path& file) {
  static const std::regex kSeam("\"\\s*\"");
  return std::regex_replace(*read_file(file.string()), kSeam, "");
}

std::vector<std::string> sources_of_verdicts() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(TARRY_SOURCE_DIR "/results/verdicts"))
    all.push_back(source_of(entry.path()));
  return all;
}

TEST(Cures, know_no_advice_that_no_verdict_gives) {
  const std::vector<std::string> sources = sources_of_verdicts();
  for (const std::string_view words : known_advice())
    EXPECT_TRUE(std::ranges::any_of(sources, [&](const std::string& s) { return s.find(words) != s.npos; })) << words;
}

TEST(Cures, know_advice_of_every_verdict_that_says_what_to_do) {
  for (const std::string& source : sources_of_verdicts()) {
    if (source.find(kToDo) == source.npos || source.find("cure_of(e") != source.npos) continue;
    const std::vector<std::string_view> known = known_advice();
    EXPECT_TRUE(std::ranges::any_of(known, [&](std::string_view w) { return source.find(w) != source.npos; }))
        << source.substr(0, 400);
  }
}

// ---- cures of jobs ----

std::vector<Cure> cures(const RanCase& c, const Verdict& v) {
  return cures_of({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
}
std::vector<std::string> advice(const std::vector<Cure>& all) {
  std::vector<std::string> out;
  for (const Cure& c : all) out.push_back(c.advice);
  return out;
}

TEST(Cures, are_told_in_the_order_of_the_text_and_those_that_cannot_be_tried_say_why) {
  const auto all =
      cures(ran_case(kSyncBuild + "faults: [{at: 2s, kill: worker/2}]\nstop: {time: 4s}"), kStuckByWorker2);
  EXPECT_THAT(advice(all), ElementsAre("restart worker 2 within a second", "aggregate fewer gradients",
                                       "watch the time since the last aggregate"));
  EXPECT_TRUE(all[0].cured && all[1].cured && !all[2].cured);
  EXPECT_EQ(all[1].cured->keys, "build.replicas_to_aggregate: 2");
  EXPECT_THAT(all[2].why_not, HasSubstr("mends nothing"));
}

TEST(Cures, of_a_process_that_was_killed_is_a_new_one_a_second_later) {
  const auto faults_of = [](const std::string& faults) {
    const auto all = cures(ran_case(kSyncBuild + "faults: [" + faults + "]\nstop: {time: 12s}"), kStuckByWorker2);
    return all[0].cured ? all[0].cured->job.faults : std::vector<Fault>();
  };
  const TaskId worker2{3u};
  const std::vector<Fault> wanted{{2 * kSecond, Kill{worker2}}, {3 * kSecond, Restart{worker2}}};
  EXPECT_EQ(faults_of("{at: 2s, kill: worker/2}"), wanted);
  EXPECT_EQ(faults_of("{at: 2s, kill: worker/2}, {at: 9s, restart: worker/2}"), wanted);
  EXPECT_THAT(faults_of("{at: 2s, kill: worker/2}, {at: 3s, restart: worker/2}"), IsEmpty());
  EXPECT_THAT(faults_of("{at: 2s, kill: worker/1}"), IsEmpty());
  EXPECT_EQ(faults_of("{at: 2s, preempt: {task: worker/2, back_after: 5s}}"),
            (std::vector<Fault>{{2 * kSecond, Preempt{worker2, kSecond}}}));
  EXPECT_EQ(faults_of("{at: 2s, lose_host: {host: host2}}"),
            (std::vector<Fault>{{2 * kSecond, LoseHost{HostId{3u}, kSecond}}}));
  EXPECT_THAT(faults_of("{at: 2s, lose_host: {host: host1}}"), IsEmpty());
  const auto after = faults_of("{after: {pushed: worker/2, count: 3, delay: 1ms}, kill: worker/2}");
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(std::get<Trigger>(after[1].when).delay, kSecond + 1'000'000);
}

TEST(Cures, of_one_fault_of_several_are_found_beside_the_job_without_any) {
  const std::string faults =
      "faults: [{at: 1s, part: {between: [host1, server], lasts: 1s}}, {at: 1s, part: {between: [host2, server], "
      "lasts: "
      "1s}}]\n";
  const auto all = cures(ran_case(kSyncBuild + faults + "stop: {time: 4s}"),
                         {"stalled", "host1 and server are parted. To do: join host1 and server again."});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].cured) << all[0].why_not;
}

TEST(Cures, of_what_slows_a_worker_leave_the_faults_of_others) {
  const RanCase c =
      ran_case(kSyncBuild +
               "faults: [{at: 1s, slow: {task: worker/1, percent: 500, lasts: 1s}}, {at: 2500ms, slow: {task: "
               "worker/2, percent: 500, lasts: 1s}}]\nstop: {time: 4s}");
  const auto faults_left = [&](const std::string& proof) {
    const auto all = cures(c, {"slowed", "The kernels of worker 1 were slow. Run again " + proof +
                                             " (same seed). To do: look at what else runs on the host of worker 1."});
    return all.at(0).cured ? all[0].cured->job.faults.size() : 9u;
  };
  EXPECT_EQ(faults_left("without the faults of worker 1"), 1u);
  EXPECT_EQ(faults_left("without any fault"), 0u);
}

TEST(Cures, that_a_job_cannot_have_say_why) {
  const auto why = [](const std::string& rest, const Verdict& v) { return cures(ran_case(rest), v)[0].why_not; };
  const std::string programs = "programs: [{task: worker/0, graph: softmax_async_ps1_task0}]\nstop: {steps: 2}";
  EXPECT_THAT(why(programs, {"stuck", "To do: have a backup worker"}), HasSubstr("only a job that `build` makes"));
  EXPECT_THAT(why(programs, {"uneven", "To do: start without initial tokens"}), "there are none");
  EXPECT_THAT(why(programs, {"stuck", "To do: start the workers that are missing"}), HasSubstr("has no task for it"));
  EXPECT_THAT(why(programs, {"stuck", "To do: have the chief start the queue runner"}), HasSubstr("already"));
  EXPECT_THAT(why(programs, {"slow_card", "To do: replace it"}), HasSubstr("nothing of that kind"));
  EXPECT_THAT(why(kSyncBuild + "stop: {time: 1s}", {"starved", "To do: aggregate more gradients"}),
              HasSubstr("already"));
}

CuredJob cured(const std::string& rest, const std::string& to_do) {
  const auto all = cures(ran_case(rest + "stop: {time: 1s}"), {"stuck", "worker 2 pushed late. To do: " + to_do});
  EXPECT_TRUE(all.at(0).cured) << to_do << ": " << all[0].why_not;
  return *all[0].cured;
}
const TrainOptions& chief_of(const CuredJob& c) { return c.job.clients[0].options; }

TEST(Cures, save_more_or_less_often) {
  EXPECT_EQ(chief_of(cured(kSyncBuild, "save checkpoints")).save_steps, 10);
  EXPECT_EQ(chief_of(cured(kSyncBuild + "training: {save_steps: 8}\n", "save checkpoints")).save_steps, 2);
  EXPECT_EQ(chief_of(cured(kSyncBuild + "training: {save_every: 8s}\n", "save less often")).save_every, 32 * kSecond);
}

TEST(Cures, of_a_process_that_is_to_begin_anew_with_checkpoints_try_both_together) {
  const auto all = cures(ran_case(kSyncBuild + "faults: [{at: 100ms, kill: worker/0}]\nstop: {time: 1s}"),
                         {"stuck", "To do: restart worker 0, the chief, and save checkpoints."});
  std::string said;
  for (const Cure& c : all) said += c.advice + "\n";
  EXPECT_EQ(said,
            "restart worker 0 within a second\nrestart worker 0 within a second, and save checkpoints\n"
            "save checkpoints\n");
  ASSERT_TRUE(all.at(1).cured);
  EXPECT_TRUE(chief_of(*all[1].cured).save_steps);
  EXPECT_EQ(all[1].cured->job.faults.size(), 2u);
  EXPECT_THAT(all[1].cured->keys, testing::EndsWith("; faults"));
}

TEST(Cures, change_how_the_job_trains) {
  EXPECT_EQ(chief_of(cured(kSyncBuild, "start without initial tokens")).num_tokens, 0);
  EXPECT_TRUE(chief_of(cured(kSyncBuild + "training: {sync_thread: false}\n", "start the queue runner")).sync_thread);
  const std::string leaves = "training: {workers: {worker/2: {steps: 2}}}\n";
  EXPECT_EQ(cured(kSyncBuild + leaves, "let worker 2 train as long as the others").job.clients[2].options.steps,
            std::nullopt);
}

TEST(Cures, change_who_trains_and_who_serves) {
  EXPECT_EQ(cured(kSyncBuild, "take the worker out").job.clients.size(), 2u);
  const auto several =
      cures(ran_case(kSyncBuild + "stop: {time: 1s}"),
            {"starved", "6 gradients that worker 1 and worker 2 pushed to v. To do: take the workers out"});
  EXPECT_EQ(several.at(0).cured->job.clients.size(), 1u) << several[0].why_not;
  EXPECT_EQ(several[0].advice, "take worker 1 and worker 2 out");
  const std::string absent = "training: {workers: {worker/2: {absent: true}}}\n";
  EXPECT_EQ(cured(kSyncBuild + absent, "start it").job.clients.size(), 3u);
  const CuredJob beside = cured(kSyncBuild, "or one beside each");
  EXPECT_EQ(beside.job.cluster.tasks.size(), 7u);
  EXPECT_EQ(beside.job.cluster.tasks.back().host, HostId{3u});
}

TEST(Cures, before_the_first_aggregate_are_a_longer_run_and_fewer_gradients) {
  const RanCase c =
      ran_case("build: {graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: 9}\nstop: {time: 25ms}");
  const auto all = cures(c, {"no_aggregate", "To do: let it run longer, or aggregate fewer gradients"});
  ASSERT_EQ(all.size(), 2u);
  ASSERT_TRUE(all[0].cured && all[1].cured) << all[0].why_not << all[1].why_not;
  EXPECT_TRUE(all[0].cured->to_its_end);
  EXPECT_EQ(all[0].cured->job.stop.aggregates, 1);
  EXPECT_EQ(all[1].cured->keys, "build.replicas_to_aggregate: 3");
}

TEST(Cures, restart_each_worker_that_the_advice_names) {
  const RanCase c = ran_case(kSyncBuild +
                             "faults: [{at: 1s, kill: worker/1}, {at: 1s, kill: worker/2}, {at: 1s, kill: ps/0}]\n"
                             "stop: {time: 4s}");
  const auto advice = [&](const std::string& to_do) {
    return cures(c, {"stuck", "To do: restart " + to_do})[0].advice;
  };
  EXPECT_EQ(advice("worker 1 and worker 2, or aggregate fewer"), "restart worker 1 and worker 2 within a second");
  EXPECT_EQ(advice("worker 1, ps 0 and worker 2; watch"), "restart worker 1 and ps 0 and worker 2 within a second");
  EXPECT_EQ(advice("worker 1, or worker 2"), "restart worker 1 within a second");
}

TEST(Cures, of_waits_in_create_session_are_device_filters) {
  const std::string to_do = "set device_filters, so that no session waits for another worker";
  const CuredJob filtered = cured(kSyncBuild + "training: {device_filters: false}\n", to_do);
  EXPECT_EQ(filtered.keys, "training.device_filters: true");
  EXPECT_FALSE(chief_of(filtered).session.device_filters.empty());
  EXPECT_EQ(cures(ran_case(kSyncBuild + "stop: {time: 1s}"), {"stuck", "To do: " + to_do})[0].why_not,
            "the scenario has them already");
}

TEST(Cures, build_the_graph_for_as_many_workers_as_train_whoever_was_absent) {
  const CuredJob c =
      cured(kSyncBuild + "training: {workers: {worker/1: {absent: true}}}\n", "build the graph for 2 workers");
  EXPECT_EQ(c.keys, "build.workers: 2, and 2 of the workers in cluster.tasks");
  ASSERT_EQ(c.job.clients.size(), 2u);
  EXPECT_EQ(c.job.clients[1].task, TaskId{2u}) << "worker/1";
}

TEST(Cures, of_a_host_that_others_use_take_these_away) {
  const RanCase c =
      ran_case(kSyncBuild + "interference: [{host: host2, every: 100ms, lasts: 50ms, percent: 900}]\nstop: {time: 1s}");
  const auto all = cures(c, {"straggler", "host2 is what the others wait for. To do: look at what else it does."});
  ASSERT_TRUE(all.at(0).cured) << all[0].why_not;
  EXPECT_TRUE(all[0].cured->job.costs.interference.empty());
}

TEST(Cures, of_hosts_that_others_use_take_away_what_the_verdict_tells) {
  const auto one = [](int h) { return fmt::format("{{host: host{}, every: 100ms, lasts: 50ms, percent: 900}}", h); };
  const RanCase c =
      ran_case(kSyncBuild + fmt::format("interference: [{}, {}, {}]\nstop: {{time: 1s}}", one(0), one(1), one(2)));
  const auto told = [](int h) {
    return fmt::format("again and again the kernels on host{0} (worker {0}) take 900 % of their usual time", h);
  };
  const auto all =
      cures(c, {"straggler", told(1) + "; " + told(2) + ". To do: look at what else goes on there, or some more."});
  ASSERT_TRUE(all.at(0).cured) << all[0].why_not;
  EXPECT_EQ(all[0].cured->job.costs.interference.size(), 1u);
}

TEST(Cures, of_a_parameter_server_that_is_far_from_all_bring_it_near) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nstop: {aggregates: 5}",
      "title: t\ncluster:\n  hosts: [a, b, c, d]\n  tasks: {ps/0: a, ps/1: b, worker/0: c, worker/1: d}\n  network: "
      "{latency: 1ms, links: [{between: [a, b], latency: 9ms}, {between: [a, c], latency: 9ms}, {between: [a, d], "
      "latency: 9ms}]}\n");
  const auto all = cures(c, {"far", "It costs time that messages to a (ps 0) take 9 ms. To do: bring it nearer."});
  ASSERT_TRUE(all.at(0).cured) << all[0].why_not;
  EXPECT_EQ(path_between(all[0].cured->job.cluster, HostId{0u}, HostId{1u}).latency, 1'000'000);
}

TEST(Cures, of_all_workers_are_about_none_of_them) {
  const RanCase c = ran_case(kSyncBuild + "faults: [{at: 0s, slow: {task: worker/2, percent: 300}}]\nstop: {time: 2s}");
  const auto about = [&](const std::string& to_do) {
    const auto all = cures(c, {"k", "worker 2 is slow. To do: " + to_do});
    EXPECT_TRUE(all.at(0).cured) << all[0].why_not;
    return all[0].cured ? all[0].cured->about : std::vector<std::string>{"?"};
  };
  EXPECT_THAT(about("make their steps equally long."), IsEmpty());
  EXPECT_THAT(about("look at what else its host does."), ElementsAre("worker 2"));
}

TEST(Cures, of_one_busy_server_of_two_leave_the_other_one_as_it_is) {
  const RanCase c = ran_case(
      "costs: [{job: ps, op: MatMul, time: 20ms}, {job: ps, op: Apply*, time: 20ms}]\nbuild: {graph: "
      "softmax_async_ps2_task0, protocol: async}\nstop: {steps: 5}",
      "title: t\ncluster:\n  hosts: [a, b, c, d]\n  tasks: {ps/0: a, ps/1: b, worker/0: c, worker/1: d}\n"
      "  network: {latency: 1ms}\n");
  const auto rules_of = [&](const std::string& text) {
    const auto all = cures(c, {"busy_server", text + " To do: look at what keeps it busy."});
    std::set<std::string> tasks;
    for (const CostRule& r : all.at(0).cured ? all[0].cured->job.costs.rules : std::vector<CostRule>())
      tasks.insert(short_task(r.task));
    return join(std::vector(tasks.begin(), tasks.end()), " ");
  };
  EXPECT_EQ(rules_of("The workers wait for ps 1."), " ps/1");
  EXPECT_EQ(rules_of("Run again with kernels on the parameter servers that take no time (same seed)."), " ps/0 ps/1");
}

TEST(Cures, of_an_asynchronous_run_that_no_step_ended_let_it_run_until_one_does) {
  const RanCase c = ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {time: 10ms}");
  const auto all = cures(c, {"not_started", "To do: let it run longer."});
  ASSERT_TRUE(all.at(0).cured) << all[0].why_not;
  EXPECT_EQ(all[0].cured->advice, "let it run until the first step should have ended");
  EXPECT_EQ(all[0].cured->keys, "stop.time: 0.0288s");
  EXPECT_EQ(all[0].cured->job.stop.time, 28'800'000);
}

}  // namespace
}  // namespace tarry
