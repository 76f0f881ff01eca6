// One graph of a step in progress at a worker: what its executors need, and what becomes of their results. Private to
// workers/worker.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <optional>

#include "workers/executor/executor.hpp"
#include "workers/executor/executor_barrier.hpp"
#include "workers/worker/graph_manager.hpp"
#include "workers/worker/step_rendezvous.hpp"
#include "workers/worker/step_trace.hpp"

namespace tarry {

class GraphRuns;

struct RunningStep : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                     std::enable_shared_from_this<RunningStep> {
  explicit RunningStep(GraphRuns& of) : runs(of) {}

  GraphRuns& runs;
  bool is_partial = false;
  StepContext context;
  ExecutorStep executor_step;
  std::optional<ExecutorBarrier> barrier;
  std::shared_ptr<StepRendezvous> rendezvous;
  CancellationManager never_cancelled;  // of fetches: only aborting the rendezvous ends them
  std::shared_ptr<GraphItem> item;      // stays while its executors run
  std::unique_ptr<StepTrace> trace;     // when somebody asked for statistics

  // The first error: what waits in the step ends.
  void abort(const Status& why) {
    rendezvous->abort(why);
    context.cancellation.start();
  }
  // The worker ends first: breaks the cycle of what holds the step and what the step holds.
  void let_go() {
    executor_step = {};
    barrier.reset();
    rendezvous.reset();
    item.reset();
  }
};

// How far a whole step is with its outputs, which it takes one after the other.
enum class Fetching : std::uint8_t { goes_on, asks, waits, ended };

// A RunGraph call that is being served.
struct RunGraphCall {
  RunGraphCall(GraphRuns& of, RunGraphRequest&& r, ServerCall<RunGraphResponse>&& c)
      : runs(of), request(std::move(r)), call(std::move(c)) {}

  GraphRuns& runs;
  RunGraphRequest request;
  ServerCall<RunGraphResponse> call;
  std::shared_ptr<RunningStep> run;
  RunGraphResponse response;
  Fetching fetching = Fetching::ended;

  void finish(Status s) {
    if (!s.ok() && !request.errors_in_body) return call.answer(std::move(s));
    response.status = std::move(s);
    call.answer(std::move(response));
  }
};

}  // namespace tarry
