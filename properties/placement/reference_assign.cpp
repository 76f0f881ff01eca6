#include <algorithm>
#include <tuple>

#include "properties/placement/reference_run.hpp"

namespace tarry::reference {

// ---- assignment (docs/rules/placer.md#C.1, #C.3.4, #C.4) ----

std::vector<int> Reference::matching(const Name& request, const Types& types) const {
  std::vector<int> found;
  for (int d = 0; d < static_cast<int>(places_.size()); ++d)
    if (covers(request, places_[d].parsed) && std::ranges::find(types, places_[d].type, &Served::type) != types.end())
      found.push_back(d);
  const auto is_remote = [&](const Place& p) {
    return since(Release::r2_15) && !case_.local_task.empty() &&
           fmt::format("/job:{}/replica:{}/task:{}", *p.parsed.job, *p.parsed.replica, *p.parsed.task) !=
               case_.local_task;
  };
  std::ranges::sort(found, {}, [&](int d) {
    const Place& p = places_[d];
    return std::tuple(-std::ranges::find(types, p.type, &Served::type)->priority, -type_priority(p.type), is_remote(p),
                      std::string_view(p.name));
  });
  const auto local = std::ranges::find_if(found, [&](int d) {
    return since(Release::r1_15) && !case_.default_device.empty() && places_[d].name == case_.default_device;
  });
  if (local != found.end()) std::rotate(found.begin(), local, local + 1);
  return found;
}

std::vector<int> Reference::candidates(NodeId n) {
  const Set& set = set_of(n);
  std::vector<int> found = matching(set.asked, set.types);
  const auto relaxed = [&](const Name& kept, const Name& also_kept) {
    Name request = set.asked;
    if (!kept.type && !also_kept.type) request.type.reset();
    if (!kept.id && !also_kept.id) request.id.reset();
    return matching(request, set.types);
  };
  if (found.empty() && case_.soft && !set.asked.is_blank()) {
    const bool knows_owners = since(Release::r1_15);
    found = relaxed(knows_owners ? set.fixed : Name(), knows_owners ? set.owned : Name());
    if (found.empty() && knows_owners) found = relaxed(set.fixed, Name());
  }
  if (found.empty()) fail(Code::kInvalidArgument);
  return found;
}

// A generator: no inputs, one output that is no reference; before 1.0 with one consumer, control edges and sink
// counted.
bool Reference::waits(NodeId n) const {
  if (g_.input_count(n) != 0 || g_.output_count(n) != 1 || is_ref(g_.output_type(n, 0))) return false;
  const auto edges = g_.out_edges(n);
  return since(Release::r1_12) || std::distance(edges.begin(), edges.end()) == 1;
}

// Before 1.0 a device of the same type was good enough (docs/rules/placer.md#Q1).
bool Reference::may_take(int device, const std::vector<int>& candidates) const {
  if (device < 0) return false;
  return std::ranges::any_of(
      candidates, [&](int c) { return since(Release::r1_12) ? c == device : places_[c].type == places_[device].type; });
}

int Reference::beside_input(NodeId n) const {
  const std::string_view op = g_.op_name(n);
  const auto edges = g_.in_edges(n);
  if ((op != "Size" && op != "Shape" && op != "Rank") || edges.empty()) return -1;
  return device_[g_.edge(*edges.begin()).src.index()];
}

int Reference::beside_consumers(NodeId n) const {
  const auto edges = g_.out_edges(n);
  if (edges.empty()) return -1;
  const int first = device_[g_.edge(*edges.begin()).dst.index()];
  for (const EdgeId e : edges)
    if (device_[g_.edge(e).dst.index()] != first) return -1;
  return first;
}

// From 1.14 the whole set stays with the first of its nodes that is placed.
void Reference::settle(NodeId n, int device) {
  device_[n.index()] = device;
  if (!since(Release::r1_15)) return;
  Set& set = set_of(n);
  const Name& name = places_[device].parsed;
  const bool ok = merge_into(set.fixed, name, Conflict::is_error) &&
                  merge_into(set.owned, name, Conflict::takes_other) &&
                  merge_into(set.asked, name, Conflict::takes_other);
  if (!ok) fail(Code::kInternal);
}

void Reference::assign_all() {
  std::vector<NodeId> waiting;
  for (const NodeId n : g_.op_nodes()) {
    if (device_[n.index()] >= 0) {
      settle(n, device_[n.index()]);
      continue;
    }
    if (waits(n)) {
      waiting.push_back(n);
      continue;
    }
    const std::vector<int> devices = candidates(n);
    const int wanted = beside_input(n);
    settle(n, may_take(wanted, devices) ? wanted : devices.front());
  }
  for (const NodeId n : waiting) {
    const std::vector<int> devices = candidates(n);
    const int wanted = beside_consumers(n);
    settle(n, may_take(wanted, devices) ? wanted : devices.front());
  }
}

}  // namespace tarry::reference
