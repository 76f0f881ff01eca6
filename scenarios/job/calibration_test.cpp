// Devices fitted to a run whose devices are known.

#include "scenarios/job/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "placer/core/text.hpp"
#include "scenarios/job/faults/small_run.hpp"
#include "scenarios/job/step_metadata.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

constexpr DeviceRates kPeaks{.flops = 1'000'000'000, .bandwidth = 2'000'000'000};

// The small job on CPUs of these rates, three steps long and without faults and costs.
Job job_with(const DeviceRates& rates) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.costs = {};
  job.stop.began = 3;
  for (TaskSpec& task : job.cluster.tasks) task.cpu = rates;
  return job;
}

// What TensorFlow would write of the first step of the job's worker.
std::vector<NodeExecTime> measured_in(Job job) {
  job.keep_kernels = true;
  const Outcome outcome = run_here(job);
  return times_of_step(outcome.log, {kWorker, 1}, *job.clients[0].program.graph).value();
}

std::vector<NodeExecTime> planted() {
  DeviceRates real = kPeaks;
  real.launch = 3'000;
  real.efficiency = {{"MatMul", 250'000}, {"*", 500'000}};
  return measured_in(job_with(real));
}

std::map<std::string, std::int64_t> efficiencies(const DeviceFit& d) {
  std::map<std::string, std::int64_t> out;
  for (const OpFit& op : d.fit.ops) out[op.op] = op.efficiency;
  return out;
}

std::string refused(const Job& job, const std::vector<NodeExecTime>& times) {
  const auto found = calibrate(job, {times});
  return found.ok() ? "" : std::string(text_of(found.status()));
}

TEST(Calibration, finds_the_launch_and_the_efficiencies_of_the_devices_that_were_measured) {
  const auto found = calibrate(job_with(kPeaks), {planted()});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_THAT(found->devices, SizeIs(1));
  const DeviceFit& cpu = found->devices[0];
  EXPECT_FALSE(cpu.is_gpu);
  EXPECT_THAT(cpu.tasks, SizeIs(2));
  EXPECT_NEAR(static_cast<double>(cpu.fit.launch), 3'000, 5);
  const auto shares = efficiencies(cpu);
  ASSERT_GE(shares.size(), 3u);
  for (const auto& [op, share] : shares)
    EXPECT_NEAR(static_cast<double>(share), op == "MatMul" ? 250'000 : 500'000, 25'000) << op;
}

TEST(Calibration, does_not_depend_on_costs_faults_and_launches_that_the_scenario_has) {
  const auto times = planted();
  Job job = job_with(kPeaks);
  job.faults.push_back({Nanos{0}, Kill{kWorker}});
  job.costs.rules = {{.node = "*", .amount = Constant{kSecond}}};
  job.costs.otherwise = Constant{kSecond};
  for (TaskSpec& task : job.cluster.tasks) task.cpu.launch = kSecond, task.cpu.efficiency = {{"*", 1}};
  EXPECT_EQ(calibrate(job, {times})->devices[0].fit.launch,
            calibrate(job_with(kPeaks), {times})->devices[0].fit.launch);
}

TEST(Calibration, fits_devices_that_differ_apart_from_each_other) {
  Job job = job_with(kPeaks);
  job.cluster.tasks[kWorker.index()].cpu.flops *= 2;
  const auto found = calibrate(job, {planted()});
  ASSERT_THAT(found->devices, SizeIs(2));
  for (const DeviceFit& d : found->devices) EXPECT_THAT(d.tasks, SizeIs(1));
}

// The small job with a second worker like the first; `slower` is how many times as long a kernel of the first one
// takes.
Job job_of_two(std::int64_t slower) {
  Job job = job_with(kPeaks);
  job.cluster.hosts.push_back({"host1"});
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", HostId{2u}});
  job.cluster.tasks.back().cpu = kPeaks;
  job.cluster.tasks[kWorker.index()].cpu = {kPeaks.flops / static_cast<std::uint64_t>(slower), kPeaks.bandwidth};
  job.clients.push_back({TaskId{2u}, shipped_program("softmax_async_ps1_task1", {.batch = 4}), job.clients[0].options});
  job.clients[1].options.session.device_filters = {"/job:ps", "/job:worker/task:1"};
  return job;
}

// A time for each node of the first worker's step, as if a device had measured it.
std::vector<NodeExecTime> all_took(Nanos time, const std::string& device) {
  std::vector<NodeExecTime> out = planted();
  for (NodeExecTime& t : out) t.device = device, t.duration_ns = time;
  return out;
}
constexpr const char *kCpu0 = "/job:worker/replica:0/task:0/device:CPU:0",
                     *kCpu1 = "/job:worker/replica:0/task:1/device:CPU:0";

// The mean time that a node of the task's device is told to have taken, in nanoseconds.
std::int64_t measured_of(const Calibration& found, const std::string& task) {
  for (const DeviceFit& d : found.devices)
    if (std::ranges::find(d.tasks, task) != d.tasks.end()) {
      Nanos sum = 0;
      for (const OpFit& op : d.fit.ops) sum += op.measured;
      return sum / static_cast<Nanos>(d.nodes - d.nodes_missed());
    }
  return 0;
}

TEST(Calibration, fits_each_device_to_what_was_measured_on_it_in_whichever_file) {
  const auto found = calibrate(job_of_two(10), {all_took(70'000, kCpu0), all_took(3'000, kCpu1)});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(measured_of(*found, "/job:worker/replica:0/task:0"), 70'000);
}

TEST(Calibration, takes_for_a_device_that_nobody_measured_what_an_equal_one_took) {
  const auto found = calibrate(job_of_two(1), {all_took(3'000, kCpu1)});
  EXPECT_EQ(measured_of(*found, "/job:worker/replica:0/task:0"), 3'000);
}

TEST(Calibration, says_which_client_left_training_with_an_error) {
  Job broken = job_with(kPeaks);
  ClientProgram& program = broken.clients[0].program;
  program.init_op = program.ready = program.ready_for_local_init = "";
  const auto found = calibrate(broken, {planted()});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->errors,
              ElementsAre(AllOf(HasSubstr("worker 0: "), HasSubstr("uninitialized value"), Not(HasSubstr("\n")))));
  EXPECT_THAT(calibrate(job_with(kPeaks), {planted()})->errors, IsEmpty());
}

TEST(Calibration, takes_the_median_of_several_runs) {
  std::vector<NodeExecTime> interrupted = planted();
  for (NodeExecTime& t : interrupted) t.duration_ns *= 100;
  const auto one = calibrate(job_with(kPeaks), {planted()});
  EXPECT_EQ(calibrate(job_with(kPeaks), {planted(), interrupted, planted()})->devices[0].fit.launch,
            one->devices[0].fit.launch);
}

TEST(Calibration, names_the_nodes_that_nobody_measured) {
  std::vector<NodeExecTime> times = planted();
  std::erase_if(times, [](const NodeExecTime& t) { return t.label.find(" = MatMul(") != std::string::npos; });
  const DeviceFit cpu = calibrate(job_with(kPeaks), {times})->devices[0];
  EXPECT_THAT(cpu.missed, ElementsAre(Pair("MatMul", Not(IsEmpty()))));
  EXPECT_EQ(efficiencies(cpu).count("MatMul"), 0u);
  std::size_t fitted = 0;
  for (const OpFit& op : cpu.fit.ops) fitted += op.kernels;
  EXPECT_EQ(fitted + cpu.nodes_missed(), cpu.nodes);
}

TEST(Calibration, is_refused_where_nothing_trains_no_device_has_peaks_and_nothing_was_measured) {
  Job waits = job_with(kPeaks);
  waits.clients[0].options.session.device_filters = {"/job:worker/task:0"};
  EXPECT_THAT(refused(waits, planted()), HasSubstr("no training step of the scenario begins"));
  EXPECT_THAT(refused(job_with({.launch = 5}), planted()), HasSubstr("flops or memory_bandwidth"));
  const std::vector<NodeExecTime> other{{"/job:worker/replica:0/task:0/device:CPU:0", "other", "", 0, 5}};
  EXPECT_THAT(refused(job_with(kPeaks), other), HasSubstr("the first measured node is 'other' on /job:worker"));
}

}  // namespace
}  // namespace tarry
