// Queue runners of a training client: threads that repeat an op until it fails, and one that closes their queue when
// training stops (docs/rules/runtime.md#E.6).

#include <map>

#include "workers/train/training_client.hpp"

namespace tarry {
namespace {

// "tensorflow.python.framework.errors_impl.UnavailableError", as Python names the exception of a code.
std::string exception_of(Code code) {
  static const std::map<Code, const char*> names = {{Code::kCancelled, "Cancelled"},
                                                    {Code::kUnknown, "Unknown"},
                                                    {Code::kInvalidArgument, "InvalidArgument"},
                                                    {Code::kDeadlineExceeded, "DeadlineExceeded"},
                                                    {Code::kNotFound, "NotFound"},
                                                    {Code::kAborted, "Aborted"},
                                                    {Code::kFailedPrecondition, "FailedPrecondition"},
                                                    {Code::kOutOfRange, "OutOfRange"},
                                                    {Code::kResourceExhausted, "ResourceExhausted"},
                                                    {Code::kInternal, "Internal"},
                                                    {Code::kUnavailable, "Unavailable"},
                                                    {Code::kUnimplemented, "Unimplemented"}};
  const auto it = names.find(code);
  return fmt::format("tensorflow.python.framework.errors_impl.{}Error", it == names.end() ? "Unknown" : it->second);
}

}  // namespace

void TrainingClient::start_queue_runner(const QueueRunner& runner, Purpose purpose) {
  const auto start = [this](Task<bool> thread) {
    threads_.push_back(std::move(thread));
    threads_.back().start();
  };
  const std::string& queue = runner.queue.empty() ? program_.sync->token_queue : runner.queue;
  const auto name_of = [&](std::string_view what) { return fmt::format("QueueRunnerThread-{}-{}", queue, what); };
  const auto left = std::make_shared<std::size_t>(runner.enqueue_ops.size());
  for (const std::string& op : runner.enqueue_ops)
    start(enqueue_for_ever({name_of(op), op, runner.close_op, left, purpose}));
  const bool closes = purpose != Purpose::sync || options_.era == QueueRunnerEra::closes_token_queue;
  if (!runner.cancel_op.empty() && closes) start(close_queue_on_stop(name_of("close_on_stop"), runner.cancel_op));
}

Task<bool> TrainingClient::enqueue_for_ever(EnqueueThread thread) {
  const std::shared_ptr<Coordinator> coordinator = coordinator_;
  MasterSession& session = *session_;
  coordinator->thread_started(thread.name);
  const SharedNames target{thread.op};
  Status s;
  while (s.ok() && !coordinator->should_stop()) s = co_await run_ops_in(session, target, thread.purpose);
  const bool is_last = --*thread.left == 0, is_over = s.code() == Code::kOutOfRange;
  if (is_over && is_last && !thread.close_op.empty()) {
    const SharedNames close{thread.close_op};
    (void)co_await run_ops_in(session, close, Purpose::close_queue);
  }
  const bool is_heard = !s.ok() && !is_over && !coordinator->should_stop();
  if (!s.ok()) mark(directory_.auditor, is_heard ? Mark::sync_thread_failed : Mark::sync_thread_closed);
  if (is_heard) {
    log('I', fmt::format("Error reported to Coordinator: <class '{}'>, {}", exception_of(s.code()), text_of(s)));
    coordinator->request_stop(s);
  }
  coordinator->thread_ended(thread.name);
  co_return true;
}

Task<bool> TrainingClient::close_queue_on_stop(std::string name, std::string op) {
  const std::shared_ptr<Coordinator> coordinator = coordinator_;
  MasterSession& session = *session_;
  coordinator->thread_started(name);
  auto stopping =
      await<bool>([coordinator](auto resume) { coordinator->when_stopping([resume]() mutable { resume(true); }); });
  co_await stopping;
  const SharedNames target{op};
  co_await run_ops_in(session, target, Purpose::close_queue);
  coordinator->thread_ended(name);
  co_return true;
}

}  // namespace tarry
