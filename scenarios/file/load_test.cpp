#include "scenarios/file/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/core/folder_test.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/raw.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kSmall = R"(title: a small job
seed: 7
cluster:
  hosts: [h0, {name: h1, nic: 1Gbps}]
  tasks: {/job:ps/task:0: h0, /job:worker/task:0: {host: h1, gpus: 2, gpu_memory: 8GiB, inter_op_threads: 4}}
  network: {latency: 1s, bandwidth: unlimited, same_host: free, )"
                                    R"(links: [{between: [h0, h1], latency: 500ms}], nic: 10Gbps}
programs:
  - {task: /job:worker/task:0, graph: softmax_async_ps1_task0}
feeds: {batch: 100, shapes: {"x:0": [100, 784]}}
costs:
  - {node: softmax/MatMul, time: 200ms}
  - {op: Conv2D, device: gpu, job: worker, time: {normal: {mean: 5ms, sd: 1ms}}}
  - {task: /job:worker/task:0, executions: [2, 4], times: [1s, 2s]}
training:
  start: natural
  num_tokens: 0
  queue_runner: old
  values_up_to: all
  workers: {/job:worker/task:0: {start_after: 6s}}
stop: {steps: 5}
expect: {verdicts: [fair]}
)";

std::string refusal(std::string_view text) { return std::string(text_of(parse_scenario(text, "s.yaml").status())); }

// The small scenario with one piece of text exchanged.
std::string with(std::string_view old, std::string_view replacement) {
  std::string text(kSmall);
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), replacement);
}

constexpr std::uint64_t kGiga = 1'000'000'000;

TEST(Load, devices_of_all_tasks_have_rates_and_a_task_may_have_its_own) {
  const auto s = parse_scenario(with("  network:",
                                     "  devices: {cpu: {flops: 40Gflop/s, memory_bandwidth: 10GB/s}, gpu: {flops: "
                                     "9Tflop/s, launch: 5us, copy_bandwidth: 12GB/s, memory: 16GiB}}\n  network:"),
                                "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  const TaskSpec &ps = s->cluster.tasks[0], &worker = s->cluster.tasks[1];
  EXPECT_EQ(ps.cpu, (DeviceRates{.flops = 40 * kGiga, .bandwidth = 10 * kGiga, .launch = 0}));
  EXPECT_EQ(worker.cpu, ps.cpu);
  EXPECT_EQ(worker.gpus.at(1), (GpuSpec{std::uint64_t{8} << 30,
                                        {.flops = 9'000 * kGiga, .bandwidth = 0, .launch = 5'000},
                                        12 * kGiga}));  // gpu_memory is the task's own
  const auto own = parse_scenario(with("gpu_memory: 8GiB", "gpu: {flops: 1Tflop/s}, cpu: {launch: 1us}"), "s.yaml");
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->cluster.tasks[1].gpus.at(0), (GpuSpec{0, {.flops = 1'000 * kGiga, .bandwidth = 0, .launch = 0}, 0}));
  EXPECT_EQ(own->cluster.tasks[1].cpu.launch, 1'000);
}

TEST(Load, without_rates_and_memory_nothing_is_known_or_counted) {
  const auto s = parse_scenario(with(", gpu_memory: 8GiB", ""), "s.yaml");
  EXPECT_EQ(s->cluster.tasks[1].gpus.at(0), GpuSpec{});
  EXPECT_FALSE(s->cluster.tasks[1].cpu.is_known());
}

TEST(Load, measured_files_are_the_scenario_folders) {
  const auto s = parse_scenario(with("stop:", "measured: [times.pb]\nstop:"), "folder/s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->measured, std::vector<std::string>{"folder/times.pb"});
  const auto job =
      make_job(*s, {.graphs_folder = TARRY_SOURCE_DIR "/scenarios/graphs", .keep_kernels = false, .seed = {}});
  EXPECT_EQ(text_of(job.status()), "folder/s.yaml:20:12: measured: folder/times.pb: no such file");
}

TEST(Load, a_speed_without_a_unit_is_refused_where_it_stands) {
  EXPECT_THAT(refusal(with("gpu_memory: 8GiB", "gpu: {flops: 9}")),
              HasSubstr("'9' has no unit; a speed needs one of Pflop/s"));
  EXPECT_THAT(refusal(with("gpu_memory: 8GiB", "gpu: {flop: 9Tflop/s}")), HasSubstr("unknown key 'flop' in gpu"));
}

TEST(Load, a_scenario_reads_as_it_is_written) {
  const auto s = parse_scenario(kSmall, "folder/s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->title, "a small job");
  EXPECT_EQ(s->seed, 7u);
  EXPECT_EQ(s->cluster.hosts, (std::vector<HostSpec>{{"h0", 1'250'000'000}, {"h1", 125'000'000}}));
  EXPECT_EQ(s->cluster.tasks[1], (TaskSpec{"/job:worker/replica:0/task:0", HostId{1u}, 4,
                                           std::vector<GpuSpec>(2, GpuSpec{std::uint64_t{8} << 30})}));
  EXPECT_EQ(s->cluster.network.links, (std::vector<LinkSpec>{{HostId{0u}, HostId{1u}, {.latency = 500'000'000}}}));
  EXPECT_EQ(s->programs,
            (std::vector<ProgramSpec>{{TaskId{1u}, "softmax_async_ps1_task0", "/job:worker/replica:0/task:0"}}));
  EXPECT_EQ(s->feeds.batch, 100);
  EXPECT_EQ(s->feeds.shapes.at("x:0"), Shape({100, 784}));
  EXPECT_EQ(s->stop, StopSpec{.steps = 5});
  EXPECT_EQ(s->expect.verdicts, std::vector<std::string>{"fair"});
}

TEST(Load, costs_keep_their_order_and_their_laws) {
  const auto s = parse_scenario(kSmall, "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  const CostRule expected[] = {
      {.node = "softmax/MatMul", .amount = Constant{200'000'000}},
      {.op = "Conv2D", .device_type = "GPU", .job = "worker", .amount = Normal{5'000'000, 1'000'000}},
      {.task = "/job:worker/replica:0/task:0",
       .first_execution = 2,
       .last_execution = 4,
       .amount = Listed{{1'000'000'000, 2'000'000'000}}}};
  EXPECT_THAT(s->costs.rules, testing::ElementsAreArray(expected));
}

// ---- faults ----

std::string with_faults(std::string_view faults) {
  return std::string(kSmall) + "faults: " + std::string(faults) + "\n";
}

TEST(Load, faults_are_values_in_the_files_order) {
  const auto s = parse_scenario(
      with_faults("[{at: 2s, kill: worker/0}, {at: 5s, restart: /job:worker/task:0}, {at: 6s, disconnect: [worker/0, "
                  "ps/0]}, {at: 6s, resend: [worker/0, ps/0]}, {at: 7s, slow: {task: ps/0, percent: 300, lasts: 1s}},"
                  "{at: 8s, delay: {between: [h0, h1], latency: 2s}}, {after: {token_taken: worker/0, count: 3, delay: "
                  "10ms}, part: {between: [h1, h0], lasts: 4s}}]"),
      "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  const TaskId ps{0u}, worker{1u};
  const HostId h0{0u}, h1{1u};
  const Fault expected[] = {{2 * kSecond, Kill{worker}},
                            {5 * kSecond, Restart{worker}},
                            {6 * kSecond, Disconnect{worker, ps}},
                            {6 * kSecond, Resend{worker, ps}},
                            {7 * kSecond, Slow{ps, {300}, kSecond}},
                            {8 * kSecond, Delay{{h0, h1}, 2 * kSecond, {}}},
                            {Trigger{Moment::token_taken, worker, 3, kSecond / 100}, Part{{h1, h0}, 4 * kSecond}}};
  EXPECT_THAT(s->faults, testing::ElementsAreArray(expected));
}

TEST(Load, a_fault_that_says_too_little_or_too_much_is_refused) {
  EXPECT_THAT(refusal(with_faults("[{kill: worker/0}]")), HasSubstr("a fault needs either 'at' or 'after'"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s}]")), HasSubstr("a fault is one of kill, restart"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, kill: worker/0, restart: worker/0}]")), HasSubstr("a fault is one of"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, kill: worker/7}]")),
              HasSubstr("unknown task 'worker/7'; the job worker has worker/0"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, disconnect: [worker/0]}]")), HasSubstr("disconnect names two tasks"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, part: {between: [h0]}}]")), HasSubstr("'between' names two hosts"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, disconnect: [worker/0, worker/0]}]")), HasSubstr("names one task twice"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, resend: [worker/0, worker/0]}]")),
              HasSubstr("resend names one task twice"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, delay: {between: [h1, h1], latency: 1s}}]")),
              HasSubstr("names one host twice"));
  EXPECT_THAT(refusal(with_faults("[{after: {pushed: ps/0}, kill: worker/0}]")),
              HasSubstr("a task that runs no program"));
  EXPECT_THAT(refusal(with_faults("[{after: {count: 2}, kill: worker/0}]")),
              HasSubstr("names one of pushed, token_taken"));
  EXPECT_THAT(refusal(with_faults("[{at: 1s, kil: worker/0}]")), HasSubstr("unknown key 'kil'"));
}

TEST(Load, training_says_what_differs_from_the_default) {
  const auto s = parse_scenario(kSmall, "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->training.start, Start::natural);
  EXPECT_EQ(s->training.num_tokens, 0);
  EXPECT_EQ(s->training.queue_runner, QueueRunnerEra::closes_dummy_queue);
  EXPECT_EQ(s->training.values_up_to, kEverything);
  EXPECT_EQ(s->training.workers.at(TaskId{1u}).start_after, 6'000'000'000);
  EXPECT_FALSE(s->training.soft_placement);
  EXPECT_TRUE(s->training.device_filters);
}

TEST(Load, a_graph_by_path_is_looked_for_beside_the_scenario) {
  for (const char* mine : {"mine.pb", "mine.pbtxt", "mine.pb.zst", "graphs/mine"})
    EXPECT_EQ(parse_scenario(with("softmax_async_ps1_task0", mine), "some/folder/s.yaml")->programs[0].graph,
              fmt::format("some/folder/{}", mine));
}

struct Refusal {
  const char *old_text, *new_text, *message;
};
constexpr Refusal kRefusals[] = {
    {"latency: 1s", "latancy: 1s", "s.yaml:6:13: unknown key 'latancy' in network; did you mean 'latency'?"},
    {"seed: 7", "zzzzzzzz: 7",
     "s.yaml:2:1: unknown key 'zzzzzzzz' in the scenario; expected one of title, seed, cluster"},
    {"latency: 1s", "latency: 1", "s.yaml:6:22: '1' has no unit; a time needs one of h, min, s, ms, us, ns"},
    {"latency: 1s", "latency: -1s", "s.yaml:6:22: '-1s': a time cannot be negative"},
    {"latency: 1s", "latency: 1Gbps", "unknown unit 'Gbps'; a time needs one of"},
    {"latency: 1s", "latency: [1s]", "s.yaml:6:22: expected a time such as 200ms, found a list"},
    {"latency: 1s", "latency: 1s, latency: 2s", "key 'latency' appears twice in network"},
    {"seed: 7", "seed: -7", "expected a whole number of at least 0, found '-7'"},
    {"seed: 7", "seed: 9223372036854775808", "expected a whole number from 0 to 9223372036854775807, found"},
    {"seed: 7", "seed: {}", "expected a whole number of at least 0, found an empty map"},
    {"seed: 7", "seed: {a: 1}", "expected a whole number of at least 0, found a map"},
    {"seed: 7", "seed: []", "expected a whole number of at least 0, found an empty list"},
    {"between: [h0, h1]", "between: [h0, '']", "expected the name of a host, found ''"},
    {"seed: 7", "seed: seven", "expected a whole number of at least 0, found 'seven'"},
    {"start: natural", "start: naturally",
     "expected one of together, natural, found 'naturally'; did you mean 'natural'?"},
    {"same_host: free", "same_host: cheap", "expected one of free, found 'cheap'"},
    {"device: gpu", "device: tpu", "s.yaml:12:26: unknown device 'tpu'; expected CPU or GPU"},
    {"job: worker", "job: wroker", "unknown job 'wroker'"},
    {"/job:ps/task:0: h0", "/job:ps/task:0: h7", "s.yaml:5:27: unknown host 'h7'; did you mean 'h0'?"},
    {"/job:ps/task:0: h0", "job:ps: h0", "'job:ps' is not a task; expected /job:NAME/task:NUMBER"},
    {"between: [h0, h1]", "between: [h0]", "a link is between two hosts"},
    {"between: [h0, h1]", "between: [h0, h0]", "a link is between two different hosts"},
    {"{task: /job:worker/task:0, graph", "{task: /job:worker/task:1, graph",
     "unknown task '/job:worker/task:1'; the job worker has worker/0"},
    {"workers: {/job:worker/task:0", "workers: {/job:ps/task:0", "task '/job:ps/task:0' runs no program"},
    {"time: 200ms", "node: x", "key 'node' appears twice"},
    {", time: 200ms", "", "s.yaml:11:5: a cost rule needs either 'time' or 'times'"},
    {"times: [1s, 2s]", "times: [1s, 2s], time: 1s", "a cost rule needs either 'time' or 'times'"},
    {"normal: {mean: 5ms", "normaal: {mean: 5ms", "did you mean 'normal'?"},
    {"mean: 5ms, ", "", "normal has no 'mean'"},
    {"{normal: {mean: 5ms, sd: 1ms}}", "{uniform: {low: 5ms, high: 1ms}}", "low is above its high"},
    {"executions: [2, 4]", "executions: [4, 2]", "executions are [first, last]"},
    {"{steps: 5}", "{}", "stop says nothing; expected one of aggregates, global_step, steps, time"},
    {"{steps: 5}", "{steps: 0}", "expected a whole number of at least 1, found '0'"},
    {"stop: {steps: 5}\n", "", "the scenario has no 'stop'"},
    {"verdicts: [fair]", "verdicts: [fairr]", "unknown verdict 'fairr'; did you mean 'fair'?"},
    {"hosts: [h0, ", "hosts: [h1, ", "host 'h1' appears twice"},
    {"gpus: 2", "gpus: 65", "expected a whole number from 0 to 64, found '65'"},
    {"seed: 7", "seed: {", "s.yaml:4:8: a '{' has no '}'"},
    {"seed: 7", "? [a]\n: 7", "expected a key of the scenario, found a list"},
    {"  network: {", "\tnetwork: {", "s.yaml:6:1: a tab cannot indent in YAML; expected spaces"},
    {"  hosts: [h0, {", "  \thosts: [h0, {", "s.yaml:4:3: a tab cannot indent in YAML; expected spaces"},
};

// A terminal would obey them, and yaml-cpp takes a zero byte for another one.
TEST(Load, control_characters_stand_in_no_title_and_no_name) {
  EXPECT_THAT(refusal(with("title: a small job", "title: \"a \\e[31m job\"")),
              HasSubstr("s.yaml:1:8: it has the control character 0x1b; expected printable text"));
  EXPECT_THAT(refusal(with("title: a small job", std::string("title: a sm\0ll job", 18))),
              HasSubstr("s.yaml:1:12: the control character 0x00; expected printable text"));
  EXPECT_EQ(refusal(with("title: a small job", "title: \"a\\tsmall job\"")), "");
}

TEST(Load, every_mistake_is_named_with_its_place_and_what_was_expected) {
  for (const auto& [old_text, new_text, message] : kRefusals)
    EXPECT_THAT(refusal(with(old_text, new_text)), HasSubstr(message)) << new_text;
}

TEST(Load, a_task_that_the_cluster_lists_with_a_mistyped_job_is_pointed_at) {
  EXPECT_THAT(refusal(with("/job:worker/task:0: {host", "wroker/0: {host")),
              HasSubstr("unknown task '/job:worker/task:0'; 'tasks' of the cluster has 'wroker/0', which may be a "
                        "mistyped 'worker/0'"));
}

TEST(Load, text_that_is_no_scenario_is_refused) {
  EXPECT_THAT(refusal(""), HasSubstr("s.yaml:1:1: it is empty"));
  EXPECT_THAT(refusal("\n# only a comment\n"), HasSubstr("s.yaml:"));
  EXPECT_THAT(refusal("just words"), HasSubstr("expected a map with the keys of the scenario, found 'just words'"));
  EXPECT_THAT(refusal("[1, 2]"), HasSubstr("found a list"));
  EXPECT_THAT(refusal(std::string(kSmall) + "---\nsecond: 1\n"), HasSubstr("something follows the first document"));
  EXPECT_THAT(refusal(std::string("\0\1\2", 3)), StartsWith("s.yaml"));
  EXPECT_THAT(refusal("a: *nobody"), HasSubstr("s.yaml:1:"));
  EXPECT_THAT(refusal("[],\n[]"), HasSubstr("something follows"));  // yaml-cpp 0.7 finds documents in it for ever
}

TEST(Load, half_a_million_levels_of_nesting_end_in_an_error) {
  EXPECT_THAT(refusal(std::string(500'000, '[')), HasSubstr("nested too deeply"));
  EXPECT_FALSE(parse_scenario("cluster: " + std::string(500'000, '{'), "s.yaml").ok());
  std::string blocks;
  for (int i = 0; i < 250'000; ++i) blocks += "- ";
  EXPECT_FALSE(parse_scenario(blocks, "s.yaml").ok());
}

TEST(Load, an_alias_bomb_ends_in_an_error) {
  std::string bomb = "a0: &a0 {op: x, time: 1s}\n";
  for (int i = 1; i < 30; ++i)
    bomb += fmt::format("a{}: &a{} [*a{}, *a{}, *a{}, *a{}]\n", i, i, i - 1, i - 1, i - 1, i - 1);
  EXPECT_FALSE(parse_scenario(bomb + "costs: *a29\n", "s.yaml").ok());
  std::string wide = "costs: [&r {executions: [1,1,1,1,1,1], time: 1s}";
  for (int i = 0; i < 50'000; ++i) wide += ",*r";
  EXPECT_THAT(refusal(wide + "]\n"), HasSubstr("more than 100000 values"));
}

TEST(Load, a_cluster_of_many_thousand_hosts_loads) {
  std::string hosts, tasks;
  for (int i = 0; i < 10'000; ++i) {
    hosts += fmt::format("h{},", i);
    tasks += fmt::format("/job:w/task:{}: h{},", i, i);
  }
  const auto s = parse_scenario(
      fmt::format("{{cluster: {{hosts: [{}], tasks: {{{}}}}}, programs: [], stop: {{time: 1s}}}}", hosts, tasks),
      "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->cluster.tasks[9'999].host, HostId{9'999u});
}

TEST(Load, a_large_text_ends_in_an_error) {
  EXPECT_THAT(refusal(std::string(2'000'000, 'a')), HasSubstr("has at most 524288"));
}

RC_GTEST_PROP(Load, a_damaged_scenario_is_read_or_refused_and_nothing_else, ()) {
  std::string text(kSmall);
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  text.resize(*rc::gen::inRange<std::size_t>(0, text.size()));
  const auto result = parse_scenario(text, "s.yaml");
  RC_ASSERT(result.ok() || text_of(result.status()).starts_with("s.yaml:"));
}

TEST(Load, a_folder_means_its_scenario_yaml) {
  const Folder folder;
  EXPECT_THAT(std::string(text_of(load_scenario(folder.path()).status())),
              HasSubstr("a folder without a scenario.yaml"));
  folder.put("scenario.yaml", std::string(kSmall));
  EXPECT_TRUE(load_scenario(folder.path()).ok());
  EXPECT_TRUE(load_scenario(folder.path() + "/scenario.yaml").ok());
}

TEST(Load, files_that_cannot_be_scenarios_are_refused) {
  const Folder folder;
  folder.put("empty.yaml", "");
  EXPECT_THAT(std::string(text_of(load_scenario(folder.path() + "/empty.yaml").status())), HasSubstr("is empty"));
  EXPECT_EQ(load_scenario(folder.path() + "/missing.yaml").status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(text_of(load_scenario("/dev/null").status())), HasSubstr("not a file"));
}

// ---- jobs that are built ----

std::string with_build(const std::string& build) {
  return "cluster: {hosts: [h], tasks: {ps/0: h, ps/1: h, worker/0: h, worker/1: h}}\n" + build +
         "\nstop: {time: 1s}\n";
}

TEST(Build, a_job_is_built_for_the_workers_and_servers_of_the_cluster) {
  const auto s = parse_scenario(with_build("build: {graph: softmax_async_ps1_task0}"), "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(std::tuple(s->build->plan.protocol, s->build->plan.workers, s->build->plan.ps, s->build->plan.num_tokens),
            std::tuple(Protocol::synchronous, 2, std::optional(2), -1));
  EXPECT_EQ(s->build->plan.replicas, std::nullopt);
}

TEST(Build, a_job_may_be_built_for_more_workers_than_ever_start) {
  const auto s = parse_scenario(
      with_build("build: {graph: softmax_async_ps1_task0, workers: 4, replicas_to_aggregate: 3, ps: 1}"), "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(std::tuple(s->build->plan.workers, s->build->plan.ps, s->build->plan.replicas),
            std::tuple(4, std::optional(1), std::optional(3)));
}

TEST(Build, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(refusal(with_build("build: {graf: x}")), "s.yaml:2:9: unknown key 'graf' in build; did you mean 'graph'?");
  EXPECT_EQ(refusal(with_build("build: {graph: x, protocol: synch}")),
            "s.yaml:2:29: expected one of sync, async, stale_sync, handwritten, replicated, found 'synch'; did you "
            "mean 'sync'?");
  EXPECT_EQ(refusal(with_build("build: {graph: x, ps: 3}")),
            "s.yaml:2:8: the cluster has no /job:ps/task:2, which the built job needs");
  EXPECT_EQ(refusal(with_build("build: {graph: x, protocol: async, chiefs: 2}")),
            "s.yaml:2:8: chiefs is for 'protocol: sync'");
  EXPECT_EQ(refusal(with_build("build: {graph: x, staleness: 2}")),
            "s.yaml:2:8: staleness is for 'protocol: stale_sync'");
  EXPECT_EQ(refusal(with_build("build: {graph: x, protocol: stale_sync, gathering: queue}")),
            "s.yaml:2:8: gathering is for 'protocol: handwritten'");
  EXPECT_EQ(refusal(with_build("build: {graph: x, protocol: handwritten, ps: 1}")),
            "s.yaml:2:8: a hand-written protocol has no parameter servers: worker 0's task holds the variables");
  EXPECT_EQ(refusal(with_build("build: {graph: x, protocol: async, num_tokens: 3}")),
            "s.yaml:2:8: replicas_to_aggregate and num_tokens are for 'protocol: sync'");
  EXPECT_THAT(refusal(with_build("build: {ps: 2}\nprograms: []")), StartsWith("s.yaml:2:8: the scenario has both "));
  EXPECT_EQ(refusal(with_build("")), "s.yaml:1:1: the scenario has no 'programs' and no 'build'; it needs one of them");
}

TEST(Schema, every_key_is_published_with_a_description_and_its_default) {
  const Json schema = Json::parse(scenario_schema());
  EXPECT_EQ(schema["properties"]["seed"]["default"], 1);
  EXPECT_EQ(schema["properties"]["cluster"]["properties"]["network"]["properties"]["small_message"]["default"],
            "16KiB");
  EXPECT_EQ(schema["properties"]["training"]["properties"]["start"]["default"], "together");
  EXPECT_EQ(schema["required"], Json({"cluster", "stop"}));
  EXPECT_EQ(schema["oneOf"], Json::array({{{"required", {"programs"}}}, {{"required", {"build"}}}}));
  for (const auto& [name, key] : schema["properties"].items())
    EXPECT_FALSE(key["description"].get<std::string>().empty()) << name;
}

TEST(Schema, the_files_defaults_are_those_of_the_plain_values) {
  const auto s = parse_scenario(
      "{cluster: {hosts: [h], tasks: {/job:worker/task:0: h}}, programs: [], stop: {time: 1s}}", "s.yaml");
  ASSERT_TRUE(s.ok()) << s.status();
  const TrainingSpec plain;
  EXPECT_EQ(s->cluster.network, NetworkSpec{});
  EXPECT_EQ(s->cluster.tasks[0], (TaskSpec{"/job:worker/replica:0/task:0", HostId{0u}}));
  EXPECT_EQ(s->costs, CostRules{});
  EXPECT_EQ(s->feeds.batch, FeedSizes{}.batch);
  EXPECT_EQ(std::tuple(s->training.start, s->training.num_tokens, s->training.queue_runner, s->training.soft_placement,
                       s->training.device_filters, s->training.fail_fast, s->training.values_up_to),
            std::tuple(plain.start, plain.num_tokens, plain.queue_runner, plain.soft_placement, plain.device_filters,
                       plain.fail_fast, plain.values_up_to));
}

}  // namespace
}  // namespace tarry
