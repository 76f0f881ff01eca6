#include "properties/programs/interpret.hpp"

#include "placer/graph/import.hpp"
#include "properties/programs/interpreter.hpp"

namespace tarry {
namespace oracle {

constexpr const char* kDevice = "/job:worker/replica:0/task:0/device:CPU:0";

Machine::Machine(const Program& p, Graph graph, std::uint64_t seed) : program(p), g(std::move(graph)), random(seed) {
  host = {&env,
          TaskId{0u},
          kDevice,
          env.name(kDevice),
          &resources,
          [](std::string_view) { return TaskId{0u}; },
          std::int64_t{1} << 40};
}

Status Machine::prepare() {
  for (std::uint32_t i = 0; i < program.nodes.size(); ++i) positions[g.find(program.nodes[i].name)] = i;
  for (const std::string& f : program.fetches) {
    const InputName fetch = parse_input(f);
    const NodeId n = g.find(std::string(fetch.node));
    if (!n.valid() || fetch.slot < 0 || fetch.slot >= g.output_count(n))
      return error(Code::kNotFound, "the program fetches {}, which its graph does not have", f);
    TARRY_RETURN_IF_ERROR(need(n));
  }
  for (const auto& [n, kernel] : kernels)
    if (g.op_name(n) == "Enter") ++enters[*g.node(n).attrs.get<std::string>("frame_name")];
  return {};
}

// What a fetch needs, and only that, runs.
Status Machine::need(NodeId n) {
  if (kernels.contains(n)) return {};
  const Node& node = g.node(n);
  TARRY_ASSIGN(kernels[n],
               make_kernel({g.name(n), g.op_name(n), node.attrs, *node.input_types, *node.output_types, host}));
  for (const EdgeId e : g.in_edges(n))
    if (g.is_op(g.edge(e).src)) TARRY_RETURN_IF_ERROR(need(g.edge(e).src));
  return {};
}

}  // namespace oracle

OracleAnswer interpret(const Program& p, std::uint64_t seed, std::uint64_t most) {
  OracleAnswer answer;
  const auto refuse = [&](const Status& s) {
    answer.not_a_program = std::string(text_of(s));
    return answer;
  };
  auto g = import_graph(spec_on_one_device(p));
  if (!g.ok()) return refuse(g.status());
  oracle::Machine machine(p, *std::move(g), seed);
  if (const Status s = machine.prepare(); !s.ok()) return refuse(s);
  for (int i = 0; i < p.steps; ++i) {
    StatusOr<OracleStep> step = oracle::Step(machine, most).run();
    if (!step.ok()) return refuse(step.status());
    answer.steps.push_back(*std::move(step));
    if (!answer.steps.back().errors.empty()) break;
  }
  return answer;
}

}  // namespace tarry
