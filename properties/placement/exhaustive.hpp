// Compares our placer with the reference (reference.hpp) on every graph of up to four nodes over a small alphabet.
//
// A node is a letter, at a position in the file, with inputs from nodes before it:
//   TestVariable, TestHandleVariable       a reference, a resource
//   TestAssign, TestHandleAssign           what uses them, and a value
//   TestCPUGPUOutput                       a generator
//   TestRelu, ReluGPU, TestDatasetOp       a plain op, one for GPUs only, one whose kernel for the CPU goes first
//   Shape                                  a metadata op
//   Merge with a NextIteration behind it   a cycle
// A node may carry marks: one of four requests (a GPU; another job; a GPU of that job, which does not exist;
// "/foo:bar", which is not a device name) or an assigned device, and one of two keys (the first node's, or the
// fourth's, which in a smaller graph does not exist). Every set of up to `marks` marks is tried, under hard and under
// soft placement. There are three devices: a CPU and a GPU of one job, a CPU of another.
//
// The order of nodes in the file is part of a graph, since placers go through them in that order; isomorphic graphs
// with different orders are different graphs.
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
  std::string first;  // the first difference, for people
};

// `progress` gets the number of shapes done. If the release lacks an op (resources in the oldest one), its letter is
// left out.
[[nodiscard]] ExhaustiveReport compare_all(const PlacementWorld& world, const ExhaustiveOptions& options,
                                           const Progress& progress = {});

}  // namespace tarry
