// The sessions of a training client, one after the other: what is done when one fails, and at the end of training
// (docs/rules/runtime.md#E.6).

#include <fmt/ranges.h>

#include <utility>

#include "workers/train/training_client.hpp"

namespace tarry {
namespace {

bool is_recoverable(const Status& s) { return s.code() == Code::kAborted || s.code() == Code::kUnavailable; }

// What is logged of an error that another session may mend.
constexpr char kInAStep[] =
    "An error was raised. This may be due to a preemption in a connected worker or parameter server. The current "
    "session will be closed and a new session will be created.";
constexpr char kBetweenSteps[] =
    "An error was raised while considering whether the session is complete. This may be due to a preemption in a "
    "connected worker or parameter server. The current session will be closed and a new session will be created.";
constexpr char kWhileCreating[] =
    "An error was raised while a session was being created. This may be due to a preemption of a connected worker or "
    "parameter server. A new session will be created.";
constexpr char kMayAlso[] =
    "This error may also occur due to a gRPC failure caused by high memory or network bandwidth usage in the parameter "
    "servers. If this error occurs repeatedly, try increasing the number of parameter servers assigned to the job. "
    "Error:";
constexpr char kNotClosed[] =
    "An error occurred when attempting to close the session. This may be due to a preemption in a connected worker or "
    "parameter server. Error: ";

const char* what_failed(Failed when) {
  switch (when) {
    case Failed::while_creating:
      return kWhileCreating;
    case Failed::in_a_step:
      return kInAStep;
    case Failed::between_steps:
      break;
  }
  return kBetweenSteps;
}

}  // namespace

Task<Status> TrainingClient::live() {
  if (gate_ != nullptr && !options_.joins_gate) {
    auto opened = await<bool>([this](auto resume) { gate_->when_open(task_, [resume]() mutable { resume(true); }); });
    co_await opened;
  }
  if (options_.start_after > 0) co_await sleep(options_.start_after);
  for (;;) {
    Failed when = Failed::while_creating;
    Status s = co_await make_session_and_train(&when);
    if (!s.ok() && is_recoverable(s) && !has_left_loop_) {
      mark(directory_.auditor, Mark::session_made_anew);
      log('I', fmt::format("{} {} {}", what_failed(when), kMayAlso, text_of(s)));
      if (when == Failed::while_creating)
        s = co_await forget_session();
      else
        s = co_await close_broken_session();
      if (s.ok()) continue;
    }
    leave_loop(s);
    break;
  }
  (void)co_await close_session();
  move_to(SessionStage::closed);
  finished_ = true;
  co_return outcome_;
}

Task<Status> TrainingClient::make_session_and_train(Failed* when) {
  Status s = begin_hook();
  if (s.ok() && !keeps_session_) s = co_await create_session();
  if (!s.ok()) co_return s;
  s = co_await train();
  *when = s.ok() ? Failed::between_steps : Failed::in_a_step;
  co_return s.ok() ? coordinator_->status() : s;
}

// Joining its threads raises what one of them reported: another session mends that, too, or training ends with it.
Task<Status> TrainingClient::close_broken_session() {
  keeps_session_ = directory_.planted == PlantedClusterBug::session_not_anew && steps_ > 0;
  if (keeps_session_ && co_await sleep(options_.recovery_wait)) co_return Status();
  co_await close_session();
  const Status reported = coordinator_->status();
  if (reported.ok() || !is_recoverable(reported)) co_return reported;
  log('E', kNotClosed + std::string(text_of(reported)));
  co_return Status();
}

// Nothing stops the threads of a session that failed while it was being made: they go on in it. One without threads is
// closed, as nobody holds it, and what that comes to is not heard.
Task<Status> TrainingClient::forget_session() {
  if (coordinator_->running().empty())
    (void)co_await close_session();
  else
    earlier_.push_back(std::move(session_));
  co_return Status();
}

// A step may have failed since a thread had: where the thread's error would have been mended by another session, that
// is what is done (docs/rules/runtime.md#E.6.8).
Status TrainingClient::root_cause_of(const Status& failed) const {
  const Status& reported = coordinator_->status();
  return failed.ok() || is_recoverable(failed) || !is_recoverable(reported) ? failed : reported;
}

// Then hooks do what they do at the end, though a thread reported an error that ends training
// (docs/rules/runtime.md#E.6.9).
bool TrainingClient::ends_cleanly(const Status& ended) const {
  return ended.code() == Code::kOutOfRange || (ended.ok() && !is_recoverable(coordinator_->status()));
}

// A queue that is closed ends training as data that is at its end does; closing the session then raises what a thread
// reported (docs/rules/runtime.md#E.6.9).
void TrainingClient::leave_loop(const Status& ended) {
  const Status reported = coordinator_ == nullptr ? Status() : coordinator_->status();
  const bool raises = (ended.ok() || ended.code() == Code::kOutOfRange) && !reported.ok() && !is_recoverable(reported);
  const Status s = raises ? reported : ended;
  const bool is_closed = s.code() == Code::kOutOfRange;
  mark_if(is_closed, directory_.auditor, Mark::client_left_at_closed_queue);
  mark_if(!s.ok() && !is_closed, directory_.auditor, Mark::client_failed);
  outcome_ = is_closed ? Status() : s;
  if (is_closed) env_.note(CutShort{task_, steps_, options_.steps.value_or(0), options_.last_global_step.value_or(0)});
  move_to(s.ok() || is_closed ? SessionStage::left_loop : SessionStage::failed, text_of(s));
}

// Asks the threads to stop, waits for them at most the grace period, and closes the session, which cancels what still
// runs.
Task<Status> TrainingClient::close_session() {
  if (!session_) co_return Status();
  coordinator_->request_stop();
  auto joined = await<bool>([this](auto resume) {
    auto is_done = std::make_shared<bool>(false);
    const TimerId grace = env_.after(task_, options_.stop_grace, [resume, is_done]() mutable {
      if (!std::exchange(*is_done, true)) resume(false);
    });
    coordinator_->when_joined([this, grace, resume, is_done]() mutable {
      if (std::exchange(*is_done, true)) return;
      env_.cancel(grace);
      resume(true);
    });
  });
  const bool all_joined = co_await joined;
  mark_if(!all_joined, directory_.auditor, Mark::sync_thread_outlives_session);
  if (!all_joined)
    log('I',
        fmt::format("Coordinator stopped with threads still running: {}", fmt::join(coordinator_->running(), " ")));
  auto closing =
      await<Status>([this](auto resume) { session_->close([resume](Status s) mutable { resume(std::move(s)); }); });
  Status s = co_await closing;
  earlier_.push_back(std::move(session_));
  co_return s;
}

}  // namespace tarry
