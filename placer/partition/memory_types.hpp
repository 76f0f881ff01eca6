// Where a node's inputs and outputs live on its device: in host memory or in the device's own.
//
// A kernel declares arguments that it keeps in host memory, on a CPU as well as on an accelerator; strings and resources always live there;
// a node's `_input_hostmem` and `_output_hostmem` add slots. A node without a kernel (the call of a function) keeps int32 there too.
#pragma once

#include <vector>

#include "placer/graph/graph.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

enum class MemoryType : std::uint8_t { device, host };

struct MemoryTypes {
  std::vector<MemoryType> inputs, outputs;  // by slot
};

// Fails: INVALID_ARGUMENT when the op's arguments cannot be counted.
[[nodiscard]] StatusOr<MemoryTypes> memory_types(const Graph& g, NodeId n, std::string_view device_type, const KernelRegistry& kernels,
                                                 const Rules& rules);

}  // namespace tarry
