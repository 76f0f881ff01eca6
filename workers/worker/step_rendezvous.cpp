#include "workers/worker/step_rendezvous.hpp"

#include <utility>

#include "workers/worker/worker.hpp"

namespace tarry {

void StepRendezvous::receive(const TransferKey& key, CancellationManager& step, ReceiveDone done) {
  if (key.source == own_) return table.receive(key.key, &step, std::move(done));
  receive_remotely(key, step, std::move(done));
}

void StepRendezvous::receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone done) {
  if (!aborted_.ok()) return std::move(done)(aborted_);
  if (!key.source.valid() || !directory_.workers[key.source.index()]) return std::move(done)(error(Code::kInternal, "No worker known as {}", key.source.valid() ? directory_.tasks[key.source.index()].name : "(unknown)"));
  const std::uint64_t id = ++last_call_;
  const auto token = step.add([this, id] { answer(id, as_derived(error(Code::kCancelled, "RecvFromRemoteAsync is cancelled."))); });
  if (token == 0) return std::move(done)(as_derived(error(Code::kCancelled, "RecvFromRemoteAsync is cancelled.")));
  calls_.emplace(id, Call{std::move(done), &step, token});
  const std::uint64_t request_bytes = 100;  // step id, request id and a key of some 90 characters
  call<StatusOr<Received>>(
      directory_.env, own_, key.source, directory_.rpc.recv_tensor, request_bytes,
      [&directory = directory_, source = key.source, request = RecvTensorRequest{step_, key.key}](Responder<StatusOr<Received>> respond) mutable {
        directory.workers[source.index()]->recv_tensor(request, std::move(respond));
      },
      [this, id, alive = alive_](StatusOr<Received> value) {
        if (*alive) answer(id, std::move(value));
      });
}

void StepRendezvous::answer(std::uint64_t id, StatusOr<Received> value) {
  const auto it = calls_.find(id);
  if (it == calls_.end()) return;
  Call c = std::move(it->second);
  calls_.erase(it);
  c.step->remove(c.token);
  std::move(c.done)(std::move(value));
}

void StepRendezvous::abort(const Status& why) {
  if (!aborted_.ok()) return;
  aborted_ = why.code() == Code::kCancelled || why.code() == Code::kAborted ? as_derived(why) : why;
  table.abort(why);
  while (!calls_.empty()) answer(calls_.begin()->first, aborted_);
}

}  // namespace tarry
