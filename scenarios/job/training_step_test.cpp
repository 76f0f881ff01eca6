// Every recorded training graph takes a whole training step on the cluster that it names: sessions, initialisers,
// loops, queues and all.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "placer/device/name.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kBatch = 4;

// Every task that the graph names, all on one host, with GPUs up to the highest that a node asks for; a name without a
// task means the client's.
void add_tasks(const GraphSpec& g, const std::string& client, std::map<std::string, int>& gpus) {
  gpus.try_emplace(client, 0);
  for (const NodeSpec& n : g.nodes) {
    const auto name = parse_device_name(n.device);
    if (!name) continue;
    const std::string task =
        name->job ? fmt::format("/job:{}/replica:0/task:{}", *name->job, name->task.value_or(0)) : client;
    int& count = gpus[task];
    if (name->type == "GPU") count = std::max(count, name->id.value_or(0) + 1);
  }
}

ClusterSpec cluster_of(const std::map<std::string, int>& gpus) {
  ClusterSpec c;
  c.hosts.push_back({"host"});
  for (const auto& [task, count] : gpus)
    c.tasks.push_back({task, HostId{0u}, 0, std::vector<GpuSpec>(static_cast<std::size_t>(count))});
  return c;
}

ClientProgram program_of(const std::string& graph) {
  auto p = load_program(graph, kGraphs, {.batch = kBatch, .shapes = {}});
  EXPECT_TRUE(p.ok()) << p.status();
  ClientProgram program = p.ok() ? *std::move(p) : ClientProgram();
  if (const auto name = parse_device_name(program.task); !name || !name->job)
    program.task = "/job:worker/replica:0/task:0";
  program.task = to_string(*parse_device_name(program.task));
  if (program.task.find("/replica:") == std::string::npos)
    program.task.insert(program.task.find("/task:"), "/replica:0");
  return program;
}

// A non-chief's graph comes with its chief's, where that was recorded; else its client initialises the model itself.
std::vector<ClientProgram> programs_for(const std::string& graph) {
  std::vector<ClientProgram> programs = {program_of(graph)};
  if (programs[0].is_chief) return programs;
  const std::string chief = graph.substr(0, graph.rfind("_task")) + "_task0";
  const auto all = list_graphs(kGraphs);
  if (std::ranges::find(all, chief) != all.end())
    programs.push_back(program_of(chief));
  else
    programs[0].is_chief = true;
  return programs;
}

Job job_of(std::vector<ClientProgram> programs) {
  std::map<std::string, int> gpus;
  for (const ClientProgram& p : programs) add_tasks(*p.graph, p.task, gpus);
  Job job{.cluster = cluster_of(gpus), .start_together = false};
  for (ClientProgram& p : programs) {
    ClientJob c{find_task(job.cluster, p.task), std::move(p), {}};
    c.options.session.soft_placement = true;  // some graphs ask for a GPU on a parameter server
    c.options.joins_gate = false;
    c.options.steps = 1;
    job.clients.push_back(std::move(c));
  }
  job.stop.time = 400'000'000'000;
  return job;
}

class Steps : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Graph, Steps, ::testing::ValuesIn(list_graphs(kGraphs)),
                         [](const auto& info) { return info.param; });

struct Seen {
  int train_steps = 0;  // that ended well, of the task asked for
  std::string errors;   // of clients that left with one
};

Seen look(const EventLog& log, TaskId task) {
  Seen seen;
  std::vector<StepId> training;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event);
        began != nullptr && began->task == task && began->purpose == Purpose::train)
      training.push_back(began->step);
    if (const auto* ended = std::get_if<StepEnded>(&e.event); ended != nullptr && ended->code == 0)
      seen.train_steps += static_cast<int>(std::ranges::count(training, ended->step));
    if (const auto* moved = std::get_if<SessionMoved>(&e.event);
        moved != nullptr && moved->stage == SessionStage::failed)
      seen.errors += std::string(log.name(moved->detail)) + "\n";
  }
  return seen;
}

// Graphs whose step depends on what is fed, where zeros will not do: the error that says so.
const std::map<std::string, std::string>& value_bound() {
  static const std::map<std::string, std::string> all = {
      {"cond_update_ps2_task0",
       "the predicate of 'cond_1/truediv/Switch' has no value here"},  // the loss of fed images
      {"wide_deep_ps3_task0",
       "Dimension 0 in both shapes must be equal"},  // sparse features without a row for every example
      {"wide_deep_res_ps2_task1", "Dimension 0 in both shapes must be equal"},
  };
  return all;
}

TEST_P(Steps, takes_one_whole_training_step) {
  const Job job = job_of(programs_for(GetParam()));
  const Seen seen = look(run_here(job).log, job.clients[0].task);
  if (const auto it = value_bound().find(GetParam()); it != value_bound().end()) {
    EXPECT_NE(seen.errors.find(it->second), std::string::npos) << seen.errors;
    return;
  }
  EXPECT_EQ(seen.errors, "");
  EXPECT_EQ(seen.train_steps, 1);
}

}  // namespace
}  // namespace tarry
