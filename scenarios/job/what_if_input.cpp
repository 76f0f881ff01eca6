// What reading and preparing examples costs.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/job/step_nodes.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

constexpr double kShows = 0.10;  // of the run, on one task

class Input {
 public:
  Input(const Job& job, const Outcome& outcome) : job_(job), outcome_(outcome), free_(job) {
    for (const ClientJob& c : job.clients)
      if (auto nodes = nodes_of_its_input(c); !nodes.empty()) nodes_[c.task] = std::move(nodes);
    if (nodes_.empty()) return;
    for (const NodeUse& n : outcome.stats.nodes) count(n);
  }

  void add(std::vector<WhatIf>& out) {
    const auto busiest = std::ranges::max_element(busy_, {}, [](const auto& of_task) { return of_task.second; });
    if (busiest == busy_.end() ||
        static_cast<double>(busiest->second) < kShows * static_cast<double>(outcome_.log.ended_at))
      return;
    const auto op = std::ranges::max_element(by_op_, {}, [](const auto& of_op) { return of_op.second; });
    out.push_back(
        {{.cause = Proof::Cause::input,
          .a = op->first,
          .what = fmt::format("the kernels that read and prepare examples ran for {:.3f} s on {}, added up, in "
                              "{:.3f} s; most of that is {}",
                              in_seconds(busiest->second), outcome_.tasks.show(busiest->first),
                              in_seconds(outcome_.log.ended_at), op->first),
          .instead = "with examples that are read and prepared in no time",
          .together = true},
         std::move(free_)});
  }

 private:
  // What runs on a task without a client, such as a parameter server, may be of any.
  [[nodiscard]] bool is_input(TaskId task, std::string_view node) const {
    const bool is_one_clients = job_.clients.size() > 1 && std::ranges::count(job_.clients, task, &ClientJob::task) > 0;
    return std::ranges::any_of(nodes_, [&](const auto& of_client) {
      return (!is_one_clients || of_client.first == task) && of_client.second.contains(node);
    });
  }
  void count(const NodeUse& n) {
    const std::string_view node = outcome_.log.name(n.node);
    if (n.time == 0 || !is_input(n.task, node)) return;
    busy_[n.task] += n.time;
    by_op_[op_of(node)] += n.time;
    free_.costs.node_paces[job_.cluster.tasks[n.task.index()].name][std::string(node)] = 0;
  }
  [[nodiscard]] std::string op_of(std::string_view node) const {
    for (const ClientJob& c : job_.clients) {
      if (c.program.graph == nullptr) continue;
      const auto found = std::ranges::find(c.program.graph->nodes, node, &NodeSpec::name);
      if (found != c.program.graph->nodes.end()) return found->op;
    }
    return "";
  }

  const Job& job_;
  const Outcome& outcome_;
  Job free_;
  std::map<TaskId, std::set<std::string_view>> nodes_;  // by client
  std::map<TaskId, Nanos> busy_;
  std::map<std::string, Nanos> by_op_;
};

}  // namespace

void add_input_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  Input(job, outcome).add(out);
}

}  // namespace tarry
