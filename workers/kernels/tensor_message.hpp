// Serialized protocol messages, as the ops that make summaries and serialize tensors write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

// Each appends a field to `to`. What is empty or zero is left out, as the language's version 3 says; the first two
// write it where `always` is set.
void put_text(std::string& to, std::uint64_t number, std::string_view text, bool always = false);
void put_float(std::string& to, std::uint64_t number, float value, bool always = false);
void put_double(std::string& to, std::uint64_t number, double value);
void put_number(std::string& to, std::uint64_t number, std::uint64_t value);
// Appends an element of a packed list.
void append_double(std::string& to, double value);

// A TensorProto: type, shape, and the elements as bytes. Strings are a list or, if `as_content`, all lengths and then
// all bytes. REQUIRES: the tensor has data.
[[nodiscard]] std::string tensor_message(const TensorBody& t, bool as_content = false);

// The same read back. Fails: UNKNOWN for bytes that are no such message; INVALID_ARGUMENT, with the message as a text,
// for one that says no tensor.
[[nodiscard]] StatusOr<TensorRef> tensor_of_message(std::string_view bytes);

}  // namespace tarry
