#include "cases.h"

#include <map>
#include <unordered_map>

#include "devices.h"
#include "memory.h"
#include "split.h"

namespace {

std::map<std::string, tf::Node*> by_name(tf::Graph* g) {
  std::map<std::string, tf::Node*> m;
  for (tf::Node* n : g->nodes())
    if (n->IsOp()) m[n->name()] = n;
  return m;
}

std::string place_text(const Value& nodes, tf::Graph* g, const Devices& d) {
  auto names = by_name(g);
  std::string out = ",\"place\":[";
  for (size_t i = 0; i < nodes.a.size(); ++i) {
    tf::Node* n = names.at(nodes.a[i].at(0).s);
    auto it = d.index.find(n->assigned_device_name());
    out += (i ? "," : "");
    out += it == d.index.end() ? json::quote(n->assigned_device_name()) : std::to_string(it->second);
    names.erase(n->name());
  }
  out += "]";
  if (names.empty()) return out;
  std::string more;
  for (const auto& kv : names)
    more += (more.empty() ? "" : ",") + json::quote(kv.first) + ":" + json::quote(kv.second->assigned_device_name());
  return out + ",\"added\":{" + more + "}";
}

// The import order, when it differs from the file order: file positions in node-id order.
std::string order_text(const Value& nodes, tf::Graph* g) {
  std::unordered_map<std::string, size_t> pos;
  for (size_t i = 0; i < nodes.a.size(); ++i) pos[nodes.a[i].at(0).s] = i;
  std::string out;
  bool same = true;
  size_t k = 0;
  for (int id = 2; id < g->num_node_ids(); ++id) {
    tf::Node* n = g->FindNodeId(id);
    if (n == nullptr || !n->IsOp()) continue;
    auto it = pos.find(n->name());
    if (it == pos.end()) continue;
    same &= it->second == k++;
    out += (out.empty() ? "" : ",") + std::to_string(it->second);
  }
  return same ? "" : ",\"order\":[" + out + "]";
}

}  // namespace

std::string run_case(const Value& c) {
  std::string out;
  try {
    Devices d;
    read_devices(c["devices"], c["local"], &d);
    if (c["partition"].is(Value::kObject)) scatter_memory();
    auto g = import(read_graph(c), false);
    auto names = by_name(g.get());
    for (const Value& n : c["nodes"].a)
      if (!n.at(5).s.empty()) names.at(n.at(0).s)->set_assigned_device_name(n.at(5).s);
    out += order_text(c["nodes"], g.get());
    PlaceOptions o;
    o.soft = c["soft"].truthy(true);
    o.log = c["log"].truthy(false);
    o.isolate = c["isolate"].truthy(false);
    o.local = d.find(c["default"].s);
    if (tf::Device* client = d.find(c["client"].s)) d.set.set_client_device(client);
    if (c["mode"].s != "partition") {
      must(run_placer(g.get(), &d.set, o), "place");
      out += place_text(c["nodes"], g.get(), d);
    }
    if (c["partition"].is(Value::kObject)) out += partition(c["partition"], g.get(), d);
    return "{\"id\":" + json::quote(c["id"].s) + out + "}";
  } catch (const Failed& f) {
    return "{\"id\":" + json::quote(c["id"].s) + out + ",\"stage\":\"" + f.stage +
           "\",\"code\":" + std::to_string(static_cast<int>(f.status.code())) +
           ",\"msg\":" + json::quote(message(f.status)) + "}";
  }
}
