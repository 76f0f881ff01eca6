#include "workers/train/start_gate.hpp"

#include <utility>

namespace tarry {

void StartGate::when_open(Callback run) {
  if (open_) return std::move(run)();
  waiting_.push_back(std::move(run));
}

void StartGate::arrive(Callback go) {
  when_open(std::move(go));
  if (open_ || --missing_ > 0) return;
  open_ = true;
  if (on_open) on_open(env_.now());
  for (Callback& w : std::exchange(waiting_, {})) env_.after(0, std::move(w));
}

}  // namespace tarry
