// What a client asks of a session: steps, partial runs, callables (docs/rules/runtime.md#E.2, #E.5).

#include "workers/master/master_session.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

void MasterSession::prepare(Signature signature, StatusCallback done) {
  const auto graph = graphs_.of_steps(std::move(signature));
  if (!graph.ok()) return std::move(done)(graph.status());
  (*graph)->register_once(std::move(done));
}

void MasterSession::run(std::vector<FedTensor> feeds, SharedNames fetches, SharedNames targets, Purpose purpose,
                        RunDone&& done) {
  StepInput input{std::move(feeds), fetches, std::move(targets), {}, purpose};
  run_step(std::move(input), nullptr, [fetches = std::move(fetches), done = std::move(done)](StepResult r) mutable {
    if (!r.status.ok()) return std::move(done)(std::move(r.status));
    std::vector<TensorRef> values;
    for (const std::string& f : fetches.get()) {
      const auto it = std::ranges::find(r.fetched, f, &FedTensor::name);
      if (it == r.fetched.end()) return std::move(done)(error(Code::kInternal, "fetch {} was not returned", f));
      values.push_back(it->value);
    }
    std::move(done)(std::move(values));
  });
}

void MasterSession::run_step(StepInput input, const OnCancel& on_cancel, StepDone&& done) {
  if (closed_) return std::move(done)({error(Code::kAborted, "Session {} is not found.", site_.handle.get())});
  StatusOr<GraphRef> graph = graphs_.of_step(input);
  register_and_run(new_step(std::move(input), std::move(done)), std::move(graph), on_cancel);
}

// ---- partial runs ----

void MasterSession::set_up_partial_run(Signature signature, SetUp done) {
  const std::string handle = partial_runs_.new_handle();
  const auto graph = graphs_.of_partial_runs(signature);
  if (!graph.ok()) return std::move(done)(graph.status());
  partial_runs_.begin(handle, signature, *graph, new_step_id());
  (*graph)->register_once([handle, done = std::move(done)](Status s) mutable {
    std::move(done)(s.ok() ? StatusOr<std::string>(handle) : s);
  });
}

// ---- callables ----

void MasterSession::make_callable(CallableOptions options, Made done) {
  const auto graph = graphs_.make({options.feeds, options.fetches, options.targets});
  if (!graph.ok()) return std::move(done)(graph.status());
  (*graph)->register_once([this, alive = site_.alive, callable = Callable{std::move(options), *graph},
                           done = std::move(done)](Status s) mutable {
    if (!*alive) return;
    if (!s.ok()) return std::move(done)(std::move(s));
    std::move(done)(callables_.add(std::move(callable)));
  });
}

void MasterSession::run_callable(std::int64_t handle, std::vector<TensorRef> feeds, const OnCancel& on_cancel,
                                 StepDone&& done) {
  const auto callable = callables_.find(handle, feeds.size());
  if (!callable.ok()) return std::move(done)({callable.status()});
  register_and_run(new_step((*callable)->input(std::move(feeds)), (*callable)->in_order(std::move(done))),
                   (*callable)->graph, on_cancel);
}

}  // namespace tarry
