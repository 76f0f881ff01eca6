// A session's steps, from the request to the end of cleaning up (docs/rules/runtime.md#E.2 to #E.5).

#include <algorithm>
#include <utility>

#include "workers/master/master_session.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Workers send statistics home whenever they took some; the client gets what it asked for.
void add_details(RunMetadata& metadata, const RunGraphDetails& d, const ExecOptions& asked) {
  if (asked.record_timeline) append(metadata.stats, d.stats);
  if (asked.record_costs) append(metadata.costs, d.costs);
  append(metadata.partition_graphs, d.partition_graphs);
}

void add_logged(RunMetadata& metadata, const LoggingResponse& r, StepId step) {
  for (const auto& [id, stats] : r.steps)
    if (id == step) append(metadata.stats, stats);
}

}  // namespace

struct MasterSession::Step {
  MasterSession& session;
  std::shared_ptr<bool> alive;  // the session's
  StepInput input;
  StepDone done;
  StepId id;
  GraphRef graph;
  std::int64_t count = 0;   // of runs of the graph before this one
  std::string partial_run;  // handle; "" = a whole step
  bool is_last = true;      // nothing follows: clean up
  std::shared_ptr<StepRun> run;
  StepResult result;
  RunMetadata metadata;
  ExecOptions exec;

  [[nodiscard]] bool traces() const { return input.options.trace == TraceLevel::full; }
};

MasterSession::StepRef MasterSession::new_step(StepInput input, StepDone&& done) {
  ++not_over_;
  auto step = std::make_shared<Step>(Step{
      *this, site_.alive, std::move(input), std::move(done), new_step_id(), nullptr, 0, {}, true, nullptr, {}, {}, {}});
  site_.directory.env.note(StepBegan{site_.master, step->id, step->input.purpose});
  return step;
}

void MasterSession::register_and_run(const StepRef& step, StatusOr<GraphRef> graph, const OnCancel& on_cancel) {
  if (!graph.ok()) return refuse(step, graph.status());
  step->graph = *std::move(graph);
  step->count = step->graph->runs++;
  step->graph->register_once([this, alive = site_.alive, step, on_cancel](Status s) {
    if (!*alive) return;
    if (!s.ok()) return refuse(step, std::move(s));
    begin(step, on_cancel);
  });
}

void MasterSession::run_partially(const std::string& handle, StepInput input, const OnCancel& on_cancel,
                                  StepDone&& done) {
  if (closed_) return std::move(done)({error(Code::kAborted, "Session {} is not found.", site_.handle.get())});
  const StatusOr<ClientPartialRun*> found = partial_runs_.find(handle);
  if (!found.ok()) return std::move(done)({found.status()});
  ClientPartialRun& run = **found;
  if (Status s = run.take_call(input, graph_.placed()); !s.ok()) return std::move(done)({std::move(s)});
  input.options = *run.options;
  ++not_over_;
  begin(std::make_shared<Step>(Step{*this,
                                    site_.alive,
                                    std::move(input),
                                    std::move(done),
                                    run.step,
                                    run.graph,
                                    run.count,
                                    handle,
                                    run.is_complete(),
                                    nullptr,
                                    {},
                                    {},
                                    {}}),
        on_cancel);
}

// A step that never ran: nothing to clean up.
void MasterSession::refuse(const StepRef& step, Status why) {
  site_.directory.env.note(StepEnded{site_.master, step->id, static_cast<int>(why.code())});
  step_over();
  StepDone done = std::move(step->done);
  std::move(done)({std::move(why)});
}

ExecOptions MasterSession::exec_options(const Step& step) const {
  const StepOptions& o = step.input.options;
  const GraphOptions graph = options_.config ? options_.config->graph : GraphOptions{};
  const bool measures =
      graph.build_cost_model > 0 && (step.count + 1 - graph.build_cost_model_after) % graph.build_cost_model == 0;
  return {measures, step.traces(), o.report_allocations, o.partition_graphs};
}

void MasterSession::begin(const StepRef& step, const OnCancel& on_cancel) {
  step->exec = exec_options(*step);
  StepShare share{step->id, std::move(step->input.feeds), {}, step->exec, !step->partial_run.empty() && step->is_last};
  if (!step->partial_run.empty()) share.fetches = step->input.fetches;
  if (step->traces()) set_logging(*step, true);
  step->run = std::make_shared<StepRun>(site_, *step->graph, std::move(share));
  running_.push_back(step->run);
  if (on_cancel)
    on_cancel([step = step] {
      if (*step->alive) step->session.client_gave_up(step);
    });
  step->run->start([step = step](StatusOr<StepAnswers> answers) {
    if (*step->alive) step->session.answered(step, std::move(answers));
  });
  if (closed_) step->run->cancel();
}

void MasterSession::client_gave_up(const StepRef& step) {
  site_.directory.log(site_.master, 'I', "Client requested cancellation for RunStep, cancelling worker operations.");
  is_wedged_ = is_wedged_ || step->run->waits_for_partial_run_of(site_.master);
  step->run->cancel();
}

void MasterSession::answered(const StepRef& step, StatusOr<StepAnswers> answers) {
  std::erase(running_, step->run);
  StepResult& r = step->result;
  r.status = answers.status();
  if (r.status.code() == Code::kCancelled && closed_)
    r.status = error(Code::kCancelled, "Step was cancelled by an explicit call to `Session::Close()`.");
  if (!answers.ok()) return end(step);
  r.fetched = std::move(answers->fetched);
  for (const auto& details : answers->details) add_details(step->metadata, *details, step->exec);
  if (step->is_last && step->traces()) return collect_logs(step);
  end(step);
}

// ---- logs of transfers ----

void MasterSession::set_logging(const Step& step, bool on) {
  LoggingRequest request;
  request.enable = on;
  request.disable = !on;
  for (const GraphPart& part : step.graph->parts)
    call(site_.directory, site_.master, part.task, request, [](StatusOr<LoggingResponse>) {});
}

void MasterSession::collect_logs(const StepRef& step) {
  set_logging(*step, false);
  LoggingRequest request;
  request.fetch = {step->id};
  auto left = std::make_shared<std::size_t>(step->graph->parts.size());
  for (const GraphPart& part : step->graph->parts)
    call(site_.directory, site_.master, part.task, request,
         [this, alive = site_.alive, step, left](StatusOr<LoggingResponse> r) {
           if (!*alive) return;
           if (r.ok()) add_logged(step->metadata, *r, step->id);
           if (--*left == 0) end(step);
         });
}

// ---- the end ----

void MasterSession::end(const StepRef& step) {
  StepResult& r = step->result;
  if (step->is_last || !r.status.ok()) {
    site_.directory.env.note(StepEnded{site_.master, step->id, static_cast<int>(r.status.code())});
    const bool forgets = site_.directory.planted == PlantedClusterBug::failed_step_not_cleaned && !r.status.ok();
    if (forgets)
      step_over();
    else
      clean_up(step);
    partial_runs_.end(step->partial_run);
    r.metadata = std::move(step->metadata);
  } else {
    step_over();
  }
  StepDone done = std::move(step->done);
  std::move(done)(std::move(r));
}

// To all tasks of the signature; nobody waits for it but closing.
void MasterSession::clean_up(const StepRef& step) {
  struct CleanUp {
    MasterSession& session;
    std::shared_ptr<bool> alive;
    Directory& directory;
    StepId step;
    std::size_t left;
    Status status = {};

    void part_cleaned(const Status& s, TaskId task) {
      if (status.ok()) status = s;
      mark_if(!s.ok(), directory.auditor, Mark::clean_up_failed);
      if (Auditor* a = directory.auditor; a != nullptr && !s.ok())
        a->note({.what = AuditFact::What::clean_up_failed, .task = task, .step = step});
      if (--left == 0 && *alive) session.cleaned_up(status);
    }
  };
  auto c = std::make_shared<CleanUp>(CleanUp{*this, site_.alive, site_.directory, step->id, step->graph->parts.size()});
  if (c->left == 0) return step_over();
  CleanupGraphRequest request;
  request.step = step->id;
  for (const GraphPart& part : step->graph->parts)
    call(site_.directory, site_.master, part.task, request,
         [c, task = part.task](const StatusOr<Empty>& r) { c->part_cleaned(r.status(), task); });
}

void MasterSession::cleaned_up(const Status& s) {
  if (!s.ok())
    site_.directory.log(site_.master, 'E',
                        fmt::format("Cleanup partition error: {}: {}", code_name(s.code()), text_of(s)));
  step_over();
}

void MasterSession::step_over() {
  if (--not_over_ > 0) return;
  for (Callback& f : std::exchange(when_over_, {})) std::move(f)();
}

}  // namespace tarry
