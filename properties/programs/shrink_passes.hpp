// The steps that shrink a program, and the facts that they need. Private to the shrinker.
//
// Each calls `each` with programs that are one step smaller, until it returns true, and returns whether it did. A step
// may change the program's meaning or even give an invalid program: `each` asks the interpreter.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "placer/graph/types.hpp"
#include "properties/programs/program.hpp"

namespace tarry {

using Each = std::function<bool(const Program&)>;
using Positions = std::map<std::string, std::size_t, std::less<>>;

[[nodiscard]] Positions positions(const Program& p);

// The program without the nodes that no fetch needs.
[[nodiscard]] Program pruned(const Program& p);

// For each node, the types of its outputs and the frames around it.
struct Facts {
  std::vector<DataTypes> types;
  std::vector<std::string> frame;  // "|outer|inner"; for an Enter the frame outside, for an Exit the frame inside
};
// nullopt when the program's graph cannot be imported.
[[nodiscard]] std::optional<Facts> facts_of(const Program& p);
// The frame of a node's outputs.
[[nodiscard]] std::string frame_after(const NodeSpec& n, const std::string& frame);

// Replaces a loop variable by another one of its type.
[[nodiscard]] bool joined_variables(const Program& p, const Each& each);
// Replaces a loop by a branch: the body runs once or never.
[[nodiscard]] bool branches_for_loops(const Program& p, const Each& each);
// Replaces a computed number by a constant.
[[nodiscard]] bool plain_constants(const Program& p, const Each& each);
// Replaces a constant inside a loop by a value that enters the loop from outside, where one already does.
[[nodiscard]] bool invariants_for_constants(const Program& p, const Each& each);

}  // namespace tarry
