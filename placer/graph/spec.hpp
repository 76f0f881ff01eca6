// A graph as it is written down: what a GraphDef says, as plain values.
//
// This is the form that travels (client to master, master to worker, to a file). Inputs are names ("a", "a:1", "^a").
// Nothing here is validated: `import_graph` (import.hpp) does that and builds the indexed Graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/graph/attrs.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/graph/stack_traces.hpp"

namespace tarry {

struct NodeSpec {
  std::string name;
  std::string op;
  std::string device;               // requested, or assigned in a partition; "" = no request
  std::vector<std::string> inputs;  // data inputs in slot order, then control inputs
  Attrs attrs;
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct Versions {
  std::int32_t producer = 0;
  std::int32_t min_consumer = 0;
  std::vector<std::int32_t> bad_consumers;
  friend bool operator==(const Versions&, const Versions&) = default;
};

struct FunctionSpec {
  OpDef signature;
  std::vector<NodeSpec> nodes;
  std::vector<std::pair<std::string, std::string>> returns;          // output argument -> tensor in the body
  std::vector<std::pair<std::string, std::string>> control_returns;  // control output -> node in the body
  Attrs attrs;
};

struct GraphSpec {
  std::vector<NodeSpec> nodes;
  Versions versions;
  std::vector<FunctionSpec> functions;
  StackTraces stack_traces = {};
};

}  // namespace tarry
