// Cancelling what waits in a step (runtime.md C.7).
//
// Queue and accumulator attempts register a callback; starting the cancellation runs all of them once, in the order of registration. After that
// nothing can be registered. Deregistering what has run, or is running, does nothing.
#pragma once

#include "placer/core/ascending_table.hpp"
#include "workers/env.hpp"

namespace tarry {

class CancellationManager {
 public:
  using Token = AscendingTable<Callback>::Number;  // 0 = refused

  // 0 when the step is cancelled already: the caller fails at once.
  [[nodiscard]] Token add(Callback cancel);
  void remove(Token token);
  void start();  // idempotent
  [[nodiscard]] bool is_cancelled() const { return cancelled_; }

 private:
  AscendingTable<Callback> callbacks_;
  bool cancelled_ = false;
};

}  // namespace tarry
