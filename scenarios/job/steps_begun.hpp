// How many training steps a worker has done: one that did not end, or ended with an error, counts as the part of a
// usual step that it lasted.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "placer/core/ids.hpp"
#include "workers/nanos.hpp"

namespace tarry {

class StepsBegun {
 public:
  void begin(StepId step, Nanos at) { open_[step] = at; }
  void end(StepId step, Nanos at, bool is_whole) {
    const auto it = open_.find(step);
    if (it == open_.end()) return;
    if (is_whole)
      ++ended_, took_ += at - it->second;
    else
      cut_off_.push_back(at - it->second);
    open_.erase(it);
  }
  void lose(Nanos at) {
    for (const auto& [step, began] : open_) cut_off_.push_back(at - began);
    open_.clear();
  }
  [[nodiscard]] std::int64_t whole() const { return ended_; }
  [[nodiscard]] std::int64_t begun() const { return ended_ + std::ssize(cut_off_) + std::ssize(open_); }
  [[nodiscard]] double count(Nanos now) const {
    double all = static_cast<double>(ended_);
    for (const Nanos lasted : cut_off_) all += part(lasted);
    for (const auto& [step, began] : open_) all += part(now - began);
    return all;
  }

 private:
  [[nodiscard]] double part(Nanos lasted) const {
    return ended_ == 0 ? 1
                       : std::min(1.0, static_cast<double>(lasted) * static_cast<double>(ended_) /
                                           static_cast<double>(std::max<Nanos>(1, took_)));
  }

  std::map<StepId, Nanos> open_;
  std::vector<Nanos> cut_off_;
  std::int64_t ended_ = 0;
  Nanos took_ = 0;
};

}  // namespace tarry
