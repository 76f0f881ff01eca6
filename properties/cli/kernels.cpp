// `tarry kernels`: what tarry can compute of each op.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "placer/graph/op_def.hpp"
#include "scenarios/cli/commands.hpp"
#include "workers/direct/local_env.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {
namespace {

constexpr const char* kNone = "none";

// "value and shape", "value", "shape", or, of an op that is not in the table, none: then only a recorded full shape
// helps.
std::string coverage(const OpDef& op) {
  const KernelRow* row = kernel_table().find(op.name);
  if (row == nullptr) return op.outputs.empty() ? kNone : "recorded shape only";
  if (row->kernel != nullptr) return "value";
  const Attrs attrs;
  const DataTypes types(op.inputs.size() + op.outputs.size() + 1, DataType::kFloat);
  LocalEnv env;
  KernelHost host{.env = &env};
  const Behaviour b = row->behaviour({op.name, op.name, attrs, types, types, host});
  if (!b.value) return "shape";
  return b.shape ? "value and shape" : "value";
}

int list_kernels(bool json, bool all) {
  std::map<std::string, std::string> rows;
  std::map<std::string, int> counts;
  for (const OpDef& op : ops_of_tf215().all()) {
    const std::string c = coverage(op);
    ++counts[c];
    if (all || kernel_table().find(op.name) != nullptr) rows[op.name] = c;
  }
  if (json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"ops", rows}, {"counts", counts}}.dump(1));
    return kOk;
  }
  for (const auto& [op, c] : rows) fmt::print("{:<40} {}\n", op, c);
  for (const auto& [c, n] : counts) fmt::print("{:>6} ops: {}\n", n, c);
  return kOk;
}

}  // namespace

void add_kernels(CommandLine& line) {
  CLI::App* c = &line.command;
  auto json = std::make_shared<bool>(false), all = std::make_shared<bool>(false);
  c->add_flag("--json", *json, "Print JSON");
  c->add_flag("--all", *all, "List the ops without a kernel, too");
  c->callback([json, all, &line] { line.exit_code = list_kernels(*json, *all); });
}

}  // namespace tarry
