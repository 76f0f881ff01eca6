#include "workers/worker/step_rendezvous.hpp"

#include <utility>

#include "placer/device/name.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

void StepRendezvous::initialize() {
  if (std::exchange(initialized_, true)) return;
  for (auto& [key, done] : std::exchange(deferred_, {})) receive_for_peer(key, std::move(done));
}

Status StepRendezvous::not_own(const TransferKey& key, const char* end) const {
  return invalid("Invalid rendezvous key ({}): {} @ {}", end, key_text(directory_.env, key.key), directory_.tasks[own_.index()].name);
}

Status StepRendezvous::send(const TransferKey& key, Received value) {
  if (!key.is_own) return not_own(key, "src");
  return table_.send(key.key, std::move(value));
}

void StepRendezvous::receive(const TransferKey& key, CancellationManager& step, ReceiveDone done) {
  if (!initialized_) return std::move(done)(error(Code::kInternal, "ValidateDevices called before initialization."));
  if (!key.is_own) return std::move(done)(not_own(key, "dst"));
  if (key.source == own_) return table_.receive(key.key, &step, std::move(done));
  receive_remotely(key, step, std::move(done));
}

void StepRendezvous::receive_for_peer(const TransferKey& key, ReceiveDone done) {
  if (!initialized_) return void(deferred_.emplace_back(key, std::move(done)));
  if (!key.is_own) return std::move(done)(not_own(key, "src"));
  table_.receive(key.key, nullptr, std::move(done));
}

Status StepRendezvous::unknown_worker(const TransferKey& key) const {
  const auto parsed = parse_key(directory_.env.text(key.key.text));
  const auto device = parsed.ok() ? parse_device_name(parsed->send_device) : std::nullopt;
  return error(Code::kInternal, "No worker known as {}", device && device->job && device->replica && device->task ? task_of(*device) : std::string());
}

void StepRendezvous::receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone done) {
  if (table_.is_aborted()) return std::move(done)(table_.status());
  if (!key.source.valid()) return std::move(done)(unknown_worker(key));
  const std::uint64_t id = calls_.add({std::move(done), &step, 0, nullptr, key.key, directory_.env.now()});
  const auto cancel = [this, id] { answer(id, as_derived(error(Code::kCancelled, "RecvFromRemoteAsync is cancelled."))); };
  const auto token = step.add(cancel);
  if (token == 0) return cancel();
  calls_.find(id)->token = token;
  RecvTensorRequest request;
  request.step = step_;
  request.key = key.key;
  request.request_id = directory_.request_id(step_, own_, id);
  CallRef pending = call(directory_, own_, key.source, request, [this, id, alive = weak_from_this()](StatusOr<RecvTensorResponse> r) {
    if (alive.expired()) return;
    if (r.ok()) arrived(id, r->value);
    answer(id, r.ok() ? StatusOr<Received>(std::move(r->value)) : r.status());
  });
  if (PendingReceive* r = calls_.find(id)) r->call = std::move(pending);
}

void StepRendezvous::arrived(std::uint64_t id, const Received& value) {
  if (log_ == nullptr || !log_->is_on()) return;
  if (const PendingReceive* r = calls_.find(id))
    log_->add(step_, directory_.env.text(r->key.text), value.tensor ? value.tensor->bytes() : 0, directory_.env.now() - r->began);
}

// The answer, or the reason why nobody waits for it any more.
void StepRendezvous::answer(std::uint64_t id, StatusOr<Received> value) {
  if (std::optional<PendingReceive> r = calls_.take(id)) end(*r, std::move(value));
}

void StepRendezvous::end(PendingReceive& r, StatusOr<Received> value) {
  r.step->remove(r.token);
  if (r.call) r.call->cancel();
  std::move(r.done)(std::move(value));
}

void StepRendezvous::abort(const Status& why) {
  table_.abort(why);
  while (std::optional<PendingReceive> r = calls_.take_first()) end(*r, table_.status());
}

}  // namespace tarry
