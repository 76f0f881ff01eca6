#include "workers/train/build/sync_replicas.hpp"

#include <algorithm>

#include "workers/train/build/accumulators.hpp"
#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/groups.hpp"
#include "workers/train/build/readiness.hpp"

namespace tarry {
namespace {

class Builder {
 public:
  Builder(ClientProgram& program, const SyncPlan& plan, GraphEditor& g, TrainOp train)
      : program_(program),
        plan_(plan),
        g_(g),
        train_(std::move(train)),
        steps_(g, train_.global_step),
        worker_(worker_device(g, program.task)),
        step_device_(g.at(train_.global_step).device),
        device_(within(worker_, step_device_)) {}

  void build(const std::string& report) {
    add_local_step();
    add_hook_report(report);
    for (const Gradient& gradient : train_.gradients)
      accumulators_.push_back(add_accumulator(g_, steps_, local_, gradient, plan_.replicas, worker_));
    move_optimizer();
    add_queue();
    add_train_op();
    add_sync_op();
    add_hook_init();
    if (program_.is_chief) add_initial_tokens();
    add_to_scaffold();
    fill_facts();
  }

 private:
  void add_local_step() {
    local_ = steps_.add_local_step(worker_);
    std::tie(local_.init_op, local_.init_assign) = steps_.assign(local_, steps_.global_step(""), worker_);
  }

  // The hook's look at the global variables knows only those that were there when apply_gradients was called: no slots.
  void add_hook_report(const std::string& scaffold_report) {
    std::vector<std::string> own;
    for (const ModelVariable& v : find_variables(g_))
      if (v.slot_of.empty() && v.name != local_.variable) own.push_back(v.name);
    const auto global = reported_variables(g_, scaffold_report);
    std::erase_if(own, [&](const std::string& v) { return std::ranges::find(global, v) == global.end(); });
    copy_report(g_, scaffold_report, kHookReport, worker_);
    set_reported_variables(g_, kHookReport, own);
  }

  // The optimizer runs in the scope of the global step's device now. What its ops are colocated with, or are put on,
  // wins as before.
  void move_optimizer() {
    for (const std::string& name : g_.names_under(train_.name))
      if (g_.at(name).device == worker_ && colocated_with(g_.at(name)).empty()) g_.at(name).device = device_;
  }

  void add_queue() {
    const DataType type = steps_.type();
    queue_ = g_.add({"sync_token_q",
                     "FIFOQueueV2",
                     within(device_, "/device:CPU:*"),
                     {},
                     {{"capacity", std::int64_t{-1}},
                      {"component_types", AttrList{.type = {type}}},
                      {"container", ""},
                      {"shapes", AttrList{.shape = {Shape()}}},
                      {"shared_name", "sync_token_q"}}});
  }

  void add_train_op() {
    NodeSpec n{queue_ + "_Dequeue",
               "QueueDequeueV2",
               device_,
               {queue_},
               {{"component_types", AttrList{.type = {steps_.type()}}}, {"timeout_ms", std::int64_t{-1}}}};
    for (const GradientAccumulator& a : accumulators_) n.inputs.push_back("^" + a.apply);
    std::ranges::sort(n.inputs.begin() + 1, n.inputs.end());
    train_step_ = steps_.assign(local_, g_.add(std::move(n)), device_).first;
    replace_step(g_, program_, train_.name, train_step_);
  }

  // An op that puts `count` tokens of the global step's value into the queue.
  std::string add_tokens(int count, const std::string& device, const std::vector<std::string>& after) {
    const std::string fill = g_.unique_name("Fill");
    NodeSpec dims = constant(fill + "/dims", device, DataType::kInt32, int_tensor(DataType::kInt32, {count}));
    for (const std::string& op : after) dims.inputs.push_back("^" + op);
    g_.insert(std::move(dims));
    g_.insert({fill,
               "Fill",
               device,
               {fill + "/dims", steps_.global_step(fill, after)},
               {{"T", steps_.type()}, {"index_type", DataType::kInt32}}});
    return g_.add({queue_ + "_EnqueueMany",
                   "QueueEnqueueManyV2",
                   device,
                   {queue_, fill},
                   {{"Tcomponents", AttrList{.type = {steps_.type()}}}, {"timeout_ms", std::int64_t{-1}}}});
  }

  std::string add_close(bool cancels) {
    return g_.add({queue_ + "_Close", "QueueCloseV2", device_, {queue_}, {{"cancel_pending_enqueues", cancels}}});
  }

  void add_sync_op() {
    sync_.chief_runner.enqueue_ops = {add_tokens(std::max(plan_.workers, plan_.replicas), device_, {train_.name})};
    sync_.chief_runner.close_op = add_close(false);
    sync_.chief_runner.cancel_op = add_close(true);
  }

  void add_hook_init() {
    Group all{std::string(kSyncScope) + "/group_deps", worker_, {local_.init_assign}};
    for (const GradientAccumulator& a : accumulators_) all.ops.push_back(add_set_global_step(g_, steps_, a));
    const std::string op = add_group(g_, all);
    sync_.local_init_op = program_.is_chief ? op : local_.init_op;
  }

  // Made by the hook, outside of the device setter.
  void add_initial_tokens() {
    const int tokens = plan_.num_tokens < 0 ? plan_.replicas : plan_.num_tokens;
    sync_.init_tokens_op =
        tokens > 0 ? add_tokens(tokens, step_device_, {}) : g_.add({.name = "no_init_tokens", .op = "NoOp"});
  }

  // The scaffold, made last, finds a local variable more: to initialise, and to wait for.
  void add_to_scaffold() {
    const std::string ready = report_scope(g_, program_.ready);
    auto reported = reported_variables(g_, ready);
    reported.push_back(local_.variable);
    set_reported_variables(g_, ready, reported);
    add_local_init();
  }

  void add_local_init() {
    Group scaffold = take_group(g_, program_.local_init_op);
    Group init{local_variables_init(g_, scaffold), "", {}};
    init.ops = control_inputs(g_.at(init.name));
    init.ops.push_back(local_.variable + "/Assign");
    if (take_group(g_, init.name).ops.empty()) g_.erase(init.name);
    add_group(g_, init);
    add_group(g_, scaffold);
  }

  void fill_facts() {
    sync_.replicas_to_aggregate = plan_.replicas;
    sync_.total_replicas = plan_.workers;
    sync_.num_tokens = plan_.num_tokens;
    sync_.token_queue = queue_;
    sync_.ready_for_local_init = reported_names(kHookReport) + ":0";
    sync_.local_step = local_.variable;
    for (const GradientAccumulator& a : accumulators_)
      (a.is_sparse ? sync_.sparse_accumulators : sync_.accumulators).push_back(a.name);
    program_.sync = sync_;
  }

  static constexpr const char* kHookReport = kReport;

  ClientProgram& program_;
  const SyncPlan& plan_;
  GraphEditor& g_;
  TrainOp train_;
  StepAccess steps_;
  std::string worker_, step_device_, device_;  // by default; of the global step; of ops made in its scope
  LocalStep local_;
  std::vector<GradientAccumulator> accumulators_;
  std::string queue_, train_step_;
  SyncProgram sync_;
};

// It must stand before the report of resources, since its own scope is about to change.
bool is_scaffold_report(const GraphEditor& g, const std::string& ready) {
  const std::string scope = report_scope(g, ready);
  return !scope.empty() && !is_under(ready, scope);
}

Status check_scaffold(const GraphEditor& g, const ClientProgram& p) {
  for (const std::string& ready : {p.ready, p.ready_for_local_init})
    if (!is_scaffold_report(g, ready)) return invalid("its ready op '{}' is not one of tf.train.Scaffold", ready);
  if (local_variables_init(g, group_at(g, p.local_init_op)).empty())
    return invalid("its local_init_op '{}' is not one of tf.train.Scaffold", p.local_init_op);
  if (g.at(p.global_step).op != "VarHandleOp" && !g.has(p.global_step + "/read"))
    return invalid("its {} is not read by {}/read", p.global_step, p.global_step);
  return {};
}

}  // namespace

Status add_sync_replicas(ClientProgram& program, const SyncPlan& plan) {
  GraphEditor g(*program.graph);
  TARRY_ASSIGN(TrainOp train, find_train_op(g, program));
  TARRY_RETURN_IF_ERROR(check_scaffold(g, program));
  number_reports_up(g);
  Builder(program, plan, g, std::move(train)).build(report_scope(g, program.ready_for_local_init));
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
