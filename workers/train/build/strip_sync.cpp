#include "workers/train/build/strip_sync.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "workers/train/build/accumulators.hpp"
#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/readiness.hpp"

namespace tarry {
namespace {

class Stripper {
 public:
  Stripper(ClientProgram& program, GraphEditor& g)
      : program_(program), sync_(*program.sync), g_(g), worker_(worker_device(g, program.task)) {}

  Status strip() {
    TARRY_RETURN_IF_ERROR(check_facts());
    const std::string train_op = train_op_behind_sync_op();
    if (train_op.empty())
      return invalid(
          "the chief's queue runner runs {}, which does not put tokens in behind one apply_gradients "
          "(variable_averages, for example, are not taken)",
          sync_.chief_runner.enqueue_ops[0]);
    for (const std::string& end : ends_of_step()) replace_step(g_, program_, end, train_op);
    TARRY_ASSIGN(const TrainOp train, find_train_op(g_, program_));
    for (const Gradient& gradient : train.gradients) TARRY_RETURN_IF_ERROR(give_back(gradient));
    move_optimizer(train);
    forget_local_step();
    erase_all();
    program_.sync.reset();
    return {};
  }

 private:
  Status check_facts() const {
    const std::string sync_op = sync_.chief_runner.enqueue_ops.empty() ? "" : sync_.chief_runner.enqueue_ops[0];
    for (const std::string& node : {sync_op, sync_.token_queue, sync_.local_step})
      if (!g_.has(node)) return invalid("SyncReplicasOptimizer's '{}' is not in its graph", node);
    return {};
  }

  // The sync op fills tokens behind the update.
  [[nodiscard]] std::string train_op_behind_sync_op() const {
    std::string name = sync_.chief_runner.enqueue_ops[0];
    for (const std::size_t input : {1, 0})  // the tokens, their number
      if (g_.has(name) && g_.at(name).inputs.size() > input) name = std::string(node_of(g_.at(name).inputs[input]));
    const auto behind = g_.has(name) ? control_inputs(g_.at(name)) : std::vector<std::string>{};
    const auto counter = std::ranges::find_if(behind, [&](const std::string& op) {
      return g_.has(op) && !g_.at(op).inputs.empty() && g_.at(op).inputs[0] == program_.global_step;
    });
    return counter == behind.end() ? "" : *counter;
  }

  // A worker's step ends when it has set local_step to a token that it took, and has read a handle's value again.
  [[nodiscard]] std::vector<std::string> ends_of_step() const {
    std::vector<std::string> ends;
    for (const std::string& name : g_.names())
      if (const NodeSpec& n = g_.at(name); n.inputs.size() > 1 && n.inputs[0] == sync_.local_step)
        if (takes_token(n) || std::ranges::any_of(ends, [&](const auto& set) { return n.inputs[1] == "^" + set; }))
          ends.push_back(name);
    return ends;
  }
  [[nodiscard]] bool takes_token(const NodeSpec& assign) const {
    const std::string value(node_of(assign.inputs[1]));
    return g_.has(value) && !g_.at(value).inputs.empty() && g_.at(value).inputs[0] == sync_.token_queue;
  }

  [[nodiscard]] const NodeSpec* push_into(const std::string& accumulator) const {
    for (const std::string& name : g_.names())
      if (const NodeSpec& n = g_.at(name); n.op.ends_with("ccumulatorApplyGradient") && n.inputs[0] == accumulator)
        return &n;
    return nullptr;
  }

  [[nodiscard]] std::string before_cast(const std::string& tensor) const {
    const NodeSpec& n = g_.at(node_of(tensor));
    return n.op == "Cast" && is_under(n.name, kSyncScope) ? n.inputs[0] : tensor;
  }

  // What the optimizer takes from an accumulator is what the worker pushed into it.
  Status give_back(const Gradient& gradient) {
    const std::string take(node_of(gradient.values));
    const NodeSpec* push = g_.at(take).inputs.empty() ? nullptr : push_into(g_.at(take).inputs[0]);
    if (push == nullptr || push->inputs.size() < (gradient.is_sparse() ? 5u : 3u))
      return invalid("nothing is pushed into the accumulator of {}", gradient.variable);
    if (!gradient.is_sparse()) return replace_gradient(g_, gradient, {push->inputs[2], "", {}}), absl::OkStatus();
    const std::string indices = before_cast(push->inputs[2]);
    const auto* cast_from = g_.at(node_of(push->inputs[2])).attrs.get<DataType>("SrcT");
    replace_gradient(
        g_, gradient,
        {push->inputs[3], indices, indices != push->inputs[2] && cast_from != nullptr ? *cast_from : DataType::kInt64});
    return {};
  }

  void move_optimizer(const TrainOp& train) {
    const std::string device = within(worker_, g_.at(train.global_step).device);
    Group update = take_group(g_, train.name + "/update");
    for (const std::string& name : g_.names_under(train.name))
      if (g_.at(name).device == device && colocated_with(g_.at(name)).empty()) g_.at(name).device = worker_;
    update.scope = worker_;
    if (!update.ops.empty()) add_group(g_, update);
  }

  void forget_local_step() {
    if (const std::string ready = report_scope(g_, program_.ready); !ready.empty()) {
      auto reported = reported_variables(g_, ready);
      std::erase(reported, sync_.local_step);
      set_reported_variables(g_, ready, reported);
    }
    if (const std::string hook = report_scope(g_, sync_.ready_for_local_init); !hook.empty()) erase_report(g_, hook);
    number_reports_down(g_);
    forget_local_init();
  }

  void forget_local_init() {
    const Group scaffold = take_group(g_, program_.local_init_op);
    Group init = take_group(g_, local_variables_init(g_, scaffold));
    init.scope.clear();
    std::erase(init.ops, sync_.local_step + "/Assign");
    if (!init.name.empty()) add_group(g_, init);
    if (!scaffold.name.empty()) add_group(g_, scaffold);
  }

  // ---- what is left over ----

  using Users = std::map<std::string, std::vector<std::string>, std::less<>>;
  [[nodiscard]] Users users() const {
    Users users;
    for (const std::string& name : g_.names())
      for (const std::string& input : g_.at(name).inputs) users[std::string(node_of(input))].push_back(name);
    return users;
  }

  static void add_users(const Users& users, const std::string& of, std::set<std::string>& out) {
    if (!out.insert(of).second) return;
    if (const auto found = users.find(of); found != users.end())
      for (const std::string& user : found->second) add_users(users, user, out);
  }

  // Made for nobody but what goes: constants, the tokens that they fill, reads of steps, casts of the accumulators'.
  [[nodiscard]] bool only_served(const std::string& name, const Users& users, const std::set<std::string>& gone) const {
    const NodeSpec& n = g_.at(name);
    const bool is_helper =
        n.op == "Const" || n.op == "Fill" || n.op == "ReadVariableOp" || (n.op == "Cast" && is_under(name, kSyncScope));
    const std::string with = colocated_with(n);
    return is_helper && (with.empty() || gone.contains(with)) &&
           std::ranges::all_of(users.at(name), [&](const std::string& user) { return gone.contains(user); });
  }

  // Whether there was one more.
  bool add_helpers(const Users& users, std::set<std::string>& gone) const {
    std::set<std::string> found;
    for (const std::string& name : gone)
      for (const std::string& input : g_.has(name) ? g_.at(name).inputs : std::vector<std::string>{})
        if (const std::string node(node_of(input));
            !gone.contains(node) && g_.has(node) && only_served(node, users, gone))
          found.insert(node);
    gone.insert(found.begin(), found.end());
    return !found.empty();
  }

  void erase_all() {
    const Users users = this->users();
    std::set<std::string> gone;
    for (const auto* accumulators : {&sync_.accumulators, &sync_.sparse_accumulators})
      for (const std::string& name : *accumulators) add_users(users, name, gone);
    for (const std::string& name : {sync_.local_step, sync_.token_queue}) add_users(users, name, gone);
    gone.insert(colocated_with(g_.at(sync_.local_step)));
    while (add_helpers(users, gone)) {
    }
    for (const std::string& name : gone)
      if (g_.has(name)) g_.erase(name);
  }

  ClientProgram& program_;
  SyncProgram sync_;
  GraphEditor& g_;
  std::string worker_;
};

}  // namespace

Status strip_sync_replicas(ClientProgram& program) {
  if (!program.sync) return {};
  GraphEditor g(*program.graph);
  TARRY_RETURN_IF_ERROR(Stripper(program, g).strip());
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
