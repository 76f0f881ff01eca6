// What variable ops share: finding the variable behind an input, and noting what is assigned.
#pragma once

#include "workers/kernels/dispatch.hpp"

namespace tarry {

// REQUIRES: the input is a reference or a handle made by a variable op.
[[nodiscard]] inline Variable& variable_of(const KernelContext& c, std::size_t i = 0) {
  return static_cast<Variable&>(*c.inputs[i].resource);
}

// Where an update writes. A reference variable is updated in place: tensors that were read from it share its storage
// and see the change, as in TensorFlow (that is how the tokens of a sync step carry the new global step). A resource
// variable is copied first. REQUIRES: the variable has a value.
[[nodiscard]] TensorRef storage_for_update(Variable& variable, bool in_place);

// Notes a known integer scalar that was assigned.
void note_scalar(KernelHost& host, const KernelContext& c, const Variable& variable);

// FAILED_PRECONDITION, TensorFlow's text for a resource variable without a value.
[[nodiscard]] Status uninitialized_resource(const KernelHost& host, const Variable& variable);
// Likewise for an op that changes a part of it (NOT_FOUND), and for an optimizer (INTERNAL).
[[nodiscard]] Status no_such_resource(const KernelHost& host, const Variable& variable);
[[nodiscard]] inline Status missing_variable() { return error(Code::kInternal, "Invalid variable reference."); }

// The name under which a stateful node's object is kept: its shared_name, or its own.
[[nodiscard]] std::string resource_name(const KernelSetup& s);
[[nodiscard]] std::string container_of(const KernelSetup& s);

}  // namespace tarry
