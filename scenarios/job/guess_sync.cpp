#include "scenarios/job/guess_sync.hpp"

#include <algorithm>

#include "workers/tensor/tensor.hpp"
#include "workers/train/build/readiness.hpp"

namespace tarry {
namespace {

using Names = std::vector<std::string>;

class SyncGuess {
 public:
  SyncGuess(const GraphSpec& graph, const GraphEditor& nodes) : graph_(graph), nodes_(nodes) {
    queue_ = first([](const NodeSpec& n) { return n.op.starts_with("FIFOQueue") && n.name.ends_with("sync_token_q"); });
    step_ = first([](const NodeSpec& n) { return n.name.ends_with("sync_rep_local_step"); });
  }

  GuessedSync run() {
    if (queue_.empty() || step_.empty() || enqueues().empty()) return {};
    const Names all = named([](const NodeSpec& n) { return n.op.ends_with("ConditionalAccumulator"); });
    const Names sparse = named([](const NodeSpec& n) { return n.op == "SparseConditionalAccumulator"; });
    Names dense;
    std::ranges::copy_if(all, std::back_inserter(dense),
                         [&](const std::string& a) { return std::ranges::count(sparse, a) == 0; });
    const bool is_chief = enqueues().size() > 1;
    const std::int64_t needed = gradients_of_an_aggregate(), tokens = tokens_of(enqueues()[0]);
    const std::string first_op = is_chief ? scope_of(all.empty() ? "" : all[0]) + "/group_deps" : step_init();
    if (needed < 1 || first_op.empty() || !nodes_.has(first_op)) return {};
    return {{{"replicas_to_aggregate", needed},
             {"total_num_replicas", std::max(needed, tokens)},
             {"num_tokens", is_chief ? initial_tokens(needed) : -1},
             {"token_queue", queue_},
             {"chief_queue_runner", runner(is_chief)},
             {"init_tokens_op", is_chief ? nlohmann::ordered_json(enqueues()[1]) : nlohmann::ordered_json()},
             {"hook_local_init_op", first_op},
             {"ready_for_local_init_op", report()},
             {"local_step", step_},
             {"accumulators", dense},
             {"sparse_accumulators", sparse}},
            is_chief};
  }

 private:
  template <class Is>
  [[nodiscard]] Names named(const Is& is) const {
    Names out;
    for (const NodeSpec& n : graph_.nodes)
      if (is(n)) out.push_back(n.name);
    return out;
  }
  template <class Is>
  [[nodiscard]] std::string first(const Is& is) const {
    const auto it = std::ranges::find_if(graph_.nodes, is);
    return it == graph_.nodes.end() ? "" : it->name;
  }
  [[nodiscard]] static bool takes(const NodeSpec& n, const std::string& from) {
    return !n.inputs.empty() && node_of(n.inputs[0]) == from && !is_control(n.inputs[0]);
  }

  // Those of the aggregates, then those of the beginning.
  [[nodiscard]] Names enqueues() const {
    return named([&](const NodeSpec& n) { return n.op.starts_with("QueueEnqueueMany") && takes(n, queue_); });
  }

  [[nodiscard]] nlohmann::ordered_json runner(bool is_chief) const {
    const auto closes = [&](bool cancels) {
      return first([&](const NodeSpec& n) {
        const auto* c = n.attrs.get<bool>("cancel_pending_enqueues");
        return n.op.starts_with("QueueClose") && takes(n, queue_) && (c != nullptr && *c) == cancels;
      });
    };
    return {{"in_this_graph_runs", is_chief},
            {"sync_op", Names{enqueues()[0]}},
            {"close_op", closes(false)},
            {"cancel_op", closes(true)}};
  }

  // The scalar or the only element that the constant behind an input holds; -1 = there is no such constant.
  [[nodiscard]] std::int64_t number(const NodeSpec& n, std::size_t input) const {
    const std::string name = input < n.inputs.size() ? maker_of(nodes_, n.inputs[input]) : "";
    if (name.empty() || nodes_.at(name).op != "Const") return -1;
    const auto* spec = nodes_.at(name).attrs.get<std::shared_ptr<const TensorSpec>>("value");
    return spec == nullptr ? -1 : integer_or(from_spec(**spec, 1), -1);
  }

  [[nodiscard]] std::int64_t gradients_of_an_aggregate() const {
    const std::string take =
        first([](const NodeSpec& n) { return n.op.ends_with("AccumulatorTakeGradient") && n.inputs.size() > 1; });
    return take.empty() ? -1 : number(nodes_.at(take), 1);
  }

  // How many equal tokens the op puts into the queue.
  [[nodiscard]] std::int64_t tokens_of(const std::string& enqueue) const {
    const NodeSpec& n = nodes_.at(enqueue);
    if (n.inputs.size() < 2) return -1;
    const std::string fill(node_of(n.inputs[1]));
    return nodes_.has(fill) && nodes_.at(fill).op == "Fill" ? number(nodes_.at(fill), 0) : -1;
  }
  [[nodiscard]] std::int64_t initial_tokens(std::int64_t needed) const {
    const std::int64_t tokens = tokens_of(enqueues()[1]);
    return tokens == needed ? -1 : std::max<std::int64_t>(tokens, 0);
  }

  // The first op, beside the variable's own initialiser, that sets the local step; of a resource what reads it then.
  [[nodiscard]] std::string step_init() const {
    const std::string set = first([&](const NodeSpec& n) {
      return (n.op == "Assign" || n.op == "AssignVariableOp") && takes(n, step_) && n.name != step_ + "/Assign";
    });
    if (set.empty() || nodes_.at(set).op == "Assign") return set;
    return first(
        [&](const NodeSpec& n) { return n.op == "ReadVariableOp" && std::ranges::count(control_inputs(n), set) > 0; });
  }

  // The report of uninitialised variables that is no scaffold's: nothing takes it.
  [[nodiscard]] std::string report() const {
    for (const NodeSpec& n : graph_.nodes) {
      if (n.op != "GatherV2" || !n.name.ends_with("/boolean_mask/GatherV2") ||
          report_scope(nodes_, n.name + ":0").empty())
        continue;
      const auto takes_it = [&](const std::string& input) { return node_of(input) == n.name; };
      if (std::ranges::none_of(graph_.nodes,
                               [&](const NodeSpec& c) { return std::ranges::any_of(c.inputs, takes_it); }))
        return n.name + ":0";
    }
    return "";
  }

  const GraphSpec& graph_;
  const GraphEditor& nodes_;
  std::string queue_, step_;
};

}  // namespace

GuessedSync guess_sync(const GraphSpec& graph, const GraphEditor& nodes) { return SyncGuess(graph, nodes).run(); }

}  // namespace tarry
