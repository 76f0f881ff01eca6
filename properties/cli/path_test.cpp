// `tarry path` and `tarry compare`: what the critical path of a small run is spent on, to the last figure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

// Two workers, of which the second one computes longer.
constexpr char kTwo[] = R"(title: two workers
cluster:
  hosts: [server, host0, host1]
  tasks: {ps/0: server, worker/0: host0, worker/1: host1}
  network: {latency: 1ms}
build: {graph: softmax_async_ps1_task0, protocol: sync}
costs:
  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/0, time: 20ms}
  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: 30ms}
stop: {aggregates: 2}
)";

std::string path_of(std::vector<std::string> words) {
  const Folder f;
  const std::string out = f.path() + "/out";
  words.insert(words.begin(), {"path", f.put("two.yaml", kTwo)});
  const std::string message = ask_tarry(words, out.c_str()).message;
  return "\n" + *read_file(out) + message;
}

constexpr char kOfRun[] = R"(
two workers
The critical path of the run, from 0.000000 s to 0.101000 s:

    0.090000 s  89.1 %  computing     SparseSoftmaxCrossEntropyWithLogits on worker 1
    0.006000 s   5.9 %  latency       worker 1 to ps 0
    0.005000 s   5.0 %  latency       ps 0 to worker 1
    0.101000 s in all

Who pushed the last gradient of the 2 aggregates on the path: worker 1 2.
)";
constexpr char kOfAggregate[] = R"(
two workers
The critical path of aggregate 2, from 0.033000 s to 0.101000 s:

    0.060000 s  88.2 %  computing     SparseSoftmaxCrossEntropyWithLogits on worker 1
    0.004000 s   5.9 %  latency       ps 0 to worker 1
    0.004000 s   5.9 %  latency       worker 1 to ps 0
    0.068000 s in all

Who pushed the last gradient of the 1 aggregates on the path: worker 1 1.
)";
constexpr char kOfStep[] = R"(
two workers
The critical path of step 1 of worker 0, from 0.000000 s to 0.024000 s:

    0.020000 s  83.3 %  computing     SparseSoftmaxCrossEntropyWithLogits on worker 0
    0.002000 s   8.3 %  latency       ps 0 to worker 0
    0.002000 s   8.3 %  latency       worker 0 to ps 0
    0.024000 s in all

Part by part, since the start:
    0.000000 s     0.001000 s  latency       worker 0 to ps 0
    0.001000 s     0.001000 s  latency       ps 0 to worker 0
    0.002000 s     0.020000 s  computing     SparseSoftmaxCrossEntropyWithLogits on worker 0)"
                           " (SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits)"
                           R"(
    0.022000 s     0.001000 s  latency       worker 0 to ps 0
    0.023000 s     0.001000 s  latency       ps 0 to worker 0
)";

TEST(Path, of_a_run_an_aggregate_and_a_step_says_what_its_time_is_spent_on) {
  EXPECT_EQ(path_of({}), kOfRun);
  EXPECT_EQ(path_of({"--aggregate", "2"}), kOfAggregate);
  EXPECT_EQ(path_of({"--step", "worker/0:1", "--parts"}), kOfStep);
}

TEST(Path, in_json_has_the_same_figures_in_nanoseconds) {
  const Json j = Json::parse(path_of({"--step", "worker/1:1", "--json"}));
  EXPECT_EQ(j["of"], "step 1 of worker 1");
  EXPECT_EQ(j["from_ns"], 0);
  EXPECT_EQ(j["to_ns"], 34'000'000);
  const Json computing = {{"from_ns", 2'000'000},
                          {"to_ns", 32'000'000},
                          {"kind", "computing"},
                          {"who", "SparseSoftmaxCrossEntropyWithLogits on worker 1"}};
  EXPECT_EQ(j["parts"][2], computing);
}

TEST(Path, of_what_the_job_has_not_is_refused_with_what_it_has) {
  EXPECT_THAT(path_of({"--step", "ps/0:1"}),
              EndsWith("tarry: ps 0 has no client, and so no steps; expected a task that trains, such as worker 0\n"));
  const Answer a = ask_tarry({"path", "000_hello", "--aggregate", "1"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("nothing is aggregated in this run; --step TASK:NUMBER asks for a step"));
}

TEST(Path, of_what_did_not_end_or_of_two_things_is_refused) {
  EXPECT_THAT(path_of({"--aggregate", "9"}), EndsWith("tarry: aggregate 9 did not end in this run\n"));
  EXPECT_THAT(path_of({"--aggregate", "1", "--step", "worker/1:1"}),
              EndsWith("tarry: --aggregate and --step: give one of them\n"));
}

constexpr char kChanges[] = R"(On the critical path, with seed 1, A -> B:
      0.090000 s ->     0.000000 s  computing     SparseSoftmaxCrossEntropyWithLogits on worker 1
      0.000000 s ->     0.080000 s  computing     SparseSoftmaxCrossEntropyWithLogits on worker 0
      0.000000 s ->     0.008000 s  latency       worker 0 to ps 0
      0.000000 s ->     0.007000 s  latency       ps 0 to worker 0
      0.006000 s ->     0.000000 s  latency       worker 1 to ps 0
      0.005000 s ->     0.000000 s  latency       ps 0 to worker 1
)";

TEST(Compare, tells_first_what_changed_most_on_the_critical_path) {
  const Folder f;
  std::string slower = kTwo;
  slower.replace(slower.find("30ms"), 4, "40ms");
  const std::string out = f.path() + "/out";
  (void)ask_tarry({"compare", f.put("two.yaml", kTwo), f.put("three.yaml", slower)}, out.c_str());
  EXPECT_THAT(*read_file(out), HasSubstr(kChanges));
}

}  // namespace
}  // namespace tarry
