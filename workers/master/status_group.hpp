// The errors of a step's parts, as one (docs/rules/runtime.md#E.3).
//
// Derived errors do not count beside an error that is a root cause. Several root causes are listed in one text, the
// latest first (the order in which TensorFlow's hash set iterates, seen in 2.15.1), under the code of the latest.
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
