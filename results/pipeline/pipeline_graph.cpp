#include "results/pipeline/pipeline_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <tuple>
#include <utility>

namespace tarry {
namespace {

using enum PipelineOp;
using Nodes = std::vector<std::uint32_t>;

struct Direction {
  PipelineOp compute, send, recv;
  int to;  // where a send goes, from stage to stage
};
constexpr Direction kDirections[] = {{forward_compute, forward_send, forward_recv, 1},
                                     {backward_compute, backward_send, backward_recv, -1}};

class GraphMaker {
 public:
  explicit GraphMaker(const PipelineTrace& trace) : trace_(trace), group_of_(trace.nodes.size(), kNone) {
    graph_.needs.resize(trace.nodes.size());
  }

  StatusOr<PipelineGraph> make() {
    for (std::uint32_t stage = 0; stage < trace_.stages; ++stage) {
      TARRY_RETURN_IF_ERROR(compute(stage));
      for (const Direction& d : kDirections) TARRY_RETURN_IF_ERROR(transfers(stage, d));
      gather_and_reduce(stage);
      TARRY_RETURN_IF_ERROR(after_computing(stage));
    }
    TARRY_RETURN_IF_ERROR(group_all());
    TARRY_RETURN_IF_ERROR(sort_groups());
    return std::move(graph_);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // All of a kind in a stage, by number.
  [[nodiscard]] Nodes all(PipelineOp op, std::uint32_t stage) const {
    Nodes out;
    for (auto it = std::ranges::lower_bound(trace_.nodes, PipelineNode{op, stage, 0});
         it != trace_.nodes.end() && it->op == op && it->stage == stage; ++it)
      out.push_back(static_cast<std::uint32_t>(it - trace_.nodes.begin()));
    return out;
  }
  [[nodiscard]] Nodes in_order_of_start(Nodes nodes) const {
    std::ranges::stable_sort(nodes, {}, [this](std::uint32_t n) { return trace_.starts[trace_.at(n, 0, 0)]; });
    return nodes;
  }
  void chain(const Nodes& nodes) {
    for (std::size_t i = 1; i < nodes.size(); ++i) needs(nodes[i], nodes[i - 1]);
  }
  void needs(std::uint32_t later, std::uint32_t earlier) { graph_.needs[later].push_back(earlier); }
  [[nodiscard]] Nodes computations(std::uint32_t stage) const {
    Nodes both = all(forward_compute, stage);
    const Nodes backward = all(backward_compute, stage);
    both.insert(both.end(), backward.begin(), backward.end());
    return in_order_of_start(std::move(both));
  }

  Status compute(std::uint32_t stage) {
    const Nodes order = computations(stage);
    if (all(forward_compute, stage).empty() || all(backward_compute, stage).empty())
      return invalid("stage {} has no forward-compute, or no backward-compute", stage);
    chain(order);
    const auto first_backward =
        std::ranges::find(order, backward_compute, [this](std::uint32_t n) { return trace_.nodes[n].op; });
    if (first_backward - order.begin() < 2) return {};
    for (const PipelineOp op : {backward_recv, backward_send})
      if (const Nodes of = all(op, stage); !of.empty()) needs(of[0], *(first_backward - 2));
    return {};
  }

  // Each stage sends to the next one and receives from the one before; those at the ends have no such stage.
  [[nodiscard]] bool has_stage(std::int64_t stage) const { return stage >= 0 && stage < trace_.stages; }
  Status transfers(std::uint32_t stage, const Direction& d) {
    const Nodes computed = all(d.compute, stage), sends = all(d.send, stage), receives = all(d.recv, stage);
    for (const auto& [nodes, op, peer] :
         {std::tuple(&sends, d.send, std::int64_t{stage} + d.to), {&receives, d.recv, std::int64_t{stage} - d.to}})
      if (nodes->size() != (has_stage(peer) ? computed.size() : 0))
        return invalid("stage {} has {} '{}' and {} '{}'", stage, nodes->size(), row_of(op).name, computed.size(),
                       row_of(d.compute).name);
    chain(sends), chain(receives);
    for (std::size_t i = 0; i < sends.size(); ++i) needs(sends[i], computed[i]);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      needs(computed[i], receives[i]);
      if (i > 0) needs(receives[i], computed[i - 1]);
    }
    return {};
  }

  void gather_and_reduce(std::uint32_t stage) {
    const Nodes gathers = all(params_all_gather, stage);
    Nodes both = gathers;
    const Nodes reduces = all(grads_reduce_scatter, stage);
    both.insert(both.end(), reduces.begin(), reduces.end());
    chain(in_order_of_start(std::move(both)));
    if (!gathers.empty()) needs(in_order_of_start(all(forward_compute, stage)).front(), gathers.back());
    if (overlaps(stage) && !reduces.empty()) needs(reduces[0], in_order_of_start(all(backward_compute, stage)).back());
  }
  [[nodiscard]] bool overlaps(std::uint32_t stage) const { return !all(separate_grads_all_reduce, stage).empty(); }

  Status after_computing(std::uint32_t stage) {
    for (const PipelineOp op : {gc, layernorm_grads_all_reduce, optimizer_clip_main_grad, optimizer})
      if (all(op, stage).size() != 1)
        return invalid("stage {} has '{}' {} times, expected once", stage, row_of(op).name, all(op, stage).size());
    const bool has_embedding = stage == 0 || stage + 1 == trace_.stages;
    if (all(embedding_grads_all_reduce, stage).size() != (has_embedding ? 1 : 0))
      return invalid("'{}' is in the first and the last stage, once; in stage {} it is {} times",
                     row_of(embedding_grads_all_reduce).name, stage, all(embedding_grads_all_reduce, stage).size());
    const Nodes first = all(gc, stage), reduces = all(grads_reduce_scatter, stage);
    needs(first[0], computations(stage).back());
    Nodes line = first;
    const auto add = [&](const Nodes& nodes) { line.insert(line.end(), nodes.begin(), nodes.end()); };
    add(all(layernorm_grads_all_reduce, stage));
    if (overlaps(stage) && !reduces.empty()) needs(line.back(), reduces.back());
    add(all(embedding_grads_all_reduce, stage));
    add(overlaps(stage) ? all(separate_grads_all_reduce, stage) : reduces);
    add(all(optimizer_clip_main_grad, stage));
    add(all(optimizer, stage));
    chain(line);
    return {};
  }

  void group(Nodes members, bool is_of_all_replicas = false) {
    for (const std::uint32_t n : members) group_of_[n] = static_cast<std::uint32_t>(graph_.groups.size());
    graph_.groups.push_back({std::move(members), is_of_all_replicas});
  }
  Status group_all() {
    for (std::uint32_t stage = 0; stage < trace_.stages; ++stage)
      for (const Direction& d : kDirections) {
        const Nodes sends = all(d.send, stage);
        if (sends.empty()) continue;
        const Nodes receives = all(d.recv, static_cast<std::uint32_t>(std::int64_t{stage} + d.to));
        if (receives.size() != sends.size())
          return invalid("stage {} has {} '{}' for {} '{}'", stage, sends.size(), row_of(d.send).name, receives.size(),
                         row_of(d.recv).name);
        for (std::size_t i = 0; i < sends.size(); ++i) group({sends[i], receives[i]});
      }
    Nodes embedding, clipping;
    for (std::uint32_t n = 0; n < trace_.nodes.size(); ++n) {
      if (trace_.nodes[n].op == embedding_grads_all_reduce) embedding.push_back(n);
      if (trace_.nodes[n].op == optimizer_clip_main_grad) clipping.push_back(n);
    }
    group(std::move(embedding));
    group(std::move(clipping), true);
    for (std::uint32_t n = 0; n < trace_.nodes.size(); ++n)
      if (group_of_[n] == kNone) group({n}, is_of_all_replicas(trace_.nodes[n].op));
    return {};
  }
  static bool is_of_all_replicas(PipelineOp op) {
    return op == params_all_gather || op == grads_reduce_scatter || op == separate_grads_all_reduce;
  }

  Status sort_groups() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> g(graph_.groups.size());
    for (std::uint32_t n = 0; n < graph_.needs.size(); ++n)
      for (const std::uint32_t earlier : graph_.needs[n]) add_edge(group_of_[n], group_of_[earlier], g);
    std::vector<std::size_t> order;
    try {
      boost::topological_sort(g, std::back_inserter(order));
    } catch (const boost::not_a_dag&) {
      return invalid("the ops of the trace wait for each other in a circle");
    }
    std::vector<PipelineGroup> sorted;
    for (const std::size_t i : order) sorted.push_back(std::move(graph_.groups[i]));
    graph_.groups = std::move(sorted);
    return {};
  }

  const PipelineTrace& trace_;
  PipelineGraph graph_;
  std::vector<std::uint32_t> group_of_;  // by node, before they are sorted
};

}  // namespace

StatusOr<PipelineGraph> pipeline_graph(const PipelineTrace& trace) { return GraphMaker(trace).make(); }

}  // namespace tarry
