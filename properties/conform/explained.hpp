// Whether tarry explains every error that a real TensorFlow placer gave: told in words, with a conflict that is as
// small as it claims.
#pragma once

#include "properties/conform/placer.hpp"

namespace tarry {

// For each recorded error: our placer fails as well and says by which rule; the node that the error is about, if there
// is one, has an explanation that places it nowhere; the minimal conflict has the same error, and without any single
// thing of it that error is gone (can_be_left_out: proved by removal). Agreements count errors only. Fails: as
// conform_placer and conform_placer_vectors.
[[nodiscard]] StatusOr<Agreement> conform_explanations(const std::string& folder, const std::string& tables,
                                                       std::string_view release);
[[nodiscard]] StatusOr<Agreement> conform_vector_explanations(const std::string& folder, const std::string& tables,
                                                              std::string_view release);

// One recorded error; why it counts as not explained, or nullopt.
[[nodiscard]] std::optional<std::string> not_explained(const Json& the_case, const ReleaseTables& r);

}  // namespace tarry
