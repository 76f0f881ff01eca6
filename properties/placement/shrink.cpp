#include "properties/placement/shrink.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tarry {
namespace {

using Each = std::function<bool(const PlacementCase&)>;

// Names of nodes to positions, and who reads whom.
std::map<std::string_view, std::size_t> positions(const PlacementCase& c) {
  std::map<std::string_view, std::size_t> at;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) at[c.nodes[i].spec.name] = i;
  return at;
}

// Without the marked nodes and all that read their data; control edges from them go too.
PlacementCase without(const PlacementCase& c, std::vector<char> gone) {
  const auto at = positions(c);
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < c.nodes.size(); ++i) {
      if (gone[i]) continue;
      for (const std::string& text : c.nodes[i].spec.inputs) {
        const InputName in = parse_input(text);
        if (in.slot >= 0 && gone[at.at(in.node)]) gone[i] = grows = true;
      }
    }
  }
  PlacementCase less = c;
  less.nodes.clear();
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    if (gone[i]) continue;
    CaseNode n = c.nodes[i];
    std::erase_if(n.spec.inputs, [&](const std::string& text) { return gone[at.at(parse_input(text).node)] != 0; });
    less.nodes.push_back(std::move(n));
  }
  return less;
}

bool try_without(const PlacementCase& c, const std::vector<char>& gone, const Each& each) {
  const PlacementCase less = without(c, gone);
  return !less.nodes.empty() && less.nodes.size() < c.nodes.size() && each(less);
}

// By node, the smallest position that it is connected with, by any edge or key.
std::vector<std::size_t> components(const PlacementCase& c) {
  const auto at = positions(c);
  std::vector<std::size_t> of(c.nodes.size());
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = i;
  const auto join = [&](std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax(of[a], of[b]);
    std::ranges::replace(of, std::size_t{high}, std::size_t{low});
  };
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    for (const std::string& text : c.nodes[i].spec.inputs) join(i, at.at(parse_input(text).node));
    for (const std::string_view key : loc_keys(c.nodes[i].spec))
      if (at.contains(key)) join(i, at.at(key));
  }
  return of;
}

bool fewer_components(const PlacementCase& c, const Each& each) {
  const std::vector<std::size_t> of = components(c);
  const std::set<std::size_t> all(of.begin(), of.end());
  if (all.size() < 2) return false;
  for (const std::size_t one : all) {
    std::vector<char> gone(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) gone[i] = of[i] == one;
    if (try_without(c, gone, each)) return true;
  }
  return false;
}

bool fewer_nodes(const PlacementCase& c, const Each& each) {
  for (std::size_t chunk = std::max<std::size_t>(c.nodes.size() / 2, 1);; chunk /= 2) {
    for (std::size_t first = 0; first < c.nodes.size(); first += chunk) {
      std::vector<char> gone(c.nodes.size());
      for (std::size_t i = first; i < std::min(first + chunk, gone.size()); ++i) gone[i] = 1;
      if (try_without(c, gone, each)) return true;
    }
    if (chunk == 1) return false;
  }
}

// A node that hands on its first input: its readers read that instead.
bool bypassed_nodes(const PlacementCase& c, const Each& each) {
  static constexpr std::array kPassing = {"TestRelu",      "ReluCPU",
                                          "ReluGPU",       "Identity",
                                          "TestDatasetOp", "TestXlaOp",
                                          "TestAnywhere",  "TestCpuT1",
                                          "TestGpuT2",     "TestT1Only",
                                          "TestTyped",     "TestRefToRef",
                                          "RefIdentity",   "TestHandleToHandle",
                                          "Enter",         "NextIteration",
                                          "Switch",        "TestThreeIn",
                                          "TestAdd",       "TestDeviceEnforce"};
  for (const CaseNode& n : c.nodes) {
    if (std::ranges::find(kPassing, n.spec.op) == kPassing.end()) continue;
    const std::string own = n.spec.name, source = n.spec.inputs[0];
    if (parse_input(source).node == own) continue;
    PlacementCase less = c;
    std::erase_if(less.nodes, [&](const CaseNode& m) { return m.spec.name == own; });
    for (CaseNode& m : less.nodes) {
      std::erase(m.spec.inputs, "^" + own);
      for (std::string& input : m.spec.inputs)
        if (parse_input(input).node == own) input = source;
    }
    if (each(less)) return true;
  }
  return false;
}

std::vector<std::string> producers(const NodeSpec& n) {
  std::vector<std::string> names;
  for (const std::string& text : n.inputs)
    if (const InputName in = parse_input(text); in.slot >= 0) names.emplace_back(in.node);
  return names;
}

bool is_read(const PlacementCase& c, const std::string& name) {
  return std::ranges::any_of(c.nodes,
                             [&](const CaseNode& n) { return std::ranges::count(producers(n.spec), name) > 0; });
}

void add_key(NodeSpec& n, std::string_view of) {
  const AttrList* keys = n.attrs.get<AttrList>("_class");
  AttrList more = keys == nullptr ? AttrList{} : *keys;
  more.s.push_back("loc:@" + std::string(of));
  if (of != n.name) n.attrs.set("_class", AttrValue(std::move(more)));
}

// Without node `i`, whose data nobody reads: its first producer takes over what it asked for; `tied`: and stands by its
// other producers.
PlacementCase handed_up(const PlacementCase& c, std::size_t i, bool tied) {
  std::vector<char> gone(c.nodes.size());
  gone[i] = 1;
  PlacementCase less = without(c, gone);
  const NodeSpec& n = c.nodes[i].spec;
  const std::vector<std::string> up = producers(n);
  NodeSpec& heir = std::ranges::find(less.nodes, up[0], [](const CaseNode& m) { return m.spec.name; })->spec;
  for (const std::string_view key : loc_keys(n)) add_key(heir, key);
  for (std::size_t k = 1; tied && k < up.size(); ++k) add_key(heir, up[k]);
  if (heir.device.empty()) heir.device = n.device;
  return less;
}

bool handed_up_nodes(const PlacementCase& c, const Each& each) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeSpec& n = c.nodes[i].spec;
    if (producers(n).empty() || is_read(c, n.name)) continue;
    if (each(handed_up(c, i, false)) || each(handed_up(c, i, true))) return true;
  }
  return false;
}

// One change of one node at a time: `change` says whether there was one.
bool changed_nodes(const PlacementCase& c, const Each& each, const std::function<bool(CaseNode&)>& change) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    PlacementCase less = c;
    if (change(less.nodes[i]) && each(less)) return true;
  }
  return false;
}

bool simpler_sources(const PlacementCase& c, const Each& each) {
  static const std::map<std::string_view, const char*> kSource = {
      {"TestThreeIn", "TestCPUGPUOutput"},   {"TestAdd", "TestCPUGPUOutput"},
      {"TestRelu", "TestCPUGPUOutput"},      {"ReluCPU", "TestCPUGPUOutput"},
      {"Exit", "TestCPUGPUOutput"},          {"NextIteration", "TestCPUGPUOutput"},
      {"Merge", "TestCPUGPUOutput"},         {"TestRefToRef", "TestVariable"},
      {"RefIdentity", "TestVariable"},       {"TestHandleToHandle", "TestHandleVariable"},
      {"TestDatasetOp", "TestCPUGPUOutput"}, {"TestAnywhere", "TestCPUGPUOutput"}};
  return changed_nodes(c, each, [&](CaseNode& n) {
    const auto it = kSource.find(n.spec.op);
    if (it == kSource.end()) return false;
    n.spec.op = it->second;
    n.spec.inputs.clear();
    for (const char* attr : {"T", "N"}) n.spec.attrs.erase(attr);
    return true;
  });
}

// Without one control input, or with two data inputs made the same.
bool fewer_inputs(const PlacementCase& c, const Each& each) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const std::vector<std::string>& inputs = c.nodes[i].spec.inputs;
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
      PlacementCase less = c;
      if (inputs[slot].starts_with('^'))
        less.nodes[i].spec.inputs.erase(less.nodes[i].spec.inputs.begin() + static_cast<std::ptrdiff_t>(slot));
      else if (slot > 0 && inputs[slot] != inputs[0])
        less.nodes[i].spec.inputs[slot] = inputs[0];
      else
        continue;
      if (each(less)) return true;
    }
  }
  return false;
}

bool fewer_keys(const PlacementCase& c, const Each& each) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const AttrList* list = c.nodes[i].spec.attrs.get<AttrList>("_class");
    for (std::size_t k = 0; list != nullptr && k < list->s.size(); ++k) {
      PlacementCase less = c;
      AttrList rest = *list;
      rest.s.erase(rest.s.begin() + static_cast<std::ptrdiff_t>(k));
      rest.s.empty() ? less.nodes[i].spec.attrs.erase("_class")
                     : less.nodes[i].spec.attrs.set("_class", AttrValue(std::move(rest)));
      if (each(less)) return true;
    }
  }
  return false;
}

bool fewer_requests(const PlacementCase& c, const Each& each) {
  const auto drop = [](std::string& text) { return !std::exchange(text, "").empty(); };
  return changed_nodes(c, each, [&](CaseNode& n) { return drop(n.spec.device); }) ||
         changed_nodes(c, each, [&](CaseNode& n) { return drop(n.assigned); });
}

// A request without one of its parts: "/job:a/task:0" -> "/task:0".
bool shorter_requests(const PlacementCase& c, const Each& each) {
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const std::string& request = c.nodes[i].spec.device;
    for (std::size_t from = 0; from != std::string::npos && from < request.size();) {
      const std::size_t to = request.find('/', from + 1);
      PlacementCase less = c;
      less.nodes[i].spec.device = request.substr(0, from) + (to == std::string::npos ? "" : request.substr(to));
      if (each(less)) return true;
      from = to;
    }
  }
  return false;
}

bool fewer_devices(const PlacementCase& c, const Each& each) {
  for (std::size_t d = 0; c.devices.size() > 1 && d < c.devices.size(); ++d) {
    PlacementCase less = c;
    less.devices.erase(less.devices.begin() + static_cast<std::ptrdiff_t>(d));
    if (less.default_device == c.devices[d].name) less.default_device.clear();
    if (each(less)) return true;
  }
  return false;
}

bool fewer_options(const PlacementCase& c, const Each& each) {
  const auto with = [&](auto&& change) {
    PlacementCase less = c;
    return change(less) && each(less);
  };
  if (with([](PlacementCase& l) { return std::exchange(l.soft, false); })) return true;
  if (with([](PlacementCase& l) { return !std::exchange(l.default_device, "").empty(); })) return true;
  if (with([](PlacementCase& l) { return !std::exchange(l.local_task, "").empty(); })) return true;
  if (with([](PlacementCase& l) { return std::exchange(l.kernels, nullptr) != nullptr; })) return true;
  for (std::size_t k = 0; c.kernels && k < c.kernels->size(); ++k)
    if (with([&](PlacementCase& l) {
          auto rest = std::make_shared<std::vector<KernelDef>>(*c.kernels);
          rest->erase(rest->begin() + static_cast<std::ptrdiff_t>(k));
          l.kernels = rest;
          return true;
        }))
      return true;
  return false;
}

}  // namespace

void for_each_smaller(const PlacementCase& c, const Each& each) {
  for (const auto pass : {fewer_components, fewer_nodes, bypassed_nodes, handed_up_nodes, simpler_sources,
                          fewer_options, fewer_keys, fewer_requests, fewer_inputs, fewer_devices, shorter_requests})
    if (pass(c, each)) return;
}

Shrunk shrink(PlacementCase failing, const std::function<bool(const PlacementCase&)>& fails, std::uint64_t most) {
  return shrink_greedily(std::move(failing), fails, most);
}

}  // namespace tarry
