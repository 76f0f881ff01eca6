// The errors of a step's parts, as one (docs/rules/runtime.md#E.3).
//
// Derived errors do not count beside a cause. Several causes are listed, the latest first (as a hash set of
// TensorFlow's iterates: seen in 2.15.1), under the latest one's code.
#pragma once

#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

class StatusGroup {
 public:
  void add(const Status& s);
  [[nodiscard]] Status concatenated() const;  // OK when there was no error

 private:
  std::vector<Status> causes_, derived_;  // latest first, each once
};

}  // namespace tarry
