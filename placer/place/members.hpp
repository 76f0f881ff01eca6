// Nodes that must share a device: a union-find whose sets know what was asked of them (placer.md C.0, C.3.2).
//
// A set keeps three partial device names. `assigned`: what the framework has fixed. `resource`: what was asked of nodes that make resources
// or references. `requested`: everything that was asked; always a specification of the other two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/device/device_set.hpp"
#include "placer/place/type_lists.hpp"

namespace tarry {

struct Member {
  NodeId parent;
  int rank = 0;
  // Of the whole set, at its root:
  DeviceName assigned, resource, requested;
  TypeListId types;
  int assigned_index = -1;           // number of the assigned device's name in the order of first use; printed only
  std::vector<DeviceId> candidates;  // best first; empty = not computed
};

// Why two sets cannot be one: the text of a failed merge of device names, or "" when no device type serves both.
struct Refusal {
  std::string devices;
};

class Members {
 public:
  Members(std::size_t node_slots, TypeLists& lists, bool soft);

  [[nodiscard]] NodeId root_of(NodeId n);
  [[nodiscard]] Member& set_of(NodeId n) { return items_[root_of(n)]; }

  // One set of two. Of equal ranks x's root stays root. A refusal leaves the sets apart; when it is about types, the device names are
  // merged all the same (C.3.2, the leak of Q14).
  [[nodiscard]] std::optional<Refusal> join(NodeId x, NodeId y);

  // The set of `n` is on `device` from now on. Fails (INTERNAL, D15): the set is on another one.
  [[nodiscard]] Status limit(NodeId n, const Device& device, int assigned_index);

 private:
  [[nodiscard]] Status merge_names(Member& root, const Member& child) const;

  IdVector<NodeId, Member> items_;
  TypeLists& lists_;
  bool soft_;
};

}  // namespace tarry
