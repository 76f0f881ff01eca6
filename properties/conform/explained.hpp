// Checks that tarry explains every error of a real TensorFlow placer: in words, and with a minimal conflict that is
// minimal indeed.
#pragma once

#include "properties/conform/placer.hpp"

namespace tarry {

// For each recorded error: our placer fails as well and gives the rule; the node that the error is about, if there is
// one, has an explanation without a device; the minimal conflict has the same error, which is gone without any single
// part of the conflict (checked by can_be_left_out). Agreements count errors only. Fails: with the errors of
// conform_placer and conform_placer_vectors.
[[nodiscard]] StatusOr<Agreement> conform_explanations(const std::string& folder, const std::string& tables,
                                                       std::string_view release);
[[nodiscard]] StatusOr<Agreement> conform_vector_explanations(const std::string& folder, const std::string& tables,
                                                              std::string_view release);

// Why a recorded error counts as not explained; nullopt = it is explained.
[[nodiscard]] std::optional<std::string> not_explained(const Json& the_case, const ReleaseTables& r);

}  // namespace tarry
