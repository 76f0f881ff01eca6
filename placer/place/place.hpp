// Which device each node of a graph runs on, decided as TensorFlow's placer decides it (placer.md A-D).
//
// REQUIRES: `g` imported; nodes with `assigned` set are pre-assigned and never move. PROMISES: on success every op node has an assigned
// device of `devices`; on failure the assignments are unspecified. The same input gives the same answer; the order of the device list does not
// matter. Errors carry TensorFlow's codes and texts (placer.md D).
#pragma once

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

struct PlaceOptions {
  bool soft_placement = false;
  DeviceId default_local_device;  // none = no default (sessions have none)
  const KernelRegistry* kernels = nullptr;  // nullptr = kernels_of_tf215()
  const OpRegistry* ops = nullptr;          // nullptr = ops_of_tf215(); a function call's op is not in it
};

[[nodiscard]] Status place(Graph& g, const DeviceSet& devices, const Rules& rules, const PlaceOptions& options);

}  // namespace tarry
