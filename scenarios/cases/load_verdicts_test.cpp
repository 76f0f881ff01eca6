// Every load verdict of what ships, beside a run without its cause, which an edit of the scenario's own keys takes
// away: the gain is as the verdict states. And healthy twins, on which the verdicts are silent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "placer/graph/read.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/job/kept.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

const std::set<std::string> kLoads = {
    "slowed",       "late_start",      "straggler",     "slow_card",     "far",          "trunk_bound",
    "ps_imbalance", "network_bound",   "latency_bound", "message_bound", "device_queue", "checkpoint_bound",
    "pcie_bound",   "transport_bound", "busy_server",   "varied",        "input_bound"};

using Edit = std::pair<const char*, const char*>;  // what stands there, and what instead

struct Row {
  const char *name, *kind;
  std::vector<Edit> edits;
};

constexpr Edit kNoCards1{"nic: 1Gbps", "nic: unlimited"}, kNoCards10{"nic: 10Gbps", "nic: unlimited"};
constexpr Edit kNoTrunks{"rack_trunk: 2.5Gbps", "rack_trunk: unlimited"};
constexpr Edit kNoLatency1s{"latency: 1s", "latency: 0s"}, kNoLatency300ms{"latency: 300ms", "latency: 0s"};
constexpr Edit kFast300ms{"task: worker/2, time: 4s", "task: worker/2, time: 300ms"};
constexpr Edit kFast1s{"task: worker/0, time: 3s", "task: worker/0, time: 1s"};
constexpr Edit kFast10s{"task: worker/2, time: 15s", "task: worker/2, time: 10s"};
constexpr Edit kFreeSend{"op: _Send, job: ps, time: 2ms", "op: _Send, job: ps, time: 0s"};
constexpr Edit kFreeRecv{"op: _Recv, job: ps, time: 2ms", "op: _Recv, job: ps, time: 0s"};

const std::vector<Row> kRows = {
    {"000_hello", "latency_bound", {{"latency: 1ms", "latency: 0s"}}},
    {"010_uneven_ps", "latency_bound", {kNoLatency1s}},
    {"011_ps_apart", "latency_bound", {kNoLatency300ms}},
    {"012_ps_everywhere", "latency_bound", {kNoLatency300ms}},
    {"013_late_start", "late_start", {{"start_after: 200ms", "start_after: 0s"}}},
    {"014_far_chief",
     "far",
     {{"same_host: free}", "same_host: free, links: [{between: [far, server], latency: 0s}]}"}}},
    {"021_resnet50_roofline", "network_bound", {kNoCards10}},
    {"021_resnet50_roofline",
     "ps_imbalance",
     {{"programs:\n", "build: {graph: resnet50_ps8_task0, protocol: async, ps_strategy: greedy}\n"},
      {"  - {task: /job:worker/task:0, graph: resnet50_ps8_task0}\n", ""},
      {"  - {task: /job:worker/task:1, graph: resnet50_ps8_task0}\n", ""},
      {"  - {task: /job:worker/task:2, graph: resnet50_ps8_task0}\n", ""},
      {"  - {task: /job:worker/task:3, graph: resnet50_ps8_task0}\n", ""}}},
    {"023_gpu_half_batch", "pcie_bound", {{"copy_bandwidth: 12GB/s, ", ""}}},
    {"097_ps_restarted_between", "latency_bound", {{"latency: 10ms", "latency: 0s"}}},
    {"098_ps_restarted_checkpoint", "latency_bound", {{"latency: 10ms", "latency: 0s"}}},
    {"030_local", "latency_bound", {{"latency: 500ms", "latency: 0s"}}},
    {"031_no_tokens", "latency_bound", {kNoLatency1s}},
    {"032_late_push",
     "late_start",
     {{"task:1: {first_step_after: 30s}", "task:1: {}"}, {"task:2: {first_step_after: 30s}", "task:2: {}"}}},
    {"032_late_push", "latency_bound", {{"latency: 100ms", "latency: 0s"}}},
    {"059_async8", "latency_bound", {{"latency: 5ms", "latency: 0s"}}},
    {"111_busy_server", "busy_server", {{"task: ps/1, time: 100ms", "task: ps/1, time: 0s"}}},
    {"037_backup_slow", "straggler", {{"task:3, time: 5s", "task:3, time: 1s"}}},
    {"040_worker_dies", "straggler", {kFast300ms}},
    {"043_worker_dies_waiting", "straggler", {kFast300ms}},
    {"058_host_slows_down",
     "slowed",
     {{"faults:\n  - {at: 5s, slow: {task: worker/2, percent: 500, lasts: 10s}}\n", ""}}},
    {"063_handwritten_dense", "straggler", {{"worker3/MatMul, time: 100ms", "worker3/MatMul, time: 40ms"}}},
    {"064_handwritten_sparse", "straggler", {{"worker3_grad/mul, time: 100ms", "worker3_grad/mul, time: 40ms"}}},
    {"065_handwritten_queue", "straggler", {{"worker3/MatMul, time: 100ms", "worker3/MatMul, time: 40ms"}}},
    {"066_stale_sync", "straggler", {{"{low: 200ms, high: 900ms}", "{low: 200ms, high: 400ms}"}}},
    {"073_waits_for_all", "late_start", {{"first_step_after: 30s", "first_step_after: 0s"}}},
    {"074_no_synchronisation", "straggler", {kFast1s}},
    {"075_synchronised", "straggler", {kFast1s}},
    {"081_ready", "late_start", {{"start_after: 40s", "start_after: 0s"}}},
    {"082_slow_counts", "straggler", {{"task: worker/3, time: 5s", "task: worker/3, time: 1s"}}},
    {"085_one_busy_ps", "network_bound", {kNoCards1}},
    {"085_one_busy_ps",
     "ps_imbalance",
     {{"hosts: [server0, server1, server2, server3,",
       "hosts: [server0, {name: server1, nic: 2425.1Mbps}, server2, {name: server3, nic: 1563.7Mbps},"}}},
    {"086_fewer_ps", "network_bound", {kNoCards1}},
    {"087_all_weights_on_one_ps", "network_bound", {kNoCards1}},
    {"087_all_weights_on_one_ps",
     "ps_imbalance",
     {{"hosts: [server0, server1,", "hosts: [server0, {name: server1, nic: 1995.3Mbps},"}}},
    {"088_weights_spread", "network_bound", {kNoCards1}},
    {"089_pinned_to_ps0", "network_bound", {kNoCards10}},
    {"089_pinned_to_ps0", "ps_imbalance", {{"ps: 1}", "ps: 4, ps_strategy: greedy}"}}},
    {"090_sharded", "network_bound", {kNoCards10}},
    {"091_one_host_idle", "network_bound", {kNoCards1}},
    {"092_both_hosts_busy", "network_bound", {kNoCards10}},
    {"095_ps_never_exits", "straggler", {kFast10s}},
    {"096_done_queue", "straggler", {kFast10s}},
    {"109_replicated_variables", "straggler", {{"time: 300ms", "time: 100ms"}}},
    {"100_cost_of_messages", "message_bound", {kFreeSend, kFreeRecv}},
    {"100_cost_of_messages", "device_queue", {{"inter_op_threads: 1", "inter_op_threads: 0"}}},
    {"101_more_threads", "message_bound", {kFreeSend, kFreeRecv}},
    {"101_more_threads", "device_queue", {{"inter_op_threads: 8", "inter_op_threads: 0"}}},
    {"103_slow_card", "slow_card", {{"nic: 100Mbps", "nic: 10Gbps"}}},
    {"103_slow_card", "ps_imbalance", {{"nic: 100Mbps", "nic: 199.48Mbps"}}},
    {"107_narrow_trunks", "trunk_bound", {kNoTrunks}},
    {"107_narrow_trunks", "network_bound", {kNoTrunks, kNoCards10}},
    {"108_shared_pcie_root", "pcie_bound", {{", pcie: {root: 3GB/s}", ""}}},
    {"112_shared_backbone",
     "network_bound",
     {{"  tasks:", "  hosts: [server, host0, host1]\n  tasks:"},
      {"platform: site.xml", "latency: 120us, links: [{between: [host0, host1], latency: 20us}]"}}},
    {"110_grpc", "network_bound", {{"nic: 40Gbps, ", ""}}},
    {"110_grpc", "transport_bound", {{", transport: grpc", ""}}},
    {"105_slow_checkpoints", "checkpoint_bound", {{"save_steps: 5", "save_steps: 100000"}}},
    {"114_slow_readers", "input_bound", {{"op: ReaderReadV2, time: 2ms", "op: ReaderReadV2, time: 0s"}}},
    {"113_racks_slow_down", "varied", {{"{switching: {factor: 3, begins: 0.1, ends: 0.3}}", "1"}}}};

std::string file_of(const std::string& name) { return kCases + "/" + name + "/scenario.yaml"; }

Job edited(const std::string& name, const std::vector<Edit>& edits) {
  std::string text = *read_file(file_of(name));
  for (const auto& [there, instead] : edits) {
    const std::size_t at = text.find(there);
    check(at != text.npos, (name + ": " + there).c_str());
    text.replace(at, std::string_view(there).size(), instead);
  }
  const auto scenario = parse_scenario(text, file_of(name));
  check(scenario.ok(), std::string(text_of(scenario.status())).c_str());
  return job_for(*scenario).value();
}

std::vector<Verdict> verdicts_of(const Job& job, const Outcome& outcome) {
  const auto proofs = prove(job, outcome).value();
  return judge(outcome.log, read_contributions(outcome.log), outcome.tasks, proofs);
}

// Of "the same work takes 42.1 % less time": 0.421.
double stated(const std::string& text) {
  constexpr std::string_view kBefore = "the same work takes ";
  const std::size_t at = text.find(kBefore);
  check(at != text.npos, text.c_str());
  return std::stod(text.substr(at + kBefore.size())) / 100;
}

std::int64_t training_steps(const Outcome& o) {
  std::int64_t steps = 0;
  for (const LoggedEvent& e : o.log.events())
    if (const auto* began = std::get_if<StepBegan>(&e.event)) steps += began->purpose == Purpose::train;
  return steps;
}

// How much less time the same work takes in the other run, which need not last as long: by the time until it had done
// as much, and stood still for as long where a fault came later, or, of a run that was cut off, by the paces of both
// runs where that is less. What a fault undid was work.
double gain(const Job& job, const Outcome& outcome, Job other) {
  other.stop.began = 3 * training_steps(outcome) + 16;
  const WorkDone base = work_done(job, outcome).as_if_nothing_was_lost(),
                 with = work_done(other, run_apart(other).value()).as_if_nothing_was_lost();
  const double by_time = 1 - static_cast<double>(with.time_for_as_much_as(base)) / static_cast<double>(base.time);
  return base.cut_off_at ? std::min(by_time, 1 - base.pace() / with.pace()) : by_time;
}

const Row* row_of(const std::string& name, const std::string& kind) {
  for (const Row& r : kRows)
    if (r.name == name && r.kind == kind) return &r;
  return nullptr;
}

bool tells_of_load(const std::string& name) {
  const auto kept = nlohmann::json::parse(*read_file(kCases + "/" + name + "/expected.json"));
  return std::ranges::any_of(kept.at("verdicts"), [](const auto& kind) { return kLoads.contains(kind); });
}

std::vector<std::string> cases_with_loads() {
  std::vector<std::string> all = case_names(kCases);
  std::erase_if(all, [](const std::string& name) { return !tells_of_load(name); });
  return all;
}

class LoadVerdicts : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenario, LoadVerdicts, ::testing::ValuesIn(cases_with_loads()),
                         [](const auto& info) { return info.param; });

TEST_P(LoadVerdicts, gain_what_they_state_where_the_scenarios_own_keys_take_the_cause_away) {
  const Job job = edited(GetParam(), {});
  const Outcome outcome = run_apart(job).value();
  for (const Verdict& v : verdicts_of(job, outcome)) {
    if (!kLoads.contains(v.kind)) continue;
    const Row* row = row_of(GetParam(), v.kind);
    ASSERT_NE(row, nullptr) << v.kind;
    EXPECT_NEAR(gain(job, outcome, edited(GetParam(), row->edits)), stated(v.text), 0.01) << v.kind;
  }
}

// What the scenario's own times say, by hand: kernels of 5 s in place of 1 s, 3 s in place of 1 s and 15 s in place of
// 10 s, and a worker that comes 30 s before 105 aggregates of a second each. Latency is a hundredth, or less.
struct Reckoned {
  const char *name, *kind;
  double gain;
  std::vector<Edit> edits = {};
};
constexpr Edit kCutOff{"stop: {aggregates: 20}", "stop: {time: 100s}"};
const std::vector<Reckoned> kReckoned = {
    {"082_slow_counts", "straggler", 1 - 1.0 / 5},      {"082_slow_counts", "straggler", 1 - 1.0 / 5, {kCutOff}},
    {"075_synchronised", "straggler", 1 - 1.0 / 3},     {"075_synchronised", "straggler", 1 - 1.0 / 3, {kCutOff}},
    {"095_ps_never_exits", "straggler", 1 - 10.0 / 15}, {"073_waits_for_all", "late_start", 1 - 105.0 / (30 + 105)}};

TEST(LoadVerdicts, state_what_follows_from_the_times_of_the_scenario) {
  for (const Reckoned& r : kReckoned) {
    const Job job = edited(r.name, r.edits);
    std::vector<double> gains;
    for (const Verdict& v : verdicts_of(job, run_apart(job).value()))
      if (v.kind == r.kind) gains.push_back(stated(v.text));
    EXPECT_THAT(gains, testing::ElementsAre(testing::DoubleNear(r.gain, 0.01))) << r.name << r.edits.size();
  }
}

TEST(LoadVerdicts, have_a_row_each_and_no_row_is_for_none) {
  const auto named = cases_with_loads();
  for (const Row& r : kRows) EXPECT_THAT(named, testing::Contains(r.name));
}

// ---- twins ----

const std::vector<Row> kHealthy = {
    {"107_narrow_trunks", "trunk_bound", {{"rack_trunk: 2.5Gbps", "rack_trunk: 40Gbps"}}},
    {"108_shared_pcie_root", "pcie_bound", {{"root: 3GB/s", "root: 48GB/s"}}},
    {"110_grpc",
     "transport_bound",
     {{"transport: grpc", "transport: {send: {per_message: 1us, copy: 50GB/s}, receive: {copy: 50GB/s}}"}}},
    {"011_ps_apart", "latency_bound", {{"latency: 300ms", "latency: 5ms"}}},
    {"101_more_threads",
     "message_bound",
     {{"_Send, job: ps, time: 2ms", "_Send, job: ps, time: 50us"},
      {"_Recv, job: ps, time: 2ms", "_Recv, job: ps, time: 50us"}}},
    {"101_more_threads", "device_queue", {{"inter_op_threads: 8", "inter_op_threads: 32"}}},
    {"106_rare_checkpoints", "checkpoint_bound", {}},
    {"113_racks_slow_down", "varied", {{"factor: 3,", "factor: 1.2,"}}},
    {"114_slow_readers", "input_bound", {{"op: ReaderReadV2, time: 2ms", "op: ReaderReadV2, time: 100us"}}}};

TEST(HealthyTwins, are_not_told_of_load) {
  for (const Row& r : kHealthy) {
    const Job job = edited(r.name, r.edits);
    for (const Verdict& v : verdicts_of(job, run_apart(job).value())) EXPECT_NE(v.kind, r.kind) << v.text;
  }
}

// Counted, transfers take most of the steps; taken away, they gain next to nothing.
TEST(LoadVerdicts, say_nothing_of_a_network_that_is_busy_and_not_waited_for) {
  const Job job = edited("020_resnet50_gpu", {});
  const Outcome outcome = run_apart(job).value();
  EXPECT_LT(gain(job, outcome, edited("020_resnet50_gpu", {kNoCards10})), kWorthTelling);
  for (const Verdict& v : verdicts_of(job, outcome)) EXPECT_FALSE(kLoads.contains(v.kind)) << v.text;
}

}  // namespace
}  // namespace tarry
