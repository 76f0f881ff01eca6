#include "workers/kernels/cancellation.hpp"

#include <utility>

namespace tarry {

CancellationManager::Token CancellationManager::add(Callback cancel) {
  return cancelled_ ? 0 : callbacks_.add(std::move(cancel));
}

void CancellationManager::remove(Token token) { callbacks_.erase(token); }

void CancellationManager::start() {
  if (std::exchange(cancelled_, true)) return;
  while (std::optional<Callback> first = callbacks_.take_first()) std::move (*first)();
}

}  // namespace tarry
