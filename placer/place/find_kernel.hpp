// Which kernel of an op serves a node on a type of device (docs/rules/placer.md#B.9).
//
// A kernel fits when its label is the node's `_kernel` and every constraint allows the node's attribute. When several
// fit, the one of highest priority serves. Two of equal priority are an error; in releases without priorities (rule
// kernel_priorities) any two are. When none fits, a kernel for the pseudo-type DEFAULT may serve (rule
// default_kernels).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "placer/graph/op_def.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

struct KernelMatch {
  const KernelDef* kernel = nullptr;  // nullptr = none
  bool attrs_differ = false;          // a kernel of that device type was refused because of its constraints
};

// What is looked up: a node's op and attributes; the rest is for error texts.
struct KernelQuery {
  std::string_view node, op;
  const Attrs& attrs;
  std::function<std::string()> definition = [] {
    return std::string();
  };  // the node as definition_text (texts.hpp) shows it: some errors quote it
};

// Fails: INVALID_ARGUMENT when two kernels fit, or a constraint is on an attribute that the node lacks or that is not a
// type or list(type); UNIMPLEMENTED when a constraint allows no type at all.
[[nodiscard]] StatusOr<KernelMatch> find_kernel(std::span<const KernelDef> kernels_of_op, const KernelQuery& query,
                                                std::string_view device_type, const Rules& rules);

// One line for each kernel, "  device='GPU'; label='fast'; T in [DT_FLOAT]"; "  <no registered kernels>" when there is
// none.
[[nodiscard]] std::string kernel_list_text(std::span<const KernelDef> kernels_of_op);

}  // namespace tarry
