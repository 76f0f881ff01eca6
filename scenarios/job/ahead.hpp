// What a run sees that goes on after its end.
#pragma once

#include <cstdint>
#include <set>

#include "results/log.hpp"

namespace tarry {

class Ahead {
 public:
  static constexpr Nanos kLongest = 24LL * 3600 * 1'000'000'000;

  // `log`: of the run up to its end.
  explicit Ahead(const EventLog& log) {
    for (const LoggedEvent& e : log.events()) follow(e.event);
    steps_ended_ = 0;
  }

  void note(const Event& e) { follow(e); }
  // Training steps that have ended well.
  [[nodiscard]] std::int64_t steps_ended() const { return steps_ended_; }
  // Asked before every event of the world: it goes on and on, and brings training nothing.
  [[nodiscard]] bool is_too_long() {
    constexpr std::uint64_t kMostEvents = 300'000;
    return ++events_ > kMostEvents;
  }

 private:
  void follow(const Event& e) {
    const auto* began = std::get_if<StepBegan>(&e);
    if (began != nullptr && began->purpose == Purpose::train) open_.insert(began->step);
    const auto* ended = std::get_if<StepEnded>(&e);
    if (ended != nullptr && open_.erase(ended->step) > 0 && ended->code == 0) ++steps_ended_;
  }

  std::set<StepId> open_;  // training steps
  std::int64_t steps_ended_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace tarry
