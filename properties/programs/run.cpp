#include "properties/programs/run.hpp"

#include <algorithm>

#include "placer/core/hash.hpp"
#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"
#include "properties/programs/watch.hpp"
#include "workers/direct/direct_session.hpp"
#include "workers/executor/frame_kinds.hpp"

namespace tarry {
namespace {

bool leaves_invariant_alone(const Graph& part) {
  struct Seen {
    bool invariant = false, variable = false, send = false;
  };
  const FrameKinds frames = find_frame_kinds(part);
  std::vector<Seen> seen(frames.kinds.size());
  for (const NodeId n : part.op_nodes()) {
    const bool* constant = part.node(n).attrs.get<bool>("is_constant");
    if (is_enter_op(part.op_name(n)))
      (constant != nullptr && *constant ? seen[frames.child[n]].invariant : seen[frames.child[n]].variable) = true;
    seen[frames.of[n]].send |= part.op_name(n) == "_Send" || part.op_name(n) == "_HostSend";
  }
  return std::ranges::any_of(seen, [](const Seen& s) { return s.invariant && s.send && !s.variable; });
}

std::uint64_t incarnation_of(std::string_view device) { return hash64(device); }

// The cluster of a run: its devices, whatever their task, in one process.
class Cluster {
 public:
  Cluster(const Program& p, const CutRunOptions& options) : program_(p), options_(options), env_(options.schedule) {}

  Status prepare() {
    for (const std::string& name : program_.devices) TARRY_RETURN_IF_ERROR(add_device(name));
    for (std::uint32_t i = 0; i < program_.nodes.size(); ++i) positions_[program_.nodes[i].name] = i;
    TARRY_ASSIGN(Graph full, import_graph(spec_of(program_)));
    TARRY_RETURN_IF_ERROR(assign(full));
    const ClientDevice client{DeviceId{0u}, devices_.set[DeviceId{0u}].name, devices_.set[DeviceId{0u}].incarnation};
    TARRY_ASSIGN(Graph g, make_client_graph(full, nullptr, {{}, program_.fetches, {}}, client, Convention::call));
    TARRY_ASSIGN(const std::vector<Partition> tasks, cut(g, false));
    for (const Partition& task : tasks) TARRY_RETURN_IF_ERROR(register_task(task.graph));
    return {};
  }

  [[nodiscard]] bool has_lone_invariant() const { return has_lone_invariant_; }

  CutStep run() {
    notes_ = {};
    notes_.left = options_.most;
    Step step(env_);
    step.context.id = StepId{++steps_};
    step.context.rendezvous = &step.rendezvous;
    step.context.call = &step.call;
    step.call.results.resize(program_.fetches.size());
    step.executor.context = &step.context;
    step.executor.on_first_error = [&step](const Status& s) { step.abort(s); };
    std::optional<Status> ended;
    ExecutorBarrier barrier(executors_.size(), {}, [&ended](Status s) { ended = std::move(s); });
    for (const auto& e : executors_) e->run(step.executor, [&barrier](Status s) { barrier.when_done(std::move(s)); });
    env_.run_until([&] { return ended.has_value(); });
    if (ended) return ending(step, *ended);
    step.abort(error(Code::kDeadlineExceeded, "the step waits for ever"));
    env_.run_until([&] { return ended.has_value(); });
    return {.status = ended ? error(Code::kDeadlineExceeded, "the step waits for ever")
                            : error(Code::kInternal, "cancelled, the step does not end")};
  }

 private:
  struct Step {
    explicit Step(RandomEnv& env) : rendezvous(env) {}
    void abort(const Status& why) {
      rendezvous.abort(why);
      context.cancellation.start();
    }
    CountingRendezvous rendezvous;
    CallFrame call;
    StepContext context;
    ExecutorStep executor;
  };

  Status add_device(const std::string& name) {
    TARRY_ASSIGN(const DeviceId id, devices_.set.add(name, "", incarnation_of(name)));
    auto device = std::make_unique<LocalDevice>();
    const std::string& full = devices_.set[id].name;
    device->host = {&env_,
                    TaskId{0u},
                    full,
                    env_.name(full),
                    &device->resources,
                    [](std::string_view) { return TaskId{0u}; },
                    std::int64_t{1} << 40};
    devices_.devices.push_back(std::move(device));
    shared_.emplace_back();
    return {};
  }

  Status assign(Graph& g) const {
    for (const NodeId n : g.op_nodes()) {
      const std::string_view request = g.requested_device(n);
      const DeviceId id = request.empty() ? DeviceId{0u} : devices_.set.find(request);
      if (!id.valid()) return invalid("{} unknown device.", request);
      g.node(n).assigned = id;
    }
    return {};
  }

  // By task as a master does, or, `control_flow_added`, by device as a worker does.
  StatusOr<std::vector<Partition>> cut(Graph& g, bool control_flow_added) {
    PartitionOptions options;
    options.by = control_flow_added ? CutBy::device : CutBy::task;
    options.new_name = [this, control_flow_added](std::string_view prefix) {
      return fmt::format("{}_{}{}", prefix, control_flow_added ? "G" : "S", ++names_);
    };
    options.incarnation = incarnation_of;
    options.control_flow_added = control_flow_added;
    options.planted = options_.planted;
    return partition(g, devices_.set, options);
  }

  Status register_task(const GraphSpec& spec) {
    TARRY_ASSIGN(Graph g, import_graph(spec, made_by_itself()));
    TARRY_RETURN_IF_ERROR(assign(g));
    TARRY_ASSIGN(const std::vector<Partition> parts, cut(g, true));
    for (const Partition& part : parts) {
      TARRY_ASSIGN(Graph piece, import_graph(part.graph, made_by_itself()));
      has_lone_invariant_ |= leaves_invariant_alone(piece);
      const DeviceId device = devices_.set.find(part.location);
      TARRY_ASSIGN(ExecGraph exec,
                   make_exec_graph(std::move(piece), devices_.devices[device.index()]->host, shared_[device.index()]));
      exec.planted = options_.planted;
      watch(exec, executors_.size(), positions_, notes_);
      executors_.push_back(std::make_unique<Executor>(std::move(exec), env_));
    }
    return {};
  }

  CutStep ending(Step& step, const Status& status) {
    CutStep out{.status = status, .executions = std::move(notes_.executions), .frames = std::move(notes_.frames)};
    if (!status.ok()) return out;
    out.transfers = step.rendezvous.faults();
    for (const auto& e : executors_)
      if (const std::size_t live = e->frames_live(); live > 0)
        out.frames.push_back(fmt::format("{} frames have not ended", live));
    for (const TensorRef& t : step.call.results)
      if (!t) out.status = invalid("a fetch does not have value");
    out.values = std::move(step.call.results);
    return out;
  }

  const Program& program_;
  CutRunOptions options_;
  RandomEnv env_;
  LocalDevices devices_;
  std::vector<SharedKernels> shared_;
  std::map<std::string, std::uint32_t> positions_;
  Notes notes_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::uint64_t names_ = 0, steps_ = 0;
  bool has_lone_invariant_ = false;
};

}  // namespace

StatusOr<CutAnswer> run_cut(const Program& p, const CutRunOptions& options) {
  Cluster cluster(p, options);
  TARRY_RETURN_IF_ERROR(cluster.prepare());
  CutAnswer answer{.steps = {}, .has_lone_invariant = cluster.has_lone_invariant()};
  for (int i = 0; i < p.steps; ++i) {
    answer.steps.push_back(cluster.run());
    if (!answer.steps.back().status.ok()) break;
  }
  return answer;
}

StatusOr<DirectAnswer> run_direct(const Program& p) {
  TARRY_ASSIGN(const auto session, DirectSession::create(spec_on_one_device(p), {p.devices.front()}));
  DirectAnswer answer;
  for (int i = 0; i < p.steps; ++i) {
    const std::uint64_t before = session->nodes_run();
    StatusOr<std::vector<TensorRef>> values = session->run({.fetches = p.fetches});
    answer.nodes_run.push_back(session->nodes_run() - before);
    answer.steps.push_back({.status = values.status()});
    if (!values.ok()) break;
    answer.steps.back().values = *std::move(values);
  }
  return answer;
}

}  // namespace tarry
