#include "workers/kernels/cancellation.hpp"

#include <utility>

namespace tarry {

CancellationManager::Token CancellationManager::add(Callback cancel) {
  if (cancelled_) return 0;
  callbacks_.emplace(++last_, std::move(cancel));
  return last_;
}

void CancellationManager::remove(Token token) { callbacks_.erase(token); }

void CancellationManager::start() {
  if (std::exchange(cancelled_, true)) return;
  while (!callbacks_.empty()) {
    Callback first = std::move(callbacks_.begin()->second);
    callbacks_.erase(callbacks_.begin());
    std::move(first)();
  }
}

}  // namespace tarry
