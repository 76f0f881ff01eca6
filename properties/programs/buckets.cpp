#include <algorithm>
#include <array>

#include "properties/hunting/hunting.hpp"
#include "properties/programs/generate.hpp"

namespace tarry {
namespace {

bool has(const Program& p, std::string_view op) {
  return std::ranges::any_of(p.nodes, [&](const NodeSpec& n) { return n.op == op; });
}
const NodeSpec* find(const Program& p, std::string_view name) {
  const auto it = std::ranges::find(p.nodes, name, &NodeSpec::name);
  return it == p.nodes.end() ? nullptr : &*it;
}
bool any_input(const Program& p, auto&& holds) {
  return std::ranges::any_of(p.nodes, [&](const NodeSpec& n) {
    return std::ranges::any_of(n.inputs, [&](const std::string& i) { return holds(n, i); });
  });
}
bool is_fed_by(const Program& p, std::string_view consumer, std::string_view producer) {
  return any_input(p, [&](const NodeSpec& n, const std::string& i) {
    const NodeSpec* from = find(p, parse_input(i).node);
    return n.op == consumer && from != nullptr && from->op == producer;
  });
}
bool crosses(const Program& p, bool control) {
  return any_input(p, [&](const NodeSpec& n, const std::string& i) {
    const NodeSpec* from = find(p, parse_input(i).node);
    return i.starts_with('^') == control && from != nullptr && from->device != n.device;
  });
}

bool has_parallel(const Program& p, std::int64_t parallel) {
  return std::ranges::any_of(p.nodes, [&](const NodeSpec& n) {
    return n.op == "Enter" && *n.attrs.get<std::int64_t>("parallel_iterations") == parallel;
  });
}
bool has_constant_enter(const Program& p) {
  return std::ranges::any_of(p.nodes,
                             [](const NodeSpec& n) { return n.op == "Enter" && *n.attrs.get<bool>("is_constant"); });
}
bool is_cut_loop(const Program& p) {
  const auto device_of_loop = [&](std::string_view op) {
    std::vector<std::string> found;
    for (const NodeSpec& n : p.nodes)
      if (n.op == op) found.push_back(n.device);
    return found;
  };
  const auto merges = device_of_loop("Merge"), conditions = device_of_loop("LoopCond");
  return !conditions.empty() && std::ranges::any_of(merges, [&](const std::string& d) { return d != conditions[0]; });
}
bool two_tasks(const Program& p) {
  return std::ranges::any_of(p.devices, [](const std::string& d) { return d.find("/task:1/") != std::string::npos; });
}

constexpr std::array<Bucket<Program>, 32> kBuckets = {{
    {"up to 12 nodes", [](const Program& p) { return p.nodes.size() <= 12; }},
    {"13-50 nodes", [](const Program& p) { return p.nodes.size() > 12 && p.nodes.size() <= 50; }},
    {"51-150 nodes", [](const Program& p) { return p.nodes.size() > 50 && p.nodes.size() <= 150; }},
    {"over 150 nodes", [](const Program& p) { return p.nodes.size() > 150; }},
    {"no loop", [](const Program& p) { return !has(p, "LoopCond"); }},
    {"loop", [](const Program& p) { return has(p, "LoopCond"); }},
    {"loop in a loop",
     [](const Program& p) {
       return is_fed_by(p, "Enter", "Enter") || any_input(p, [&](const NodeSpec& n, const std::string& i) {
                const NodeSpec* from = find(p, parse_input(i).node);
                return n.op == "Enter" && from != nullptr && (from->op == "Const" || from->op == "Identity") &&
                       !from->inputs.empty();
              });
     }},
    {"loop variable that is a loop's result", [](const Program& p) { return is_fed_by(p, "NextIteration", "Exit"); }},
    {"loop in a branch", [](const Program& p) { return is_fed_by(p, "Enter", "Switch"); }},
    {"loop invariant", has_constant_enter},
    {"invariant through two loops", [](const Program& p) { return is_fed_by(p, "Enter", "Enter"); }},
    {"branch", [](const Program& p) { return has(p, "Merge") && is_fed_by(p, "Merge", "Identity"); }},
    {"branch in a loop",
     [](const Program& p) { return is_fed_by(p, "Switch", "Enter") || is_fed_by(p, "NextIteration", "Merge"); }},
    {"branch in a branch", [](const Program& p) { return is_fed_by(p, "Switch", "Switch"); }},
    {"one parallel iteration", [](const Program& p) { return has_parallel(p, 1); }},
    {"two parallel iterations", [](const Program& p) { return has_parallel(p, 2); }},
    {"32 parallel iterations", [](const Program& p) { return has_parallel(p, 32); }},
    {"loop with a second condition", [](const Program& p) { return has(p, "LogicalAnd"); }},
    {"small tensor", [](const Program& p) { return has(p, "Sum"); }},
    {"TensorArray", [](const Program& p) { return has(p, "TensorArrayV3"); }},
    {"TensorArray written in a loop",
     [](const Program& p) { return is_fed_by(p, "NextIteration", "TensorArrayWriteV3"); }},
    {"resource variable", [](const Program& p) { return has(p, "VarHandleOp"); }},
    {"reference variable", [](const Program& p) { return has(p, "VariableV2"); }},
    {"variable in a loop",
     [](const Program& p) {
       return any_input(p, [&](const NodeSpec& n, const std::string& i) {
         const NodeSpec* from = find(p, parse_input(i).node);
         return n.op.find("VariableOp") != std::string::npos && from != nullptr && from->op == "Enter";
       });
     }},
    {"queue", [](const Program& p) { return has(p, "FIFOQueueV2"); }},
    {"assertion", [](const Program& p) { return has(p, "Assert"); }},
    {"two devices or more", [](const Program& p) { return p.devices.size() > 1; }},
    {"two tasks", two_tasks},
    {"data edge between devices", [](const Program& p) { return crosses(p, false); }},
    {"control edge between devices", [](const Program& p) { return crosses(p, true); }},
    {"loop cut by devices", is_cut_loop},
    {"several steps", [](const Program& p) { return p.steps > 1; }},
}};

}  // namespace

const std::vector<std::string>& program_buckets() {
  static const std::vector<std::string> names = bucket_names(kBuckets);
  return names;
}

std::vector<std::string> buckets_of(const Program& p) { return buckets_that_hold(kBuckets, p); }

}  // namespace tarry
