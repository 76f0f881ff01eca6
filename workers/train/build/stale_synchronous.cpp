#include "workers/train/build/stale_synchronous.hpp"

#include "workers/train/build/groups.hpp"
#include "workers/train/build/local_step.hpp"
#include "workers/train/build/train_op.hpp"

namespace tarry {
namespace {

class Clock {
 public:
  Clock(ClientProgram& program, const StalePlan& plan, GraphEditor& g, const TrainOp& train)
      : program_(program),
        plan_(plan),
        g_(g),
        train_(train.name),
        steps_(g, train.global_step),
        device_(g.at(train.global_step).device) {}

  void build() {
    const std::string done = add_enqueue(add_queue(kStaleDone, plan_.worker), {train_});
    std::erase(program_.targets, train_);
    program_.targets.push_back(add_dequeue(add_queue(kStaleTokens, plan_.worker), {done}));
    if (program_.is_chief) add_clock();
  }

 private:
  std::string add_queue(const char* prefix, int worker) {
    const std::string name = fmt::format("{}{}", prefix, worker);
    if (g_.has(name)) return name;
    return g_.insert({name,
                      "FIFOQueueV2",
                      device_,
                      {},
                      {{"capacity", std::int64_t{-1}},
                       {"component_types", AttrList{.type = {steps_.type()}}},
                       {"container", ""},
                       {"shapes", AttrList{.shape = {Shape()}}},
                       {"shared_name", name}}});
  }

  NodeSpec queue_op(const std::string& queue, const char* name, const char* op, const char* types) {
    return {queue + name,
            op,
            device_,
            {queue},
            {{types, AttrList{.type = {steps_.type()}}}, {"timeout_ms", std::int64_t{-1}}}};
  }

  std::string add_behind(NodeSpec n, const std::vector<std::string>& after) {
    for (const std::string& op : after) n.inputs.push_back("^" + op);
    return g_.add(std::move(n));
  }

  std::string add_enqueue(const std::string& queue, const std::vector<std::string>& after) {
    NodeSpec n = queue_op(queue, "_enqueue", "QueueEnqueueV2", "Tcomponents");
    n.inputs.push_back(steps_.global_step(n.name, after));
    return add_behind(std::move(n), after);
  }

  std::string add_dequeue(const std::string& queue, const std::vector<std::string>& after) {
    return add_behind(queue_op(queue, "_Dequeue", "QueueDequeueV2", "component_types"), after);
  }

  // ---- the chief's ----

  void add_clock() {
    std::vector<std::string> taken, given, closed;
    for (int w = 0; w < plan_.workers; ++w) taken.push_back(add_dequeue(add_queue(kStaleDone, w), {}));
    const std::string tick = add_behind({"stale_clock_tick", "NoOp", device_, {}, {}}, taken);
    for (int w = 0; w < plan_.workers; ++w) given.push_back(add_enqueue(add_queue(kStaleTokens, w), {tick}));
    for (int w = 0; w < plan_.workers; ++w) closed.push_back(add_close(w));
    program_.queue_runners.push_back(
        {"stale_clock", {add_all("stale_clock", given)}, "", add_all("stale_close", closed)});
    if (plan_.staleness > 0) add_initial_tokens();
  }

  std::string add_all(const char* name, const std::vector<std::string>& ops) {
    return add_group(g_, {g_.unique_name(name), device_, ops, {}});
  }

  std::string add_close(int worker) {
    const std::string queue = add_queue(kStaleTokens, worker);
    return g_.add({queue + "_Close", "QueueCloseV2", device_, {queue}, {{"cancel_pending_enqueues", true}}});
  }

  void add_initial_tokens() {
    const std::string dims = g_.insert(constant(g_.unique_name("stale_tokens/dims"), device_, DataType::kInt32,
                                                int_tensor(DataType::kInt32, {plan_.staleness})));
    const std::string tokens = g_.add({"stale_tokens/Fill",
                                       "Fill",
                                       device_,
                                       {dims, steps_.global_step("stale_tokens")},
                                       {{"T", steps_.type()}, {"index_type", DataType::kInt32}}});
    Group init = take_group(g_, program_.local_init_op);
    for (int w = 0; w < plan_.workers; ++w) {
      NodeSpec n = queue_op(add_queue(kStaleTokens, w), "_EnqueueMany", "QueueEnqueueManyV2", "Tcomponents");
      n.inputs.push_back(tokens);
      init.ops.push_back(g_.add(std::move(n)));
    }
    add_group(g_, init);
  }

  ClientProgram& program_;
  const StalePlan& plan_;
  GraphEditor& g_;
  std::string train_;
  StepAccess steps_;
  std::string device_;  // of the global step
};

}  // namespace

Status add_stale_synchronous(ClientProgram& program, const StalePlan& plan) {
  GraphEditor g(*program.graph);
  TARRY_ASSIGN(const TrainOp train, find_train_op(g, program));
  if (group_at(g, program.local_init_op).ops.empty())
    return invalid("its local_init_op '{}' is not one of tf.train.Scaffold", program.local_init_op);
  Clock(program, plan, g, train).build();
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
