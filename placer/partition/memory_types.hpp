// Where a node's inputs and outputs live on its device: in host memory or in the device's own.
//
// A kernel declares arguments that it keeps in host memory, on a CPU as well as on an accelerator; strings and
// resources always live there; a node's `_input_hostmem` and `_output_hostmem` add slots. A node without a kernel (the
// call of a function) keeps int32 there too.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <vector>

#include "placer/graph/graph.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

enum class MemoryType : std::uint8_t { device, host };

struct MemoryTypes {
  std::vector<MemoryType> inputs, outputs;  // by slot
};

// Fails: INVALID_ARGUMENT when the op's arguments cannot be counted.
[[nodiscard]] StatusOr<MemoryTypes> memory_types(const Graph& g, NodeId n, std::string_view device_type,
                                                 const KernelRegistry& kernels, const Rules& rules);

// The same for many nodes of a graph: nodes of one op that agree in the attributes which the answer depends on share
// one look-up.
class KnownMemoryTypes {
 public:
  // REQUIRES: both arguments outlive the object.
  KnownMemoryTypes(const KernelRegistry& kernels, const Rules& rules) : kernels_(kernels), rules_(rules) {}

  // The answer lives as long as the object.
  // REQUIRES: the node's op lives as long as the object. Fails with the errors of memory_types.
  [[nodiscard]] StatusOr<const MemoryTypes*> of(const Graph& g, NodeId n, const std::string& device_type);

 private:
  using Values = std::vector<const AttrValue*>;  // nullptr = the node has none
  struct Kind {
    std::string device_type;
    Attrs attrs;  // of a node of the kind; they hold `values`
    Values values;
    MemoryTypes types;
  };
  struct Op {
    std::vector<std::string_view> looked_at;
    std::deque<Kind> kinds;  // references to its elements stay valid
  };
  [[nodiscard]] std::vector<std::string_view> looked_at(const OpDef& op) const;

  const KernelRegistry& kernels_;
  const Rules& rules_;
  absl::flat_hash_map<const OpDef*, Op> known_;  // looked up, never iterated
  Values values_;                                // of the node that is being looked at
};

}  // namespace tarry
