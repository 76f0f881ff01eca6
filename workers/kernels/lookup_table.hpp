// A lookup table, as the kernels of such ops share it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {

// What the node of a table says of it.
struct TableKind {
  DataType key_type, value_type;
  Shape key_shape, value_shape;  // of one key and of its value
  bool is_mutable = true;
  bool refuses_marks = false;            // two keys mark free places, and may not be used: tables with dense places
  std::string empty = {}, deleted = {};  // those keys
};

// The text of a key that is one text, else its bytes, those of texts with their lengths.
[[nodiscard]] std::string table_key(const TensorBody& keys, std::size_t i, std::size_t n = 1);

struct Table : Resource {
  Table(std::string n, TableKind k) : Resource(ResourceKind::lookup_table), name(std::move(n)), kind(std::move(k)) {}

  std::string name;  // with its container
  TableKind kind;
  bool is_ready = kind.is_mutable;           // a table of one filling has been filled
  std::map<std::string, TensorRef> values;   // by key
  bool has_unknown = false;                  // it was filled from a file whose bytes nobody knows
  std::optional<std::int64_t> unknown_size;  // entries of such a table; nullopt = not known either

  [[nodiscard]] std::size_t value_size() const { return static_cast<std::size_t>(kind.value_shape.elements()); }
  void set(const std::string& key, const TensorBody& from, std::size_t i);
  // One entry of a table that is filled once. Fails: FAILED_PRECONDITION where the key has another value.
  [[nodiscard]] Status add_once(const TensorBody& keys, const TensorBody& given, std::size_t i);
  // Fails: INVALID_ARGUMENT `Table T is not initializable`.
  [[nodiscard]] Status check_is_filled_once() const;
};

// REQUIRES: the first input is a table's.
[[nodiscard]] Table& table_of(const KernelContext& c);

}  // namespace tarry
