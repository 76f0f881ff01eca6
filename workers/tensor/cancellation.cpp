#include "workers/tensor/cancellation.hpp"

#include <utility>

namespace tarry {

// It may end its own registration.
void CancellationManager::Registration::Calling::cancel() {
  Callback last = std::move(call);
  std::move(last)();
}

bool CancellationManager::add(Waiter& waiter) {
  if (!cancelled_) waiters_.push_back(waiter);
  return !cancelled_;
}

CancellationManager::Registration CancellationManager::add(Callback cancel) {
  Registration made;
  if (cancelled_) return made;
  made.waiter_ = std::make_unique<Registration::Calling>(std::move(cancel));
  (void)add(*made.waiter_);
  return made;
}

void CancellationManager::start() {
  if (std::exchange(cancelled_, true)) return;
  while (!waiters_.empty()) {
    Waiter& first = waiters_.front();
    first.deregister();
    if (forgets_last && waiters_.empty()) return;
    first.cancel();
  }
}

}  // namespace tarry
