// Recorded tensors: conversion from and to JSON, and comparison.
//
// `{dtype, shape, value}`; values are nested lists, non-finite floats are strings, strings are Latin-1 (graphs' README,
// "values").
#pragma once

#include <string>

#include "properties/conform/recorded.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

// Fails: INVALID_ARGUMENT for what is no tensor, for a type without values, or a value that does not fill its shape.
[[nodiscard]] StatusOr<TensorRef> tensor_from(const Json& recorded);
[[nodiscard]] Json json_of(const TensorBody& t);

// Strings of recordings: a code point is a byte.
[[nodiscard]] std::string recorded_text(const std::string& bytes);
[[nodiscard]] std::string bytes_of_recorded(const std::string& text);

// "" when equal: floats to a few units in the last place, and to the rounding error of sums whose terms cancel. Doubles
// that TensorFlow computes by way of floats, by functions of the C library that differ in their last digit from release
// to release of it, agree where they do as floats.
[[nodiscard]] std::string difference(const TensorBody& ours, const Json& theirs, bool by_way_of_floats = false);

}  // namespace tarry
