#include "workers/train/program.hpp"

#include <algorithm>

namespace tarry {

std::string global_step_tensor(const ClientProgram& program) {
  const std::string& name = program.global_step;
  if (name.empty()) return "";
  const auto node = std::ranges::find(program.graph->nodes, name, &NodeSpec::name);
  const bool is_resource = node != program.graph->nodes.end() && node->op == "VarHandleOp";
  return name + (is_resource ? "/Read/ReadVariableOp:0" : ":0");
}

}  // namespace tarry
