// Ctrl-C, looked for rather than obeyed: what is known by then can still be told.
#pragma once

#include <csignal>

namespace tarry {

// While it lives, Ctrl-C ends nothing: it is looked for.
class HeldInterrupt {
 public:
  HeldInterrupt() {
    sigemptyset(&interrupt_);
    sigaddset(&interrupt_, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt_, nullptr);
  }
  ~HeldInterrupt() {
    if (!has_come()) sigprocmask(SIG_UNBLOCK, &interrupt_, nullptr);
  }
  HeldInterrupt(const HeldInterrupt&) = delete;
  HeldInterrupt& operator=(const HeldInterrupt&) = delete;
  [[nodiscard]] bool has_come() const {
    sigset_t waiting{};
    return sigpending(&waiting) == 0 && sigismember(&waiting, SIGINT) == 1;
  }

 private:
  sigset_t interrupt_{};
};

}  // namespace tarry
