// Small graphs of the rules' test ops (docs/rules/placer.md#E.1) and a few devices, for the placer's tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "placer/core/check.hpp"
#include "placer/graph/import.hpp"
#include "placer/place/place.hpp"

namespace tarry::small_world {

inline constexpr const char* kTask = "/job:a/replica:0/task:0";

// The ops of docs/rules/placer.md#E.1 that the tests below use. `in` and `out`: f = float, r = reference to float, h =
// resource, v = variant.
struct TestOp {
  const char* name;
  const char* in;
  const char* out;
  std::vector<std::pair<const char*, int>> kernels;  // device type, priority
};

inline const std::vector<TestOp> kTestOps = {
    {"TestVariable", "", "r", {{"CPU", 0}, {"GPU", 0}}},
    {"VariableCPU", "", "r", {{"CPU", 0}}},
    {"VariableGPU", "", "r", {{"GPU", 0}}},
    {"NoKernels", "", "r", {}},
    {"TestRelu", "f", "f", {{"CPU", 0}, {"GPU", 0}}},
    {"ReluCPU", "f", "f", {{"CPU", 0}}},
    {"ReluGPU", "f", "f", {{"GPU", 0}}},
    {"TestAssign", "rf", "", {{"CPU", 0}, {"GPU", 0}}},
    {"AssignCPU", "rf", "", {{"CPU", 0}}},
    {"TestInput", "", "ff", {{"CPU", 0}}},
    {"TestCPUGPUOutput", "", "f", {{"CPU", 0}, {"GPU", 0}}},
    {"TestGPUOutput", "", "f", {{"GPU", 0}}},
    {"TestDevice", "", "ff", {{"GPU", 0}}},
    {"Handle", "", "h", {{"CPU", 0}, {"GPU", 0}}},
    {"TwoHandlesIn", "hh", "", {{"CPU", 0}, {"GPU", 0}}},
    {"DatasetSP", "", "h", {{"CPU", 2}, {"GPU", 1}}},
    {"DatasetNP", "", "h", {{"CPU", 0}, {"GPU", 0}}},
    {"IteratorRP", "h", "f", {{"CPU", 1}, {"GPU", 2}}},
    {"IteratorGPU", "h", "f", {{"GPU", 0}}},
    {"TestXlaOp", "f", "f", {{"XLA_CPU", 2}, {"CPU", 1}}},
    {"TestDeviceRef", "r", "f", {{"CPU", 0}, {"GPU", 0}}},
    {"TwoRefsIn", "rr", "", {{"CPU", 0}, {"GPU", 0}}},
    {"SourceAnywhere", "", "f", {{"CPU", 0}, {"GPU", 0}, {"T1", 0}}},
    {"Shape", "f", "f", {{"CPU", 0}, {"GPU", 0}}},
    {"AnyDatasetV2", "f", "v", {{"CPU", 0}, {"GPU", 0}}},
    {"NextDatasetV13", "v", "v", {{"CPU", 0}}},
    {"DatasetReader", "v", "f", {{"CPU", 0}}},
};

inline std::vector<ArgDef> args(std::string_view kinds, char prefix) {
  std::vector<ArgDef> out;
  for (const char kind : kinds)
    out.push_back({.name = fmt::format("{}{}", prefix, out.size()),
                   .type = kind == 'h'   ? DataType::kResource
                           : kind == 'v' ? DataType::kVariant
                                         : DataType::kFloat,
                   .is_ref = kind == 'r'});
  return out;
}

inline const OpRegistry& ops() {
  static const OpRegistry registry([] {
    std::vector<OpDef> defs;
    for (const TestOp& op : kTestOps)
      defs.push_back({.name = op.name, .inputs = args(op.in, 'i'), .outputs = args(op.out, 'o')});
    return defs;
  }());
  return registry;
}

inline const KernelRegistry& kernels() {
  static const KernelRegistry registry([] {
    std::vector<KernelDef> defs;
    for (const TestOp& op : kTestOps)
      for (const auto& [type, priority] : op.kernels)
        defs.push_back({.op = op.name, .device_type = type, .priority = priority});
    return defs;
  }());
  return registry;
}

struct N {
  std::string name, op;
  std::vector<std::string> inputs = {};
  std::string device = {};
  std::vector<std::string> loc = {};
  std::string assigned = {};
};

inline NodeSpec spec_of(const N& n) {
  NodeSpec spec{.name = n.name, .op = n.op, .device = n.device, .inputs = n.inputs};
  AttrList keys;
  for (const std::string& key : n.loc) keys.s.push_back("loc:@" + key);
  if (!n.loc.empty()) spec.attrs.set("_class", keys);
  return spec;
}

inline Graph graph_of(const std::vector<N>& nodes, const Rules& rules = rules_2_15()) {
  GraphSpec spec;
  for (const N& n : nodes) spec.nodes.push_back(spec_of(n));
  const ImportOptions options{.ops = &ops(),
                              .oldest_order = rules.oldest_order,
                              .controls_sorted = rules.controls_sorted,
                              .controls_once = rules.controls_once,
                              .colocations_known = false};
  return import_graph(spec, options).value();
}

// "CPU:0" is a device of /job:a/replica:0/task:0; anything else is a full name.
inline DeviceSet devices_of(const std::vector<std::string>& names) {
  DeviceSet set;
  for (const std::string& n : names)
    check(set.add(n.front() == '/' ? n : fmt::format("{}/device:{}", kTask, n)).ok(), "a device name");
  return set;
}

inline DeviceSet four_of_each() {
  return devices_of({"CPU:0", "CPU:1", "CPU:2", "CPU:3", "GPU:0", "GPU:1", "GPU:2", "GPU:3"});
}

struct Placed {
  Status status;
  std::map<std::string, std::string> device;  // node -> "CPU:0", or the full name outside of the task
};

struct World {
  DeviceSet devices = four_of_each();
  PlaceOptions options = {};
  Rules rules = rules_2_15();
};

inline std::string short_name(const std::string& name) {
  const std::string prefix = std::string(kTask) + "/device:";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// The options for `place`: the test ops' tables, and the nodes' assigned devices.
inline PlaceOptions options_of(const std::vector<N>& nodes, const Graph& g, const World& w) {
  PlaceOptions options = w.options;
  options.ops = &ops();
  options.kernels = &kernels();
  for (const N& n : nodes)
    if (!n.assigned.empty())
      options.assigned_names[g.find(n.name)] =
          n.assigned.front() == '/' ? n.assigned : fmt::format("{}/device:{}", kTask, n.assigned);
  return options;
}

inline Placed place_nodes(const std::vector<N>& nodes, const World& w = {}) {
  Graph g = graph_of(nodes, w.rules);
  Placed out{place(g, w.devices, w.rules, options_of(nodes, g, w)), {}};
  if (out.status.ok())
    for (const N& n : nodes) out.device[n.name] = short_name(w.devices[g.node(g.find(n.name)).assigned].name);
  return out;
}

inline World soft(DeviceSet devices = four_of_each()) {
  return {.devices = std::move(devices), .options = {.soft_placement = true}};
}
inline World hard(DeviceSet devices = four_of_each()) { return {.devices = std::move(devices)}; }

inline std::string error_of(const Placed& p) { return std::string(text_of(p.status)); }

}  // namespace tarry::small_world
