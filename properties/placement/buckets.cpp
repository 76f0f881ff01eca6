#include <algorithm>
#include <array>
#include <set>

#include "properties/hunting/hunting.hpp"
#include "properties/placement/generate.hpp"

namespace tarry {
namespace {

bool any_node(const PlacementCase& c, auto&& holds) { return std::ranges::any_of(c.nodes, holds); }
bool has_op(const PlacementCase& c, std::string_view op) {
  return any_node(c, [&](const CaseNode& n) { return n.spec.op == op; });
}

std::size_t loops(const PlacementCase& c) {
  return static_cast<std::size_t>(
      std::ranges::count(c.nodes, "Exit", [](const CaseNode& n) -> std::string_view { return n.spec.op; }));
}
std::size_t back_edges(const PlacementCase& c) {
  return static_cast<std::size_t>(
      std::ranges::count(c.nodes, "NextIteration", [](const CaseNode& n) -> std::string_view { return n.spec.op; }));
}

std::set<std::string> tasks(const PlacementCase& c) {
  std::set<std::string> found;
  for (const CaseDevice& d : c.devices) found.insert(d.name.substr(0, d.name.find("/device:")));
  return found;
}
bool has_type(const PlacementCase& c, std::string_view type) {
  return std::ranges::any_of(c.devices, [&](const CaseDevice& d) {
    return d.name.find(fmt::format("/device:{}:", type)) != std::string::npos;
  });
}

bool is_node(const PlacementCase& c, std::string_view name) {
  return any_node(c, [&](const CaseNode& n) { return n.spec.name == name; });
}
// Somebody names a key of a node that names a key itself.
bool has_chain(const PlacementCase& c) {
  return any_node(c, [&](const CaseNode& n) {
    return std::ranges::any_of(loc_keys(n.spec), [&](std::string_view key) {
      return any_node(c, [&](const CaseNode& m) {
        return m.spec.name == key && m.spec.name != n.spec.name && !loc_keys(m.spec).empty();
      });
    });
  });
}
bool has_ghost(const PlacementCase& c) {
  return any_node(c, [&](const CaseNode& n) {
    return std::ranges::any_of(loc_keys(n.spec), [&](std::string_view key) { return !is_node(c, key); });
  });
}

bool has_handles(const PlacementCase& c, std::string_view part) {
  return any_node(
      c, [&](const CaseNode& n) { return n.spec.op.find(part) != std::string::npos && !n.spec.inputs.empty(); });
}
bool is_partial(const std::string& request) {
  return !request.empty() &&
         (request.find("/job:") == std::string::npos || request.find("/device:") == std::string::npos);
}
bool is_shuffled(const PlacementCase& c) {
  std::set<std::string_view> seen;
  return any_node(c, [&](const CaseNode& n) {
    seen.insert(n.spec.name);
    return n.spec.op != "Merge" && std::ranges::any_of(n.spec.inputs, [&](const std::string& i) {
             return !seen.contains(parse_input(i).node);
           });
  });
}

constexpr std::array<Bucket<PlacementCase>, 34> kBuckets = {{
    {"one node", [](const PlacementCase& c) { return c.nodes.size() == 1; }},
    {"2-4 nodes", [](const PlacementCase& c) { return c.nodes.size() >= 2 && c.nodes.size() <= 4; }},
    {"5-8 nodes", [](const PlacementCase& c) { return c.nodes.size() >= 5 && c.nodes.size() <= 8; }},
    {"over 8 nodes", [](const PlacementCase& c) { return c.nodes.size() > 8; }},
    {"one device", [](const PlacementCase& c) { return c.devices.size() == 1; }},
    {"over 8 devices", [](const PlacementCase& c) { return c.devices.size() > 8; }},
    {"several tasks", [](const PlacementCase& c) { return tasks(c).size() > 1; }},
    {"over 4 tasks", [](const PlacementCase& c) { return tasks(c).size() > 4; }},
    {"custom device type", [](const PlacementCase& c) { return has_type(c, "T1") || has_type(c, "T2"); }},
    {"XLA device", [](const PlacementCase& c) { return has_type(c, "XLA_CPU"); }},
    {"type attribute differs from name",
     [](const PlacementCase& c) {
       return std::ranges::any_of(c.devices, [](const CaseDevice& d) { return !d.type.empty(); });
     }},
    {"device id 10",
     [](const PlacementCase& c) {
       return std::ranges::any_of(c.devices, [](const CaseDevice& d) { return d.name.ends_with(":10"); });
     }},
    {"soft", [](const PlacementCase& c) { return c.soft; }},
    {"hard", [](const PlacementCase& c) { return !c.soft; }},
    {"loop with a frame", [](const PlacementCase& c) { return loops(c) > 0; }},
    {"two loops or more", [](const PlacementCase& c) { return loops(c) > 1; }},
    {"cycle without a frame", [](const PlacementCase& c) { return back_edges(c) > loops(c); }},
    {"reference edge",
     [](const PlacementCase& c) {
       return has_handles(c, "Assign") || has_op(c, "TestDeviceEnforce") || has_op(c, "TestTwoRefsIn");
     }},
    {"resource edge", [](const PlacementCase& c) { return has_handles(c, "Handle") || has_handles(c, "Iterator"); }},
    {"reference to reference",
     [](const PlacementCase& c) { return has_op(c, "TestRefToRef") || has_op(c, "RefIdentity"); }},
    {"generator",
     [](const PlacementCase& c) {
       return any_node(c, [](const CaseNode& n) { return n.spec.inputs.empty() && n.spec.op.ends_with("Output"); });
     }},
    {"metadata op",
     [](const PlacementCase& c) { return has_op(c, "Shape") || has_op(c, "Size") || has_op(c, "Rank"); }},
    {"kernel priorities",
     [](const PlacementCase& c) {
       return has_op(c, "TestDatasetOp") || has_op(c, "CreateDatasetSP") || has_op(c, "CreateDatasetRP");
     }},
    {"colocation key",
     [](const PlacementCase& c) { return any_node(c, [](const CaseNode& n) { return !loc_keys(n.spec).empty(); }); }},
    {"several keys",
     [](const PlacementCase& c) { return any_node(c, [](const CaseNode& n) { return loc_keys(n.spec).size() > 1; }); }},
    {"chain of keys", has_chain},
    {"ghost key", has_ghost},
    {"control edge",
     [](const PlacementCase& c) {
       return any_node(
           c, [](const CaseNode& n) { return !n.spec.inputs.empty() && n.spec.inputs.back().starts_with("^"); });
     }},
    {"partial request",
     [](const PlacementCase& c) { return any_node(c, [](const CaseNode& n) { return is_partial(n.spec.device); }); }},
    {"nobody asks",
     [](const PlacementCase& c) { return !any_node(c, [](const CaseNode& n) { return !n.spec.device.empty(); }); }},
    {"malformed request",
     [](const PlacementCase& c) { return any_node(c, [](const CaseNode& n) { return n.spec.device == "/foo:bar"; }); }},
    {"pre-assigned",
     [](const PlacementCase& c) { return any_node(c, [](const CaseNode& n) { return !n.assigned.empty(); }); }},
    {"kernels of its own", [](const PlacementCase& c) { return c.kernels != nullptr; }},
    {"file order not importer order", is_shuffled},
}};

}  // namespace

const std::vector<std::string>& buckets() {
  static const std::vector<std::string> names = bucket_names(kBuckets);
  return names;
}

std::vector<std::string> buckets_of(const PlacementCase& c) { return buckets_that_hold(kBuckets, c); }

}  // namespace tarry
