// Nodes that must share a device: a union-find whose sets know what was asked of them (docs/rules/placer.md#C.0,
// #C.3.2).
//
// A set keeps three partial device names. `assigned`: what the framework has fixed. `resource`: what was asked of nodes
// that make resources or references. `requested`: everything that was asked; it is at least as specific as the other
// two. Up to 1.13 (rule separate_requests) there is `requested` only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/device/device_set.hpp"
#include "placer/place/device_requests.hpp"
#include "placer/place/type_lists.hpp"

namespace tarry {

struct Member {
  NodeId parent;
  int rank = 0;
  // Of the whole set, at its root:
  DeviceRequestId assigned = kNoDeviceRequest, resource = kNoDeviceRequest, requested = kNoDeviceRequest;
  TypeListId types;
  int assigned_index = -1;  // number of the assigned device's name in the order of first use; printed only
  const std::vector<DeviceId>* candidates = nullptr;  // best first; nullptr until somebody needs them
};

// Why two sets cannot be one: the text of a failed merge of device names, or "" when no device type serves both.
struct Refusal {
  std::string merge_error;
};

class Members {
 public:
  Members(std::size_t node_slots, TypeLists& lists, DeviceRequests& requests, const Rules& rules, bool soft);

  [[nodiscard]] NodeId root_of(NodeId n);
  [[nodiscard]] Member& set_of(NodeId n) { return items_[root_of(n)]; }

  // One set of two. Of equal ranks x's root stays root. A refusal leaves the sets apart; when it is about types, the
  // device names are merged all the same, as TensorFlow does (docs/rules/placer.md#C.3.2, docs/rules/placer.md#Q14). Up
  // to 1.13 the two are linked before anything is looked at, and stay so.
  [[nodiscard]] std::optional<Refusal> join(NodeId x, NodeId y);

  // What is known of `n` itself: of a root, its whole set.
  [[nodiscard]] const Member& member(NodeId n) const { return items_[n]; }

  // The set of `n` may use only what `other` allows; types that would leave nothing are not taken over
  // (docs/rules/placer.md#C.3.3). Fails with the error of DeviceRequests::merged.
  [[nodiscard]] Status limit(NodeId n, const Member& other);

  // The set of `n` may use devices of this type only. Gives false, and changes nothing, when there are no others, or
  // when it cannot use this type.
  bool limit_to_type(NodeId n, std::string_view type);

  // The set of `n` is on `device`, whose name is `name`, from now on. Fails (INTERNAL, docs/rules/placer.md#D15): the
  // set is on another one.
  [[nodiscard]] Status limit(NodeId n, const Device& device, DeviceRequestId name, int assigned_index);

 private:
  [[nodiscard]] Status merge_names(Member& root, const Member& child);
  [[nodiscard]] std::optional<Refusal> check_then_link(NodeId root, NodeId child);
  [[nodiscard]] std::optional<Refusal> link_then_check(NodeId root, NodeId child, NodeId x);
  void link(NodeId root, NodeId child);
  [[nodiscard]] MergeMode mode() const { return soft_ ? MergeMode::soft : MergeMode::hard; }

  IdVector<NodeId, Member> items_;
  TypeLists& lists_;
  DeviceRequests& requests_;
  const Rules& rules_;
  bool soft_;
};

}  // namespace tarry
