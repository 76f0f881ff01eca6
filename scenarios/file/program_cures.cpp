#include "scenarios/file/program_cures.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "placer/core/text.hpp"
#include "scenarios/job/step_nodes.hpp"

namespace tarry {

Status enqueue_with_twice_the_threads(CuredJob& cured) {
  bool has_some = false;
  for (ClientJob& c : cured.job.clients)
    for (QueueRunner& runner : c.program.queue_runners) {
      if (!nodes_of_a_step(c).contains(runner.queue)) continue;  // names of files, say
      const std::vector<std::string> threads = runner.enqueue_ops;
      runner.enqueue_ops.insert(runner.enqueue_ops.end(), threads.begin(), threads.end());
      has_some = true;
    }
  cured.keys = "queue_runners of the graph's JSON file";
  return has_some ? Status() : invalid("no queue runner of the job prepares examples");
}

Status keep_nothing_back(CuredJob& cured) {
  constexpr const char* kKept = "min_after_dequeue";
  const std::vector<ClientJob> before = cured.job.clients;
  bool has_some = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto has_same = [&](const ClientJob& c) { return c.program.graph == before[i].program.graph; };
    const auto first = static_cast<std::size_t>(std::ranges::find_if(before, has_same) - before.begin());
    std::shared_ptr<const GraphSpec>& graph = cured.job.clients[i].program.graph;
    if (first < i) {  // clients that have one graph still do
      graph = cured.job.clients[first].program.graph;
      continue;
    }
    auto with = std::make_shared<GraphSpec>(*graph);
    for (NodeSpec& n : with->nodes)
      if (n.attrs.get<std::int64_t>(kKept) != nullptr) n.attrs.set(kKept, std::int64_t{0}), has_some = true;
    graph = std::move(with);
  }
  cured.keys = "min_after_dequeue in the graph";
  return has_some ? Status() : invalid("no queue of the job keeps examples back");
}

Status save_in_no_time(CuredJob& cured) {
  constexpr const char* kSave = "SaveV2";
  const auto is_of_saves = [&](const CostRule& r) {
    return r.node.find(kSave) != r.node.npos || (!r.op.empty() && r.op != "*" && matches_glob(kSave, r.op));
  };
  std::vector<CostRule>& rules = cured.job.costs.rules;
  if (std::ranges::none_of(rules, is_of_saves)) return invalid("no cost of the scenario stands for the disk alone");
  rules.insert(rules.begin(), CostRule{.op = kSave, .amount = Constant{0}});
  cured.keys = "costs of SaveV2";
  return {};
}

}  // namespace tarry
