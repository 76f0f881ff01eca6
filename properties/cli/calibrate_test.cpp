// `tarry calibrate`, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPeaks = "cluster.devices={cpu: {flops: 1Gflop/s, memory_bandwidth: 2GB/s}}",
                  kReal =
                      "cluster.devices={cpu: {flops: 1Gflop/s, memory_bandwidth: 2GB/s, launch: 3us, "
                      "efficiency: {MatMul: 0.25, \"*\": 0.5}}}";

// The step statistics of a run on devices that are known.
std::string measured_in(const Folder& f) {
  const std::string path = f.path() + "/step.pb";
  EXPECT_EQ(ask_tarry({"run", "010_uneven_ps", "--set", "costs=~", "--set", "expect=~", "--set", kReal,
                       "--run-metadata", path})
                .exit_code,
            0);
  return path;
}

// What the command prints.
std::string told(const Folder& f, std::vector<std::string> more, const std::string& devices = kPeaks,
                 const std::string& measured = "") {
  const std::string out = f.path() + "/out", file = measured.empty() ? measured_in(f) : measured;
  std::vector<std::string> words{"calibrate", "010_uneven_ps", file, "--set", devices};
  words.insert(words.end(), more.begin(), more.end());
  EXPECT_EQ(ask_tarry(words, out.c_str()).exit_code, 0);
  return *read_file(out);
}

TEST(Calibrate, prints_a_section_that_a_scenario_can_have_as_it_is) {
  const Folder f;
  const std::string text = told(f, {});
  EXPECT_THAT(text, HasSubstr("cluster:\n  devices:\n"));
  EXPECT_THAT(text, HasSubstr("\n    cpu:\n      flops: 1Gflop/s\n      memory_bandwidth: 2GB/s\n      launch: "));
  EXPECT_THAT(text, HasSubstr("MatMul: 0.2"));
}

TEST(Calibrate, remarks_on_ops_that_were_faster_than_the_peaks_and_keeps_efficiencies_of_others) {
  const Folder f;
  const std::string devices =
      "cluster.devices={cpu: {flops: 10Mflop/s, memory_bandwidth: 20MB/s, "
      "efficiency: {Conv2D: 0.7, MatMul: 0.3}}}";
  const std::string text = told(f, {}, devices);
  EXPECT_THAT(text, HasSubstr("  faster than the peaks allow\n"));
  EXPECT_THAT(text, HasSubstr("\"Conv2D\": 0.7  # as in the scenario\n"));
  EXPECT_THAT(text, Not(HasSubstr("\"MatMul\"")));
  EXPECT_THAT(told(f, {}), Not(HasSubstr("faster than the peaks allow")));
}

TEST(Calibrate, counts_the_nodes_that_were_not_measured_by_op) {
  const Folder f;
  const std::string one =
      f.put("one.pbtxt", R"(step_stats { dev_stats { device: "/job:worker/replica:0/task:0/device:CPU:0"
      node_stats { node_name: "softmax/MatMul" op_end_rel_nanos: 200000 } } })");
  EXPECT_THAT(told(f, {}, kPeaks, one), HasSubstr(" nodes were not measured, so they reach the peaks: "));
  EXPECT_THAT(told(f, {}), Not(HasSubstr("were not measured")));
}

TEST(Calibrate, gives_the_same_figures_as_json) {
  const Folder f;
  const auto j = nlohmann::json::parse(told(f, {"--json"}));
  const auto& cpu = j.at("devices").at(0);
  EXPECT_EQ(cpu.at("device"), "cpu");
  EXPECT_NEAR(cpu.at("launch_ns").get<double>(), 3'000, 10);
  EXPECT_NEAR(cpu.at("measured_ns").get<double>(), cpu.at("fitted_ns").get<double>(), 1'000);
  for (const auto& op : cpu.at("ops"))
    EXPECT_NEAR(op.at("efficiency").get<double>(), op.at("op") == "MatMul" ? 0.25 : 0.5, 0.05) << op;
}

TEST(Calibrate, finds_devices_with_which_the_job_takes_the_time_that_it_took) {
  const Folder f;
  std::string section = told(f, {});
  section = section.substr(section.find("    cpu:"));
  const auto time_with = [&](const std::string& set) {
    const std::string out = f.path() + "/run.json";
    ask_tarry({"run", "010_uneven_ps", "--set", "costs=~", "--set", "expect=~", "--set", set, "--json"}, out.c_str());
    return nlohmann::json::parse(*read_file(out)).at("time_s").get<double>();
  };
  const double real = time_with(kReal);
  EXPECT_NEAR(time_with("cluster.devices=\n" + section), real, 0.002 * real);
  EXPECT_LT(time_with(kPeaks), 0.9 * real);
}

TEST(Calibrate, refuses_files_that_it_cannot_use_and_scenarios_without_peaks) {
  const Folder f;
  const std::string step = measured_in(f);
  for (const auto& [arguments, reason] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"calibrate", "010_uneven_ps", f.path() + "/none.pb"}, "none.pb"},
           {{"calibrate", "010_uneven_ps", step}, "expected the peaks that the vendor states"},
           {{"calibrate", "010_uneven_ps"}, "metadata is required"}}) {
    const Answer refused = ask_tarry(arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.message, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace tarry
