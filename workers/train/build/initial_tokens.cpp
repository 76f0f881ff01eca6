#include "workers/train/build/initial_tokens.hpp"

#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

constexpr std::size_t kTokens = 1, kDims = 0;  // which input of the enqueue op, and of Fill

// The Fill whose elements the op puts into its queue; "" when there is none.
std::string find_fill(const GraphEditor& g, const std::string& op) {
  if (!g.has(op) || !g.at(op).op.starts_with("QueueEnqueueMany")) return "";
  const auto inputs = data_inputs(g.at(op));
  const std::string fill = kTokens < inputs.size() ? maker_of(g, inputs[kTokens]) : "";
  return !fill.empty() && g.at(fill).op == "Fill" ? fill : "";
}

// The recorded shape says the old number.
void set_size(GraphEditor& g, const std::string& fill, int tokens) {
  const std::string device = g.at(fill).device;
  const std::string dims =
      g.add(constant(fill + "/dims", device, DataType::kInt32, int_tensor(DataType::kInt32, {tokens})));
  g.at(fill).inputs[kDims] = dims;
  g.at(fill).attrs.erase("_output_shapes");
}

}  // namespace

Status set_initial_tokens(ClientProgram& program, int tokens) {
  if (!program.sync || !program.is_chief || program.sync->init_tokens_op.empty()) return {};
  GraphEditor g(*program.graph);
  const std::string fill = find_fill(g, program.sync->init_tokens_op);
  if (fill.empty())
    return invalid(
        "num_tokens: {}: '{}' of the graph {} does not put a number of equal tokens; expected a graph that "
        "was built with initial tokens",
        tokens, program.sync->init_tokens_op, program.name);
  set_size(g, fill, tokens);
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
