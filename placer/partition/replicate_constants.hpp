// Small constants are copied to where they are read, so that they need not be sent (seen in 2.15.1: `c/replicate/_0`).
#pragma once

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

// Replaces each constant on a CPU that nodes of several tasks read, and that has no outgoing control edge, by one
// constant per task, on the task's CPU:0, with the control inputs of the original. Constants of more than 16 elements
// stay. New names count from 0, over constants in id order and tasks in the order of their names. REQUIRES: `g` is
// placed on `devices`.
void replicate_constants(Graph& g, const DeviceSet& devices);

}  // namespace tarry
