#include "properties/conform/sync_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/programs.hpp"
#include "scenarios/job/shipped_graphs.hpp"
#include "workers/train/build/graph_editor.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

using Vars = std::vector<RecordedVariable>;
using testing::HasSubstr;

// The server of each variable of a graph that is laid out so, in order of creation.
std::vector<int> servers_after(const Vars& vars, bool is_resource = false) {
  auto program = load_program(one_workers_graph(vars, is_resource), kGraphs, {});
  EXPECT_TRUE(program.ok()) << program.status();
  const Status done = lay_out(*program, vars);
  EXPECT_TRUE(done.ok()) << done;
  std::vector<int> servers;
  for (const ModelVariable& v : find_variables(GraphEditor(*program->graph)))
    if (v.name != program->global_step) servers.push_back(ps_task_of(v.device).value_or(-1));
  return servers;
}

TEST(Layout, puts_variables_on_the_recorded_servers) {
  EXPECT_EQ(servers_after({{"v0", 0}}), (std::vector{0, 0}));
  EXPECT_EQ(servers_after({{"v0", 1}}), (std::vector{1, 1}));
  EXPECT_EQ(servers_after({{"v0", 1}, {"v1", 0}}), (std::vector{1, 0}));
  EXPECT_EQ(servers_after({{"v0", 0}, {"v1", 1}, {"v2", 0}}), (std::vector{0, 1, 0}));
  EXPECT_EQ(servers_after({{"v0", 1}, {"v1", 1}, {"v2", 0}}, true), (std::vector{1, 0}));
  EXPECT_EQ(servers_after({{"v0", 3}, {"v1", 2}, {"v2", 1}, {"v3", 0}}), (std::vector{3, 2, 1, 0}));
}

TEST(Layout, refuses_more_servers_than_there_are_variables) {
  auto program = load_program("softmax_async_ps2_task0", kGraphs, {});
  ASSERT_TRUE(program.ok());
  EXPECT_THAT(std::string(text_of(lay_out(*program, {{"v0", 0}, {"v1", 1}, {"v2", 2}}))),
              HasSubstr("vars are on 3 servers"));
}

TEST(Layout, of_recorded_graphs_says_which_variable_is_which) {
  const auto stand_ins_in = [](const char* graph, const Vars& vars) {
    return stand_ins(*load_program(graph, kGraphs, {}), vars);
  };
  using Map = std::map<std::string, std::size_t>;
  EXPECT_EQ(stand_ins_in("softmax_async_ps2_task0", {{"v0", 0}, {"v1", 1}}),
            (Map{{"softmax/kernel", 1}, {"softmax/bias", 0}}));
  EXPECT_EQ(stand_ins_in("softmax_async_ps1_task0", {{"v0", 0}}), (Map{{"softmax/kernel", 0}, {"softmax/bias", 0}}));
  EXPECT_EQ(stand_ins_in("softmax_async_ps1_task0", {{"v0", 0}, {"v1", 0}}),
            (Map{{"softmax/kernel", 0}, {"softmax/bias", 1}}));
}

TEST(Layout, is_part_of_the_cluster_that_a_recording_describes) {
  const nlohmann::json config = {{"W", 2},
                                 {"R", 2},
                                 {"P", 2},
                                 {"G", 5},
                                 {"compute", {{0.1}, {0.1}}},
                                 {"num_tokens", -1},
                                 {"variables", "ref"},
                                 {"vars", {{{"name", "v0"}, {"ps", 1}}}}};
  const auto read = read_config(config);
  ASSERT_TRUE(read.ok()) << read.status();
  const auto job = make_job(*read, kGraphs, 0);
  ASSERT_TRUE(job.ok()) << job.status();
  for (const auto& [variable, recorded] : stand_ins(job->clients[0].program, read->vars)) EXPECT_EQ(recorded, 0u);
  std::set<std::optional<int>> servers;  // of accumulators
  for (const NodeSpec& n : job->clients[0].program.graph->nodes)
    if (n.op.ends_with("ConditionalAccumulator")) servers.insert(ps_task_of(n.device));
  EXPECT_EQ(servers, std::set{std::optional(1)});
  nlohmann::json elsewhere = config;
  elsewhere["vars"][0]["ps"] = 2;
  EXPECT_THAT(std::string(text_of(read_config(elsewhere).status())), HasSubstr("v0 is on ps 2 of 2"));
  elsewhere.erase("vars");
  EXPECT_THAT(std::string(text_of(read_config(elsewhere).status())), HasSubstr("'vars'"));
}

}  // namespace
}  // namespace tarry
