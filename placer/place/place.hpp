// Which device each node of a graph runs on, decided as TensorFlow's placer decides it (docs/rules/placer.md#A to #D).
//
// REQUIRES: `g` imported; nodes with `assigned` set are pre-assigned and never move. PROMISES: on success every op node
// has an assigned device of `devices`; on failure the assignments are unspecified. The same input gives the same
// answer; the order of the device list does not matter (it shows in error texts only). Errors carry TensorFlow's codes
// and texts (docs/rules/placer.md#D).
//
// Fails with UNIMPLEMENTED for a recursive function that returns a resource, as TensorFlow does
// (docs/rules/placer.md#D14). Not done: the rule of 2.3 and later that keeps lists of host-only tensors on the CPU.
#pragma once

#include <map>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

struct Journal;  // journal.hpp

struct PlaceOptions {
  bool soft_placement = false;
  DeviceId default_local_device;  // `none` = no default (sessions have none); otherwise it is tried first wherever it
                                  // is a candidate
  DeviceId client_device;         // `none` = no client; for a master's session, the first device of its own task
  // The task whose devices count as local, "/job:worker/replica:0/task:0"; "" = all devices are local.
  std::string local_task;
  // Pre-assigned devices that `devices` may not have (a session remembers names): malformed and unknown names fail with
  // docs/rules/placer.md#D2 and #D3.
  std::map<NodeId, std::string> assigned_names;
  std::vector<NodeId> assigned_order;  // pre-assigned nodes in the order in which they got their devices: error texts
                                       // number the names in that order; the other nodes follow by id
  const KernelRegistry* kernels = nullptr;  // nullptr = kernels_of_tf215()
  const OpRegistry* ops = nullptr;          // nullptr = ops_of_tf215(); a function call's op is not in it
  std::map<NodeId, NodeId> added_for;       // the result of isolate_calls; error texts of 1.15 name these calls
  const GraphSpec* written = nullptr;       // the graph as it was written; error texts up to 1.12 quote it
  Journal* journal = nullptr;               // filled when given
  // Filled when given: the nodes that got their device while devices of several tasks were candidates.
  std::vector<NodeId>* free_choices = nullptr;
};

[[nodiscard]] Status place(Graph& g, const DeviceSet& devices, const Rules& rules, const PlaceOptions& options);

}  // namespace tarry
