#include "workers/train/build/job_plan.hpp"

#include <algorithm>

#include "placer/device/name.hpp"
#include "placer/graph/import.hpp"
#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/replicated.hpp"
#include "workers/train/build/stale_synchronous.hpp"
#include "workers/train/build/strip_sync.hpp"
#include "workers/train/build/towers.hpp"

namespace tarry {
namespace {

std::string worker_task(const ClientProgram& program, int worker) { return with_task(program.task, worker); }

// One client's graph for several workers has ops on each of them.
Status check_is_of_one_worker(const ClientProgram& program, const DeviceName& task) {
  for (const NodeSpec& n : program.graph->nodes)
    if (const auto device = parse_device_name(n.device);
        device && device->job == task.job && device->task && device->task != task.task)
      return invalid("op {} ({}) is on {}: the graph is one client's for several workers, not one worker's", n.name,
                     n.op, n.device);
  return {};
}

// The graph of one worker before its protocol is added.
StatusOr<ClientProgram> bare_program(const ClientProgram& recorded, const JobPlan& plan) {
  ClientProgram program = recorded;
  const auto task = parse_device_name(program.task);
  if (!task || !task->job || !task->task) return invalid("it is one client's for all tasks, not a worker's");
  TARRY_RETURN_IF_ERROR(check_is_of_one_worker(program, *task));
  TARRY_RETURN_IF_ERROR(
      import_graph(*program.graph).status());  // from here on every node has its inputs and attributes
  TARRY_RETURN_IF_ERROR(strip_sync_replicas(program));
  if (plan.ps) TARRY_RETURN_IF_ERROR(set_ps(program, *plan.ps, plan.strategy));
  if (plan.towers > 1)
    if (const Status added = add_towers(program, plan.towers); !added.ok()) return with_prefix(added, "towers: ");
  return program;
}

Status add_protocol(ClientProgram& program, const JobPlan& plan, int worker) {
  if (plan.protocol == Protocol::synchronous)
    return add_sync_replicas(program, {plan.workers, plan.replicas.value_or(plan.workers), plan.num_tokens});
  if (plan.protocol == Protocol::stale_synchronous)
    return add_stale_synchronous(program, {plan.workers, worker, plan.staleness});
  if (plan.protocol == Protocol::replicated) return add_replicated(program, {plan.workers, worker, plan.towers});
  return {};
}

StatusOr<ClientProgram> program_of(const ClientProgram& bare, const JobPlan& plan, int worker) {
  ClientProgram program = bare;
  program.is_chief = worker < plan.chiefs;
  TARRY_RETURN_IF_ERROR(serve_as(program, worker_task(program, worker)));
  program.graph = std::make_shared<const GraphSpec>(own_graph(program));
  program.written_for.clear();
  TARRY_RETURN_IF_ERROR(add_protocol(program, plan, worker));
  return program;
}

Status add_one_client(ClientProgram program, const JobPlan& plan, std::vector<ClientProgram>& out) {
  TARRY_RETURN_IF_ERROR(build_handwritten(program, {plan.workers, plan.gathering}));
  out.push_back(std::move(program));
  return {};
}

// The graphs of workers that are no chiefs differ in the task alone; where workers have queues of their own, in these.
bool is_like_last(const JobPlan& plan, int worker) {
  return worker > std::max(1, plan.chiefs) && plan.protocol != Protocol::stale_synchronous &&
         plan.protocol != Protocol::replicated;
}

Status add_workers(const ClientProgram& recorded, const JobPlan& plan, std::vector<ClientProgram>& out) {
  if (plan.protocol == Protocol::handwritten) return add_one_client(recorded, plan, out);
  TARRY_ASSIGN(const ClientProgram bare, bare_program(recorded, plan));
  const int wanted = std::min(plan.workers, plan.first_workers.value_or(plan.workers));
  for (int worker = 0; worker < wanted; ++worker) {
    TARRY_ASSIGN(ClientProgram program, is_like_last(plan, worker) ? out.back() : program_of(bare, plan, worker));
    TARRY_RETURN_IF_ERROR(serve_as(program, worker_task(program, worker)));
    out.push_back(std::move(program));
  }
  return {};
}

}  // namespace

StatusOr<std::vector<ClientProgram>> build_job(const ClientProgram& recorded, const JobPlan& plan) {
  std::vector<ClientProgram> programs;
  if (const Status added = add_workers(recorded, plan, programs); !added.ok())
    return with_prefix(added, fmt::format("cannot build a job from the graph {}: ", recorded.name));
  return programs;
}

Status serve_as(ClientProgram& program, const std::string& task) {
  const auto from = parse_device_name(program.task), to = parse_device_name(task);
  if (!from && to) {  // one client for all tasks: it may be anybody's
    program.task = to_string(*to);
    return {};
  }
  if (!from || !to || !to->job || !to->task || from->job != to->job)
    return invalid("a graph of {} cannot serve {}: it is another job", program.task, task);
  if (from->task == to->task) return {};
  if (program.is_chief && program.sync)
    return invalid("the graph of {} is the chief's; it cannot serve {}: take a non-chief's graph", program.task, task);
  if (program.written_for.empty()) program.written_for = program.task;
  program.task = to_string(*to);
  return {};
}

}  // namespace tarry
