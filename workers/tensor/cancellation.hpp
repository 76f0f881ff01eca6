// Cancels what waits in a step (docs/rules/runtime.md#C.7).
//
// Whatever waits (an attempt on a queue or an accumulator, a receive) is registered; starting the cancellation cancels
// each once, in the order of registration. After that nothing can be registered. Waiters and the manager may be
// destroyed in either order; a destroyed waiter is no longer registered.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>

#include "workers/callbacks.hpp"

namespace tarry {

class CancellationManager {
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<CancellationManager>,
                                                boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

 public:
  class Waiter : public Hook {
   public:
    virtual void cancel() = 0;  // called after it was deregistered; it may destroy itself
    void deregister() {
      if (Hook::is_linked()) Hook::unlink();
    }

   protected:
    ~Waiter() = default;
  };

  // The registration of a callback, which ends when this object is destroyed.
  class Registration {
   public:
    Registration() = default;
    [[nodiscard]] explicit operator bool() const { return waiter_ != nullptr; }

   private:
    friend class CancellationManager;
    struct Calling final : Waiter {
      explicit Calling(Callback c) : call(std::move(c)) {}
      void cancel() override;
      Callback call;
    };
    std::unique_ptr<Calling> waiter_;
  };

  // They give false, or an empty Registration, when the step is already cancelled: then the caller fails at once.
  [[nodiscard]] bool add(Waiter& waiter);
  [[nodiscard]] Registration add(Callback cancel);
  void start();  // further calls, also from inside a waiter's cancel, do nothing
  [[nodiscard]] bool is_cancelled() const { return cancelled_; }
  bool forgets_last = false;  // PlantedClusterBug::abort_skips_waiter

 private:
  boost::intrusive::list<Waiter, boost::intrusive::base_hook<Hook>, boost::intrusive::constant_time_size<false>>
      waiters_;
  bool cancelled_ = false;
};

}  // namespace tarry
