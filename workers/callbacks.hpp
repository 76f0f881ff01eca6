// What runs later: continuations, as all of worker code passes them on.
#pragma once

#include <absl/functional/any_invocable.h>

#include <cstdint>

#include "placer/core/status.hpp"

namespace tarry {

using Callback = absl::AnyInvocable<void() &&>;
using StatusCallback = absl::AnyInvocable<void(Status) &&>;

// A continuation without allocation, for the per-op path.
struct Continuation {
  void (*run)(void* self, std::uint64_t argument) = nullptr;
  void* self = nullptr;
  std::uint64_t argument = 0;
  void operator()() const { run(self, argument); }
};

}  // namespace tarry
