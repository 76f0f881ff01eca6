// What an op is (its arguments, attributes and traits) and which kernels serve it.
//
// The two registries that ship with tarry are those of TensorFlow 2.15.1 (1,869 ops, 15,434 kernels), recorded from the
// running program and embedded compressed. Each op and its kernels are decoded when they are first asked for.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/lazy.hpp"
#include "placer/core/status.hpp"
#include "placer/graph/attrs.hpp"

namespace tarry {

struct ArgDef {
  std::string name;
  DataType type = DataType::kInvalid;  // when the op fixes it,
  std::string type_attr;               // else the attribute that gives the type,
  std::string number_attr;             // and the attribute that says how many such arguments,
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

struct WireList;

class OpRegistry {
 public:
  explicit OpRegistry(std::vector<OpDef> ops);
  explicit OpRegistry(const WireList& list);                   // REQUIRES: its messages are OpDefs
  [[nodiscard]] const OpDef* find(std::string_view op) const;  // nullptr when unknown
  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  [[nodiscard]] std::vector<std::reference_wrapper<const OpDef>> all() const;  // sorted by name

 private:
  struct Entry {
    std::string_view name, body;  // `body`: the bytes of an op that is not decoded yet
    Lazy<OpDef> def;
  };
  [[nodiscard]] static const OpDef& def_of(const Entry& entry);

  std::shared_ptr<const std::string> bytes_;  // the entries point into it
  std::vector<Entry> ops_;                    // sorted by name
};

class KernelRegistry {
 public:
  explicit KernelRegistry(std::vector<KernelDef> kernels);
  explicit KernelRegistry(const WireList& list);  // REQUIRES: its messages are KernelDefs
  // The kernels of one op in registration order; empty when it has none.
  [[nodiscard]] std::span<const KernelDef> of(std::string_view op) const;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::vector<std::string_view> bodies;  // the bytes of kernels that are not decoded yet
    Lazy<std::vector<KernelDef>> kernels;
  };
  std::shared_ptr<const std::string> bytes_;            // names and bodies point into it
  absl::flat_hash_map<std::string_view, Entry> by_op_;  // looked up, never iterated
  std::size_t size_ = 0;
};

// The recorded registries of 2.15.1; the same object at every call.
[[nodiscard]] const OpRegistry& ops_of_tf215();
[[nodiscard]] const KernelRegistry& kernels_of_tf215();

// Puts the types of an op's arguments, on a node with these attributes, into `types`; references are reference types.
// Fails: INVALID_ARGUMENT when a type or number attribute is missing or of the wrong kind.
[[nodiscard]] Status argument_types(std::span<const ArgDef> args, const Attrs& attrs, DataTypes& types);

// The first slot and the number of slots of each argument, by name.
struct ArgRange {
  std::string_view name;
  int first = 0, count = 0;
};
[[nodiscard]] StatusOr<std::vector<ArgRange>> argument_ranges(std::span<const ArgDef> args, const Attrs& attrs);

}  // namespace tarry
