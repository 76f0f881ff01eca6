// Where the time of ops comes from, in whole runs; and what GPUs' memory makes of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "placer/core/folder_test.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/outcome.hpp"

namespace tarry {
namespace {

using testing::Contains;
using testing::HasSubstr;

Report report_of(const Scenario& s) {
  const auto job = job_for(s);
  check(job.ok(), std::string(text_of(job.status())).c_str());
  const auto outcome = run_apart(*job);
  check(outcome.ok(), "a run");
  return make_report(s, *job, *outcome, {});
}

std::uint64_t peak_of_gpus(const Report& r) {
  std::uint64_t peak = 0;
  for (const DeviceRow& d : r.devices) peak = std::max(peak, d.peak_bytes);
  return peak;
}

TEST(Report, counts_the_examples_of_all_towers_of_a_worker) {
  EXPECT_EQ(report_of(shipped("109_replicated_variables")).batch, 2 * 4);
}

TEST(CostSources, a_measured_node_takes_what_was_measured_wherever_the_graph_runs) {
  const Folder folder;
  const std::string times =
      folder.put("times.pbtxt",
                 R"(step_stats { dev_stats { device: "/job:worker/replica:0/task:0/device:CPU:0" node_stats {
                 node_name: "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits"
                 op_end_rel_micros: 200000 } } })");
  Scenario s = shipped("010_uneven_ps");
  const Report told = report_of(s);
  s.costs.rules.clear();
  s.measured = {times};
  const Report measured = report_of(s);
  EXPECT_EQ(measured.hash, told.hash);  // the scenario says 200 ms for that node
  EXPECT_GT(measured.costs[1], 0u);
  EXPECT_EQ(told.costs[1], 0u);
}

TEST(CostSources, a_rule_of_the_scenario_comes_before_a_measurement) {
  const Folder folder;
  const std::string times = folder.put("times.pbtxt",
                                       R"(dev_stats { device: "/job:worker/replica:0/task:0/device:CPU:0" node_stats {
                 node_name: "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits"
                 op_end_rel_micros: 7 } })");
  Scenario s = shipped("010_uneven_ps");
  const std::string before = report_of(s).hash;
  s.measured = {times};
  EXPECT_EQ(report_of(s).hash, before);
}

TEST(CostSources, rooflines_price_every_op_of_resnet50_that_is_not_about_files_and_text) {
  const Report r = report_of(shipped("021_resnet50_roofline"));
  EXPECT_GT(r.costs[2], 20'000u);
  EXPECT_EQ(r.costs[0], 0u);
  for (const auto& [op, nodes] : r.unpriced)
    EXPECT_THAT((std::vector<std::string>{"SaveV2", "RestoreV2", "ShardedFilename", "StringJoin",
                                          "StaticRegexFullMatch", "MergeV2Checkpoints", "Where"}),
                Contains(op));
  const auto j = to_json(r);
  EXPECT_EQ(j["costs"]["roofline"], r.costs[2]);
  EXPECT_THAT(to_text(r), HasSubstr("Op executions by where their time comes from: 0 scenario, 0 measured, "));
}

// Hand count: 3.9 G multiply-adds an image forward, three times that with both gradients, 64 images: 2 x 3 x 3.9 G x 64
// = 1.5 T operations a step; at 9 T a second 0.17 s at least. All that the GPU does besides moves bytes; the three
// steps of a worker keep it busy less than twice that.
TEST(CostSources, a_step_of_resnet50_takes_what_its_multiply_adds_take_and_not_much_more) {
  const Report r = report_of(shipped("021_resnet50_roofline"));
  int gpus = 0;
  for (const DeviceRow& d : r.devices) {
    if (!d.device.ends_with("/device:GPU:0")) continue;
    ++gpus;
    EXPECT_GT(d.busy, 3 * 160'000'000LL);
    EXPECT_LT(d.busy, 3 * 340'000'000LL);
  }
  EXPECT_EQ(gpus, 4);
}

TEST(GpuMemory, that_is_short_ends_every_worker_with_tensorflows_oom) {
  const Report r = report_of(shipped("022_gpu_out_of_memory"));
  ASSERT_EQ(r.verdicts.size(), 1u);
  const Verdict& v = r.verdicts[0];
  EXPECT_EQ(v.kind, "failed");
  EXPECT_THAT(v.text, HasSubstr("worker 0, worker 1 and worker 2 left training at 0.028 s with errors that differ only "
                                "in the task's name; worker 0's: "));
  EXPECT_THAT(v.text,
              HasSubstr("OOM when allocating tensor with shape[65536,512] and type float on "
                        "/job:worker/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node hidden2/"));
  EXPECT_LE(peak_of_gpus(r), std::uint64_t{512} << 20);
}

TEST(GpuMemory, of_half_the_batch_is_enough_and_its_peak_is_told) {
  const Report r = report_of(shipped("023_gpu_half_batch"));
  EXPECT_GT(peak_of_gpus(r), std::uint64_t{256} << 20);
  EXPECT_LE(peak_of_gpus(r), std::uint64_t{512} << 20);
  EXPECT_THAT(to_text(r), HasSubstr("of 512 MiB"));
  const auto devices = to_json(r)["devices"];
  EXPECT_TRUE(std::ranges::any_of(devices,
                                  [](const auto& d) { return d["peak_bytes"] > 0 && d["memory_bytes"] == 512 << 20; }));
}

// ResNet-50 with a batch of 64 is known to need 7 to 9 GiB in 32 bits without work space; what a kernel could write
// over its input is counted twice here.
TEST(GpuMemory, of_resnet50_is_what_it_is_known_to_need) {
  const std::uint64_t peak = peak_of_gpus(report_of(shipped("021_resnet50_roofline")));
  EXPECT_GT(peak, std::uint64_t{5} << 30);
  EXPECT_LT(peak, std::uint64_t{12} << 30);
}

}  // namespace
}  // namespace tarry
