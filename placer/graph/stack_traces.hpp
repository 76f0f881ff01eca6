// Where the user's program made each node: the content of GraphDef.debug_info (from 2.15 on), by the node's name.
//
// A trace travels with its node: from the client's graph into the partition that the node falls into, and into the file
// that is written. Nodes that TensorFlow adds (sends, receives, control loops) have none. Nodes of functions (keys
// `node@function`) are not followed.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tarry {

struct StackFrame {
  std::string file, function, code;
  int line = 0, column = 0;
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

using StackTrace = std::vector<StackFrame>;  // in the file's order
// The attribute of a node that came into the graph with a function: its origin as error texts name it,
// "{{function_node f}}{{node add}}" (placer/lower/lower.hpp).
inline constexpr const char* kInlinedFrom = "_inlined_from";
// The attribute of a node that came with calls which run apart from the graph: a list of the function's name ("" of
// conditionals and loops) and the caller's name for each, the outermost first.
inline constexpr const char* kCallers = "_callers";

using StackTraces = std::map<std::string, StackTrace, std::less<>>;

}  // namespace tarry
