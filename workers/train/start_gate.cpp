#include "workers/train/start_gate.hpp"

namespace tarry {

void StartGate::when_open(TaskId task, Callback run) {
  if (open_) return std::move(run)();
  waiting_.emplace_back(task, std::move(run));
}

void StartGate::arrive(TaskId task, Callback go) {
  when_open(task, std::move(go));
  expected_.erase(task);
  open_if_complete();
}

void StartGate::leave(TaskId task) {
  std::erase_if(waiting_, [task](const auto& w) { return w.first == task; });
  if (expected_.erase(task) > 0) env_.after(0, [this] { open_if_complete(); });  // it may be expected anew
}

void StartGate::expect(TaskId task) {
  if (!open_) expected_.insert(task);
}

void StartGate::open_if_complete() {
  if (open_ || !expected_.empty()) return;
  open_ = true;
  if (on_open) on_open(env_.now());
  for (auto& [task, run] : std::exchange(waiting_, {})) env_.after(task, 0, std::move(run));
}

}  // namespace tarry
