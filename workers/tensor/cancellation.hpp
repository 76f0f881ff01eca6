// Cancelling what waits in a step (docs/rules/runtime.md#C.7).
//
// Whatever waits - an attempt on a queue or an accumulator, a receive - is registered; starting the cancellation
// cancels all of them once, in the order of registration. After that nothing can be registered. What is gone has
// deregistered itself, whichever of the two goes first.
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
    virtual void cancel() = 0;  // it is deregistered by then, and may be gone afterwards
    void deregister() {
      if (Hook::is_linked()) Hook::unlink();
    }

   protected:
    ~Waiter() = default;
  };

  // Of a callback: ends with its owner.
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

  // False, or none, when the step is cancelled already: the caller fails at once.
  [[nodiscard]] bool add(Waiter& waiter);
  [[nodiscard]] Registration add(Callback cancel);
  void start();  // again, or from inside what it cancels: nothing
  [[nodiscard]] bool is_cancelled() const { return cancelled_; }

 private:
  boost::intrusive::list<Waiter, boost::intrusive::base_hook<Hook>, boost::intrusive::constant_time_size<false>>
      waiters_;
  bool cancelled_ = false;
};

}  // namespace tarry
