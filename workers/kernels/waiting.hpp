// A place where ops wait until it has what they want. Nothing but another op ends their waiting.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "workers/state/resources.hpp"

namespace tarry {

class WaitingPlace : public Resource {
 public:
  // What a waiting op tries: false = it changed nothing, and waits on.
  using Attempt = std::function<bool()>;

  WaitingPlace() : Resource(ResourceKind::staging_area) {}
  // Tries at once, and then after each change, those that came first before others.
  void until(Attempt attempt) {
    attempts_.push_back(std::move(attempt));
    changed();
  }
  void changed() {
    is_again_ = true;
    if (std::exchange(is_trying_, true)) return;
    while (std::exchange(is_again_, false)) try_all();
    is_trying_ = false;
  }

 private:
  void try_all() {
    for (std::size_t i = 0; i < attempts_.size();) {
      const Attempt attempt = std::exchange(attempts_[i], {});
      if (!attempt()) {
        attempts_[i++] = attempt;
        continue;
      }
      attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(i));
      is_again_ = true;
    }
  }

  std::deque<Attempt> attempts_;
  bool is_trying_ = false, is_again_ = false;
};

}  // namespace tarry
