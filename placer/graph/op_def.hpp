// What an op is (its arguments, attributes and traits) and which kernels serve it.
//
// The two registries that ship with tarry are those of TensorFlow 2.15.1 (1,869 ops, 15,434 kernels), recorded from the
// running program and embedded compressed. They are decoded on first use.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "placer/graph/attrs.hpp"

namespace tarry {

struct ArgDef {
  std::string name;
  DataType type = DataType::kInvalid;  // when fixed
  std::string type_attr;               // else the attribute that names the type,
  std::string number_attr;             // with how many of it,
  std::string type_list_attr;          // or the attribute that lists the types
  bool is_ref = false;
};

struct AttrDef {
  std::string name;
  std::string type;  // "int", "type", "list(type)", ...
  std::optional<AttrValue> default_value;
  bool has_minimum = false;
  std::int64_t minimum = 0;
  std::optional<AttrValue> allowed_values;  // an AttrList
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs, outputs;
  std::vector<std::string> control_outputs;
  std::vector<AttrDef> attrs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  std::int32_t deprecated_since = 0;  // GraphDef version; 0 = not deprecated
  std::string deprecation_explanation;

  [[nodiscard]] const AttrDef* find_attr(std::string_view attr) const;
};

struct KernelConstraint {
  std::string attr;
  AttrList allowed;
};

struct KernelDef {
  std::string op;
  std::string device_type;  // "CPU", "GPU", "DEFAULT", ...
  std::string label;
  std::int32_t priority = 0;
  std::vector<KernelConstraint> constraints;
  std::vector<std::string> host_memory_args;  // arguments kept in host memory on an accelerator
};

class OpRegistry {
 public:
  explicit OpRegistry(std::vector<OpDef> ops);
  [[nodiscard]] const OpDef* find(std::string_view op) const;        // nullptr when unknown
  [[nodiscard]] std::span<const OpDef> all() const { return ops_; }  // sorted by name

 private:
  std::vector<OpDef> ops_;
};

class KernelRegistry {
 public:
  explicit KernelRegistry(std::vector<KernelDef> kernels);
  KernelRegistry(KernelRegistry&&) = default;  // no copies
  KernelRegistry& operator=(KernelRegistry&&) = default;
  // The kernels of one op in registration order; empty when it has none.
  [[nodiscard]] std::span<const KernelDef> of(std::string_view op) const;
  [[nodiscard]] std::size_t size() const { return kernels_.size(); }

 private:
  struct Range {
    std::size_t first = 0, count = 0;
  };
  std::vector<KernelDef> kernels_;
  absl::flat_hash_map<std::string_view, Range> by_op_;  // by the kernels' own names; looked up, never iterated
};

// The recorded registries of 2.15.1; the same object at every call.
[[nodiscard]] const OpRegistry& ops_of_tf215();
[[nodiscard]] const KernelRegistry& kernels_of_tf215();

// The types of an op's arguments on a node with these attributes, references as reference types.
// Fails: INVALID_ARGUMENT when a type or number attribute is missing or of the wrong kind.
[[nodiscard]] Status argument_types(std::span<const ArgDef> args, const Attrs& attrs, DataTypes& types);

// The first slot and the number of slots of each argument, by name.
struct ArgRange {
  std::string_view name;
  int first = 0, count = 0;
};
[[nodiscard]] StatusOr<std::vector<ArgRange>> argument_ranges(std::span<const ArgDef> args, const Attrs& attrs);

}  // namespace tarry
