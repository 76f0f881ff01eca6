// What variable ops share: finding the variable behind an input, and noting what is assigned.
#pragma once

#include "workers/kernels/dispatch.hpp"

namespace tarry {

// REQUIRES: the input is a reference or a handle made by a variable op.
[[nodiscard]] inline Variable& variable_of(const KernelContext& c, std::size_t i = 0) {
  return static_cast<Variable&>(*c.inputs[i].resource);
}

// The tensor that an update writes to. A reference variable is updated in place: tensors that were read from it share
// its storage and see the change, as in TensorFlow (that is how the tokens of a sync step carry the new global step). A
// resource variable's value is copied first. REQUIRES: the variable has a value.
[[nodiscard]] TensorRef storage_for_update(Variable& variable, bool in_place);

// For an update by something that has no values here: the variable then has a shape only. REQUIRES: it has a value.
void lose_values(Variable& variable);

// Notes the event ScalarAssigned when the assigned value is a known integer scalar.
void note_scalar(KernelHost& host, const KernelContext& c, const Variable& variable);

// For an audit: of type, shape and what is known of the values.
[[nodiscard]] std::uint64_t digest_of(const TensorBody& t);

// The error FAILED_PRECONDITION with TensorFlow's text for a resource variable without a value.
[[nodiscard]] Status uninitialized_resource(const KernelHost& host, const Variable& variable);
// The same for an op that changes a part of the value (NOT_FOUND), and for an optimizer (INTERNAL).
[[nodiscard]] Status no_such_resource(const KernelHost& host, const Variable& variable);
[[nodiscard]] inline Status missing_variable() { return error(Code::kInternal, "Invalid variable reference."); }

// The name under which a stateful node's object is kept: its shared_name, or its own.
[[nodiscard]] std::string resource_name(const KernelSetup& s);
[[nodiscard]] std::string container_of(const KernelSetup& s);

}  // namespace tarry
