// Continuations: functions that worker code passes on to be run later.
#pragma once

#include <absl/functional/any_invocable.h>

#include <cstdint>

#include "placer/core/status.hpp"

namespace tarry {

using Callback = absl::AnyInvocable<void() &&>;
using StatusCallback = absl::AnyInvocable<void(Status) &&>;

// A continuation that needs no allocation, for code that runs once per op.
struct Continuation {
  void (*run)(void* self, std::uint64_t argument) = nullptr;
  void* self = nullptr;
  std::uint64_t argument = 0;
  void operator()() const { run(self, argument); }
};

}  // namespace tarry
