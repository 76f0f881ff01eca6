// The tensors that a worker has received from others, by step, while Logging is on (docs/rules/runtime.md#E.4).
#pragma once

#include <map>
#include <string>

#include "workers/worker/messages.hpp"

namespace tarry {

class TransferLog {
 public:
  void apply(const LoggingRequest& r) {
    if (r.enable || r.disable) is_on_ = r.enable;
    if (r.clear) steps_.clear();
  }
  [[nodiscard]] bool is_on() const { return is_on_; }
  // REQUIRES: `key` parses.
  void add(StepId step, std::string_view key, std::uint64_t bytes, Nanos took);
  // Gives the transfers of these steps and forgets them.
  [[nodiscard]] LoggingResponse take(const std::vector<StepId>& steps);

 private:
  bool is_on_ = false;
  std::map<StepId, StepStats> steps_;
};

}  // namespace tarry
