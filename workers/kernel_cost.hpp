// What a kernel's cost may depend on, and where the cost comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "placer/core/ids.hpp"
#include "workers/events.hpp"

namespace tarry {

using CostId = Id<struct CostTag>;  // none = the kernel takes no time

// The work of one execution, counted from its inputs' shapes (workers/roofline).
struct Work {
  std::uint64_t flops = 0, bytes = 0;
  friend bool operator==(const Work&, const Work&) = default;
};
enum class Doing : std::uint8_t {
  unknown,  // there is no formula for the op
  nothing,  // it only passes values on, looks at shapes or holds a handle
  counted,
};

// What the cost of a kernel may depend on; given once, when the kernel is created.
struct KernelSite {
  TaskId task;
  std::string_view device;  // full name
  std::string_view node, op;
  Doing doing = Doing::unknown;
  std::string_view one_at_a_time = {};  // what runs one kernel of its task at a time, such as a reader; "" = nothing
};

// Whether ops of this kind take turns at the reader that they use (docs/rules/runtime.md#C.9.6.1).
[[nodiscard]] inline bool reads_in_turn(std::string_view op) { return op.starts_with("ReaderRead"); }

// Where a kernel's time comes from: the first of these that applies.
enum class CostSource : std::uint8_t { scenario, measured, roofline, otherwise };
inline constexpr std::size_t kCostSources = 4;

struct KernelCost {
  CostId id;  // none = it takes no time
  CostSource source = CostSource::otherwise;
  bool by_work = false;     // run_kernel is to be told the work
  bool on_arrival = false;  // a Recv, whose time passes after the tensor has arrived
};

}  // namespace tarry
