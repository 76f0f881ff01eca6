// Every graph of up to four nodes over a small alphabet, put to our placer and to the reference (reference.hpp).
//
// A node is a letter, at a place in the file, with inputs from nodes before it:
//   TestVariable, TestHandleVariable       a reference, a resource
//   TestAssign, TestHandleAssign           what uses them, and a value
//   TestCPUGPUOutput                       a generator
//   TestRelu, ReluGPU, TestDatasetOp       a plain op, one for GPUs only, one whose kernel for the CPU goes first
//   Shape                                  a metadata op
//   Merge with a NextIteration behind it   a cycle
// A node may carry marks: one of four requests (a GPU, another job, a GPU there, which is none, "/foo:bar", which is no
// name) or a device that it is on already, and one of two keys (the first node's, the fourth's; in a smaller graph the
// fourth is nobody). Every set of up to `marks` marks is taken, under hard and under soft placement. Three devices: a
// CPU and a GPU of one job, a CPU of another.
//
// The order of nodes in the file is part of a graph, since placers look at them in that order; so no two graphs are
// taken for one.
#pragma once

#include "properties/hunting/hunting.hpp"
#include "properties/placement/judge.hpp"

namespace tarry {

struct ExhaustiveOptions {
  int nodes = 4, marks = 2;
};

struct ExhaustiveReport {
  std::uint64_t shapes = 0;  // graphs without marks
  std::uint64_t graphs = 0, placed = 0, different = 0;
  std::string first;  // difference, for people
};

// `progress` is told the number of shapes done. A release that lacks an op (resources, in the oldest) goes without its
// letter.
[[nodiscard]] ExhaustiveReport compare_all(const PlacementWorld& world, const ExhaustiveOptions& options,
                                           const Progress& progress = {});

}  // namespace tarry
