#include "workers/worker/step_rendezvous.hpp"

#include <utility>

#include "placer/device/name.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

// The answer, or the reason why nobody waits for it any more. Again: nothing.
void StepRendezvous::PendingReceive::end(StatusOr<Received> value) {
  if (!waits()) return;
  const PendingRef here = leave();
  if (const CallRef ended = std::move(call)) ended->cancel();
  std::move(done)(std::move(value));
}

StepRendezvous::PendingRef StepRendezvous::PendingReceive::leave() {
  InTable::unlink();
  deregister();
  return {this, false};  // the table's own
}

void StepRendezvous::PendingReceive::cancel() {
  if (owner.keeps_receives()) return;
  end(as_derived(error(Code::kCancelled, "RecvFromRemoteAsync is cancelled.")));
}

StepRendezvous::StepRendezvous(Directory& directory, TaskId own, StepId step, TransferLog* log)
    : directory_(directory), own_(own), process_(directory.life(own)), step_(step), log_(log) {}

// Calls that nobody has answered yet may live on.
StepRendezvous::~StepRendezvous() {
  while (!pending_.empty()) {
    const PendingRef unheard = pending_.front().leave();
    unheard->done = nullptr;
    unheard->call = nullptr;
  }
}

void StepRendezvous::initialize() {
  if (std::exchange(initialized_, true)) return mark(directory_.auditor, Mark::step_begun_twice);
  for (auto& [key, done] : std::exchange(deferred_, {})) receive_for_peer(key, std::move(done));
}

Status StepRendezvous::not_own(const TransferKey& key, const char* end) const {
  return invalid("Invalid rendezvous key ({}): {} @ {}", end, key_text(directory_.env, key.key),
                 directory_.tasks[own_.index()].name);
}

Status StepRendezvous::send(const TransferKey& key, Received value) {
  mark_if(!status_.ok(), directory_.auditor, Mark::tensor_made_in_aborted_step);
  if (!status_.ok()) return status_;
  if (!key.is_own) return not_own(key, "src");
  return table_.send(key.key, std::move(value));
}

void StepRendezvous::receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) {
  mark_if(!status_.ok(), directory_.auditor, Mark::receive_in_aborted_step);
  if (!status_.ok()) return std::move(done)(status_);
  mark_if(!initialized_, directory_.auditor, Mark::receive_before_step);
  if (!initialized_) return std::move(done)(error(Code::kInternal, "ValidateDevices called before initialization."));
  if (!key.is_own) return std::move(done)(not_own(key, "dst"));
  if (key.source == own_) return table_.receive(key.key, &step, std::move(done));
  receive_remotely(key, step, std::move(done));
}

void StepRendezvous::receive_for_peer(const TransferKey& key, ReceiveDone&& done) {
  Auditor* a = directory_.auditor;
  mark_if(!initialized_, a, Mark::tensor_asked_before_step);
  if (!initialized_) return void(deferred_.emplace_back(key, std::move(done)));
  mark_if(!status_.ok(), a, Mark::tensor_asked_of_aborted_step);
  if (!status_.ok()) return std::move(done)(status_);
  if (!key.is_own) return std::move(done)(not_own(key, "src"));
  if (a != nullptr) a->mark(table_.holds(key.key) ? Mark::tensor_asked_after_made : Mark::tensor_asked_before_made);
  table_.receive(key.key, nullptr, std::move(done));
}

Status StepRendezvous::unknown_worker(const TransferKey& key) const {
  const auto parsed = parse_key(directory_.env.text(key.key.text));
  const auto device = parsed.ok() ? parse_device_name(parsed->send_device) : std::nullopt;
  return error(Code::kInternal, "No worker known as {}",
               device && device->job && device->replica && device->task ? task_of(*device) : std::string());
}

void StepRendezvous::receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) {
  if (!key.source.valid()) return std::move(done)(unknown_worker(key));
  PendingRef r(new PendingReceive(*this, key.key, std::move(done), directory_.env.now()));
  const std::uint64_t number = ++receives_;
  pending_.push_back(*PendingRef(r).detach());
  if (!step.add(*r)) return r->cancel();
  RecvTensorRequest request;
  request.step = step_;
  request.key = key.key;
  request.request_id = directory_.request_id(step_, own_, number);
  CallRef call = tarry::call(directory_, own_, key.source, request,
                             [r, auditor = directory_.auditor](StatusOr<RecvTensorResponse> answer) {
                               if (!r->waits()) return mark_if(answer.ok(), auditor, Mark::tensor_for_ended_receive);
                               mark_if(!answer.ok(), auditor, Mark::receive_failed);
                               if (answer.ok()) r->owner.arrived(*r, answer->value);
                               r->end(answer.ok() ? StatusOr<Received>(std::move(answer->value)) : answer.status());
                             });
  if (r->waits()) r->call = std::move(call);
}

void StepRendezvous::arrived(const PendingReceive& r, const Received& value) const {
  if (directory_.auditor != nullptr)
    directory_.auditor->note({.what = AuditFact::What::value_arrived,
                              .task = own_,
                              .process = process_,
                              .step = step_,
                              .text = directory_.auditor->text(r.key.text)});
  if (log_ == nullptr || !log_->is_on()) return;
  log_->add(step_, directory_.env.text(r.key.text), value.tensor ? value.tensor->bytes() : 0,
            directory_.env.now() - r.began);
}

void StepRendezvous::mark_abort() const {
  Auditor* a = directory_.auditor;
  if (a == nullptr) return;
  mark_if(!status_.ok(), a, Mark::abort_repeated);
  mark_if(table_.waiting() > 0, a, Mark::abort_ends_wait_here);
  mark_if(!pending_.empty() && status_.ok(), a, Mark::abort_ends_wait_for_peer);
  mark_if(table_.values() > 0, a, Mark::abort_drops_tensor);
}

void StepRendezvous::abort(const Status& why) {
  mark_abort();
  table_.abort(why);
  if (!status_.ok()) return;
  status_ = told_by_abort(why);
  while (!pending_.empty() && !keeps_receives()) pending_.front().end(status_);
}

}  // namespace tarry
