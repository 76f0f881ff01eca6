// `tarry new`, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kGraphs = TARRY_SOURCE_DIR "/scenarios/graphs/";

Json made(const Folder& f, const std::string& graph) {
  const std::string out = f.path() + "/out";
  const Answer a = ask_tarry({"new", kGraphs + graph + ".pb.zst", "--out", f.path() + "/job", "--json"}, out.c_str());
  EXPECT_EQ(a.exit_code, 0) << a.message;
  return Json::parse(*read_file(out));
}

TEST(New, makes_a_scenario_that_runs_with_any_number_of_workers) {
  const Folder f;
  EXPECT_THAT(made(f, "softmax_async_ps1_task0")["missing"], testing::IsEmpty());
  const std::string out = f.path() + "/run";
  for (const char* workers : {"2", "5"}) {
    EXPECT_EQ(ask_tarry({"run", f.path() + "/job", "--workers", workers, "--json"}, out.c_str()).exit_code, 0);
    const Json report = Json::parse(*read_file(out));
    EXPECT_EQ(std::to_string(report["workers"].size()), workers);
    EXPECT_EQ(report["verdicts"].back()["kind"], "asynchronous");
  }
  EXPECT_EQ(ask_tarry({"run", f.path() + "/job", "--set", "build.protocol=sync"}).exit_code, 0);
}

TEST(New, says_what_the_graph_does_not_tell) {
  const Folder f;
  EXPECT_THAT(made(f, "resnet50_towers_gpu4")["missing"].get<std::vector<std::string>>(),
              Contains(HasSubstr("the training step")));
}

TEST(New, of_a_synchronous_worker_s_graph_is_a_synchronous_job) {
  const Folder f;
  EXPECT_THAT(made(f, "sync_softmax_w3_r3_ps1_task0")["missing"], testing::IsEmpty());
  const std::string out = f.path() + "/run";
  EXPECT_EQ(ask_tarry({"run", f.path() + "/job", "--json"}, out.c_str()).exit_code, 0);
  EXPECT_EQ(Json::parse(*read_file(out))["workers"].size(), 3u);
}

TEST(New, asks_for_all_values_where_predicates_depend_on_feeds) {
  const std::string key = "  values_up_to: all  # predicates depend on values\n";
  for (const auto& [graph, depends] : {std::pair("cond_update_ps2_task0", true), {"softmax_async_ps1_task0", false}}) {
    const Folder f;
    made(f, graph);
    EXPECT_EQ(read_file(f.path() + "/job/scenario.yaml")->find(key) != std::string::npos, depends) << graph;
  }
}

TEST(New, of_a_graph_for_one_client_runs_it_as_it_is) {
  const Folder f;
  made(f, "cond_in_loop_two_tasks");
  EXPECT_THAT(*read_file(f.path() + "/job/scenario.yaml"), HasSubstr("programs:\n  - {task: /job:worker/task:0"));
  EXPECT_EQ(ask_tarry({"run", f.path() + "/job"}).exit_code, 0);
}

TEST(New, of_graphs_that_need_more_than_zeros_or_ask_for_gpus_runs_at_once) {
  for (const char* graph :
       {"wide_deep_ps3_task0", "cond_update_ps2_task0", "mlp_adam_async_res_ps2_task0", "cond_in_loop_gpu"}) {
    const Folder f;
    made(f, graph);
    const Answer run = ask_tarry({"run", f.path() + "/job", "--set", "stop={steps: 2}"});
    EXPECT_EQ(run.exit_code, 0) << graph << run.message;
  }
}

TEST(New, of_a_graph_for_gpus_gives_them_figures) {
  const Folder f;
  made(f, "mlp_adam_async_res_ps2_task0");
  const std::string scenario = *read_file(f.path() + "/job/scenario.yaml");
  EXPECT_THAT(scenario, HasSubstr("    gpu: {flops: "));
  EXPECT_THAT(scenario, HasSubstr("  soft_placement: true"));
}

TEST(New, takes_a_graph_that_ships_by_its_name) {
  const Folder f;
  const std::string job = f.path() + "/job";
  EXPECT_EQ(ask_tarry({"new", "softmax_async_ps1_task0", "--out", job}).exit_code, 0);
  EXPECT_THAT(*read_file(job + "/scenario.yaml"), HasSubstr("graph: softmax_async_ps1_task0, protocol: async}"));
  EXPECT_FALSE(std::filesystem::exists(job + "/softmax_async_ps1_task0.pb")) << "it has its files already";
  EXPECT_EQ(ask_tarry({"run", job}).exit_code, 0);
  EXPECT_THAT(ask_tarry({"new", "softmax_async_ps1_task", "--out", f.path() + "/other"}).message,
              HasSubstr("did you mean 'softmax_async_ps1_task0'?"));
}

TEST(ListGraphs, names_each_with_what_a_client_feeds) {
  const Folder f;
  const std::string out = f.path() + "/out";
  EXPECT_EQ(ask_tarry({"list", "--graphs", "softmax", "asynchronous"}, out.c_str()).exit_code, 0);
  EXPECT_THAT(*read_file(out), HasSubstr("softmax_async_ps1_task0 "));
  EXPECT_THAT(*read_file(out), HasSubstr("feeds: x:0 float32 [?, 784], y:0 int64 [?]\n"));
  EXPECT_THAT(*read_file(out), testing::Not(HasSubstr("resnet")));
  EXPECT_THAT(ask_tarry({"list", "--graphs", "flying"}).message, HasSubstr("no graph speaks of flying"));
}

TEST(New, replaces_nothing_and_takes_no_folder) {
  const Folder f;
  const std::string job = f.path() + "/job";
  made(f, "softmax_async_ps1_task0");
  const Answer again = ask_tarry({"new", kGraphs + "softmax_async_ps1_task0.pb.zst", "--out", job});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.message, HasSubstr("/job/scenario.yaml: is there already; expected a new folder: --out DIR"));
  EXPECT_THAT(ask_tarry({"new", job}).message, HasSubstr("is a scenario already: tarry run"));
  EXPECT_THAT(ask_tarry({"new", f.path()}).message, HasSubstr("a folder; expected a GraphDef or MetaGraphDef"));
  EXPECT_THAT(ask_tarry({"new", f.put("saved_model.pb", "x")}).message,
              HasSubstr("expected a GraphDef or MetaGraphDef"));
  EXPECT_THAT(ask_tarry({"new", f.path()}).message, HasSubstr("a SavedModel is for serving"));
}

// ---- the scenarios that ship ----

TEST(List, finds_a_scenario_by_all_that_it_is_about) {
  const Folder f;
  const std::string out = f.path() + "/out";
  const auto finds = [&](const std::string& words, const char* scenario) {
    (void)ask_tarry({"list", words}, out.c_str());
    return read_file(out)->find(scenario) != std::string::npos;
  };
  for (const char* words : {"40", "040", "worker_dies", "worker dies", "straggler", "kill", "no worker to spare",
                            "#7970", "right to push one"})
    EXPECT_TRUE(finds(words, "040_worker_dies ")) << words;
  EXPECT_TRUE(finds("latency_bound", "011_ps_apart "));
  EXPECT_TRUE(finds("latency bound", "011_ps_apart "));
  EXPECT_FALSE(finds("pause", "040_worker_dies ")) << "it has another fault";
}

}  // namespace
}  // namespace tarry
