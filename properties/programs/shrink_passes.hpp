// Steps that shrink a program, and what they need to know of it. Private to the shrinker.
//
// Each calls `each` with programs that are one step smaller, until it returns true, and returns whether it did. A step
// need not keep a program's meaning, nor even that it is one: `each` asks the interpreter.
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

// Without what no fetch needs.
[[nodiscard]] Program pruned(const Program& p);

// Of each node the types that it gives, and the frames around it.
struct Facts {
  std::vector<DataTypes> types;
  std::vector<std::string> frame;  // "|outer|inner"; of an Enter the one outside, of an Exit the one inside
};
// nullopt when the program's graph cannot be imported.
[[nodiscard]] std::optional<Facts> facts_of(const Program& p);
// The frame of a node's outputs.
[[nodiscard]] std::string frame_after(const NodeSpec& n, const std::string& frame);

// A loop variable that another one of its type stands for.
[[nodiscard]] bool joined_variables(const Program& p, const Each& each);
// `if` for `while`: the body runs once or never.
[[nodiscard]] bool branches_for_loops(const Program& p, const Each& each);
// A computed number that is a constant instead.
[[nodiscard]] bool plain_constants(const Program& p, const Each& each);
// A loop's constant that comes in from outside instead, where something came in already.
[[nodiscard]] bool invariants_for_constants(const Program& p, const Each& each);

}  // namespace tarry
