// The device types that can run each node, among those of a device set.
//
// Nodes of one op that have the same values of the attributes which its kernels constrain share one look-up (a training
// graph has thousands of nodes and a few hundred such kinds).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/place/place.hpp"
#include "placer/place/type_lists.hpp"

namespace tarry {

class Supported {
 public:
  // REQUIRES: all arguments outlive the object.
  Supported(const DeviceSet& devices, const Rules& rules, const PlaceOptions& options);

  // The types are best first; the list may be empty. An op that is not registered (a call of a library function) runs
  // anywhere.
  // Fails with the errors of find_kernel.
  [[nodiscard]] StatusOr<TypeListId> of(const Graph& g, NodeId n);

  [[nodiscard]] std::span<const KernelDef> kernels_of(std::string_view op) const { return kernels_->of(op); }
  [[nodiscard]] const std::vector<std::string>& device_types() const { return types_; }  // the set's, best first
  [[nodiscard]] TypeLists& lists() { return lists_; }
  [[nodiscard]] const TypeLists& lists() const { return lists_; }

 private:
  struct Answer {
    TypeListId types;
    bool attrs_differ = false;
  };
  using Values = std::vector<const AttrValue*>;  // nullptr = the node has none
  struct Kind {
    Attrs attrs;  // of a node of the kind; they hold `values`
    Values values;
    Answer answer;
  };
  struct Typed {  // nodes that share their lists of argument types
    const DataTypes *inputs, *outputs;
    Answer answer;
  };
  struct Op {
    bool is_registered = false;
    std::vector<std::string_view> looked_at;  // attributes that its kernels constrain
    bool types_tell = false;  // `looked_at` are only argument types, so nodes that share those lists agree
    std::vector<Typed> typed;
    std::vector<Kind> kinds;
  };
  [[nodiscard]] Op& op_of(const Graph& g, NodeId n);
  [[nodiscard]] StatusOr<Answer> answer_for(const Graph& g, NodeId n, Op& op);
  [[nodiscard]] StatusOr<Answer> answer_by_types(const Graph& g, NodeId n, Op& op);
  [[nodiscard]] StatusOr<Answer> answer_by_attrs(const Graph& g, NodeId n, Op& op);
  [[nodiscard]] StatusOr<Answer> look_up(const Graph& g, NodeId n);
  [[nodiscard]] bool has_composite() const;
  [[nodiscard]] TypeListId all_types();
  [[nodiscard]] TypeListId on_another_task(const DeviceName& requested);

  const Rules& rules_;
  const KernelRegistry* kernels_;
  const OpRegistry* ops_;
  const PlaceOptions& options_;
  TypeLists lists_;
  std::vector<std::string> types_;
  std::optional<DeviceName> local_;              // the address space that the program runs in, if known
  absl::flat_hash_map<const OpDef*, Op> known_;  // looked up, never iterated
  TypeListId all_types_;                         // `none` until it is first needed
  Values values_;                                // of the node that is being looked at
};

}  // namespace tarry
