// Rules for the inputs that an op accepts as a scalar or as a vector. Any other input is refused with the op's own
// error text before it is read.
//
// TensorFlow's ops differ in this (measured on 2.15.1). Where TensorFlow would end the process, or read past the end of
// an empty tensor, tarry gives INVALID_ARGUMENT.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

enum class Takes {
  scalar,
  scalar_or_vector_of_one,
  one_element,    // in whatever rank
  first_element,  // of one or more, in whatever rank
  vector,
  scalar_or_vector,
};

struct InputRule {
  std::size_t input;
  const char*
      refusal;  // {} or {0} stands for the shape of the input, {1} for its rank, {2} for how many elements it has
  Takes takes = Takes::scalar;
};

[[nodiscard]] Status refused(const KernelContext& c, const InputRule& rule);
[[nodiscard]] Status check_input(const KernelContext& c, const InputRule& rule);
// Fails with the first input that is refused.
[[nodiscard]] Status check_inputs(const KernelContext& c, std::span<const InputRule> rules);

// The int32 or int64 of a scalar input. REQUIRES: the rule is for scalars. Fails when the input is refused;
// FAILED_PRECONDITION when it has no data (which in a shape function means that the shape is not known).
[[nodiscard]] StatusOr<std::int64_t> integer_in(const KernelContext& c, const InputRule& rule);
[[nodiscard]] StatusOr<std::string> text_in(const KernelContext& c, const InputRule& rule);  // the same for a string

}  // namespace tarry
