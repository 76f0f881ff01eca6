// Small constants are copied to where they are read, so that they need not be sent (seen in 2.15.1: `c/replicate/_0`).
#pragma once

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

// Each constant on a CPU that nodes of several tasks read, and that nothing waits for by a control edge, becomes one
// constant per task, on its CPU:0, with the control inputs of the first. None of more than 16 elements. New names count
// from 0, over constants in id order and tasks in the order of their names. REQUIRES: `g` is placed on `devices`.
void replicate_constants(Graph& g, const DeviceSet& devices);

}  // namespace tarry
