#include "scenarios/file/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "placer/core/folder_test.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kJob = R"(cluster:
  hosts: [h]
  tasks: {ps/0: h, worker/0: h, worker/1: h}
programs:
  - {task: worker/0, graph: softmax_async_ps1_task0}
  - {task: worker/1, graph: softmax_async_ps1_task1}
feeds: {batch: 4, shapes: {"x:0": [4, 784]}}
costs:
  - {op: MatMul, time: 1s}
training: {workers: {worker/1: {start_after: 1s}}}
stop: {steps: 5}
)";

// What is said of the job with one piece of its text exchanged; "" = nothing.
std::string said_of(std::string_view old, std::string_view replacement) {
  std::string text(kJob);
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  const auto s = parse_scenario(text.replace(at, old.size(), replacement), "s.yaml");
  if (!s.ok()) return std::string(text_of(s.status()));
  return std::string(text_of(make_job(*s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}}).status()));
}

struct Mistake {
  const char *old_text, *new_text, *message;
};
constexpr Mistake kMistakes[] = {
    {"op: MatMul", "op: MatMull",
     "s.yaml:9:5: no node of the job's graphs has the op 'MatMull'; did you mean 'MatMul'?"},
    {"op: MatMul", "op: SparseSoftmaxCrossEntropy",
     "s.yaml:9:5: no node of the job's graphs has the op 'SparseSoftmaxCrossEntropy'; did you mean "
     "'SparseSoftmaxCrossEntropyWithLogits'?"},
    {"op: MatMul", "op: 'Konv*'", "s.yaml:9:5: no node of the job's graphs has the op 'Konv*'"},
    {"op: MatMul", "node: softmax/MatMull",
     "s.yaml:9:5: no node of the job's graphs is called 'softmax/MatMull'; did you mean 'softmax/MatMul'?"},
    {"op: MatMul", "node: x, op: MatMul",
     "s.yaml:9:5: no node of the job's graphs is called 'x' and has the op 'MatMul'"},
    {"op: MatMul", "op: MatMul, device: gpu",
     "s.yaml:9:26: no task of the cluster has a GPU; 'gpus' of a task says how many"},
    {"op: MatMul", "op: MatMul, task: wroker/0", "s.yaml:9:24: unknown task 'wroker/0'; did you mean 'worker/0'?"},
    {"op: MatMul", "op: MatMul, job: ps, task: worker/0", "s.yaml:9:33: task 'worker/0' is not of job 'ps'"},
    {"\"x:0\"", "\"x:1\"", "s.yaml:7:28: the job's clients feed no 'x:1'; did you mean 'x:0'?"},
    {"worker/1: h", "worker/1: h, wroker/2: h",
     "s.yaml:3:46: no client and no node of the job's graphs is of job 'wroker'; did you mean 'worker'?"},
    {"start_after: 1s", "also: [GradientDescen]",
     "s.yaml:10:22: also: the graph softmax_async_ps1_task1 has no op 'GradientDescen'; did you mean "
     "'GradientDescent'?"},
    {"softmax_async_ps1_task1", "softmax_async_ps1_task7",
     "s.yaml:6:29: the program of /job:worker/replica:0/task:1: no graph 'softmax_async_ps1_task7' in"},
    {"softmax_async_ps1_task1", "mine.pb",
     "s.yaml:6:29: the program of /job:worker/replica:0/task:1: mine.pb: no such file; expected a GraphDef"},
    {"steps: 5", "aggregates: 5", "s.yaml:11:7: stop: aggregates: this job is asynchronous"},
    {"stop:", "measured: [no.pb]\nstop:", "s.yaml:11:12: measured: no.pb: no such file"},
    {"start_after: 1s", "absent: true}, worker/0: {absent: true",
     "s.yaml:10:11: no client runs: every program's worker is absent"},
};

TEST(Names, that_fit_nothing_are_mistakes_and_told_with_their_place_and_what_may_be_meant) {
  for (const auto& [old_text, new_text, message] : kMistakes)
    EXPECT_THAT(said_of(old_text, new_text), HasSubstr(message)) << new_text;
}

TEST(Names, of_what_cutting_a_graph_adds_end_in_a_letter_and_a_number) {
  for (const char* name : {"x_S12", "x_G1", "softmax/x_S*"})
    EXPECT_EQ(said_of("op: MatMul", "node: " + std::string(name)), "") << name;
  for (const char* name : {"x_S", "x_T12", "x_S1a", "xS12"})
    EXPECT_THAT(said_of("op: MatMul", "node: " + std::string(name)), HasSubstr("no node of the job's graphs is called"))
        << name;
}

TEST(Names, of_ops_in_faults_are_looked_up_too_unless_a_star_is_in_them) {
  const auto said = [](const std::string& op) {
    return said_of(
        "stop:", "faults: [{at: 1s, heavy_tail: {task: worker/0, op: '" + op + "', one_in: 2, percent: 200}}]\nstop:");
  };
  EXPECT_THAT(said("MatMull"), HasSubstr("no node of the job's graphs has the op 'MatMull'; did you mean 'MatMul'?"));
  for (const char* op : {"MatMul", "*MatMull*", "_Recv"}) EXPECT_EQ(said(op), "") << op;
}

TEST(Names, of_what_cutting_a_graph_adds_are_none) {
  for (const char* rule : {"op: _Recv", "op: _Send, job: ps", "op: 'Mat*'", "node: 'x_S*'", "node: 'softmax/*'"})
    EXPECT_EQ(said_of("op: MatMul", rule), "") << rule;
}

TEST(Names, in_the_graph_of_an_absent_worker_are_there) {
  EXPECT_EQ(said_of("start_after: 1s", "absent: true"), "");
  const std::string of_chief = "absent: true}, worker/0: {absent: true";
  EXPECT_THAT(said_of("start_after: 1s", of_chief), testing::Not(HasSubstr("MatMul")));
}

TEST(Names, of_tasks_are_as_short_as_people_write_them) {
  EXPECT_EQ(short_task("/job:worker/replica:0/task:12"), "worker/12");
  EXPECT_EQ(short_task("/job:worker/replica:1/task:12"), "/job:worker/replica:1/task:12");
}

TEST(Names, of_workers_that_a_built_job_does_not_have_are_mistakes) {
  const auto s = parse_scenario(
      "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h, worker/1: h}}\nbuild: {graph: softmax_async_ps1_task0, "
      "workers: 1}\nstop: {time: 1s}\n",
      "s.yaml");
  EXPECT_EQ(text_of(s.status()),
            "s.yaml:2:8: the cluster has 2 workers, and the job is built for 1: the others would do nothing");
}

// What is said of a job that is built from a graph whose sidecar was changed.
std::string said_of_sidecar(const std::string& pointer, const Json& value, const std::string& protocol = "async") {
  const Folder folder;
  fs::copy_file(kGraphs + "/softmax_async_ps1_task0.pb.zst", folder.path() + "/mine.pb.zst");
  Json sidecar;
  std::ifstream(kGraphs + "/softmax_async_ps1_task0.json") >> sidecar;
  sidecar["name"] = "mine";
  sidecar[Json::json_pointer(pointer)] = value;
  folder.put("mine.json", sidecar.dump());
  const auto s = parse_scenario(
      "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h}}\nbuild: {graph: mine.pb.zst, protocol: " + protocol +
          "}\n"
          "stop: {time: 1s}\n",
      folder.path() + "/s.yaml");
  const auto job = make_job(s.value(), {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}});
  return std::string(text_of(job.status()));
}

TEST(Names, of_the_task_that_a_built_graph_was_made_for_are_looked_up_in_the_cluster) {
  EXPECT_THAT(said_of_sidecar("/task", "/job:trainer/task:0"),
              HasSubstr("s.yaml:2:16: no client runs: the graph mine was built for /job:trainer/task:0 ('task' in its "
                        "sidecar), and the cluster has no such task"));
}

TEST(Names, that_a_sidecar_leaves_out_and_a_built_job_needs_are_given_with_the_error) {
  EXPECT_THAT(said_of_sidecar("/session/local_init_op", "", "replicated"),
              HasSubstr("its sidecar leaves out what the graph has: add to 'session' \"local_init_op\": \""));
  EXPECT_EQ(said_of_sidecar("/session/saver", {{"restore_op", ""}}), "") << "it can be built without";
}

std::string said_of_graph(const std::string& graph, const std::string& feeds) {
  const std::string text =
      "cluster: {hosts: [h], tasks: {ps/0: h, ps/1: h, ps/2: h, worker/0: h}}\n"
      "programs:\n  - {task: worker/0, graph: " +
      graph + "}\nfeeds: " + feeds + "\nstop: {steps: 1}\n";
  const auto s = parse_scenario(text, "s.yaml");
  return std::string(text_of(make_job(*s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = {}}).status()));
}

TEST(Batch, that_no_feed_leaves_open_is_a_mistake) {
  EXPECT_EQ(said_of_graph("input_files_ps1_task0", "{batch: 4}"),
            "s.yaml:4:8: feeds: batch: 4 would change nothing: the job's clients feed nothing; leave it out");
  EXPECT_EQ(said_of_graph("lstm_lm_ps3_task0", "{batch: 4}"),
            "s.yaml:4:8: feeds: batch: 4 would change nothing: every feed has its sizes, such as lengths:0 with [32]; "
            "leave it out");
  EXPECT_EQ(said_of_graph("softmax_async_ps1_task0", "{batch: 4}"), "");
  EXPECT_EQ(said_of_graph("lstm_lm_ps3_task0", "{batch: 1}"), "");  // what it is without a word
}

TEST(Files, that_no_reader_reads_are_a_mistake) {
  const std::string files = "{files: [{name: a, records: 9}]}";
  EXPECT_EQ(said_of_graph("softmax_async_ps1_task0", files),
            "s.yaml:4:17: feeds: files: 'a' would change nothing: no graph of the job has a reader; leave it out");
  EXPECT_EQ(said_of_graph("input_files_ps1_task0", files), "");
}

}  // namespace
}  // namespace tarry
