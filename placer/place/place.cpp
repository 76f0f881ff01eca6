#include "placer/place/place.hpp"

#include <algorithm>
#include <array>

#include "placer/place/candidates.hpp"
#include "placer/place/groups.hpp"

namespace tarry {
namespace {

bool has_one_out_edge(const Graph& g, NodeId n) {
  const auto edges = g.out_edges(n);
  return std::distance(edges.begin(), edges.end()) == 1;
}

// Runs where its consumers run, if they agree (docs/rules/placer.md#B.8). Up to 0.12 it has exactly one, the sink and
// control edges counted.
bool is_generator(const Graph& g, NodeId n, const Rules& rules) {
  if (g.input_count(n) != 0 || g.output_count(n) != 1 || is_ref(g.output_type(n, 0))) return false;
  return rules.many_consumers || has_one_out_edge(g, n);
}

// Runs where its input is, and reads only the input's shape (docs/rules/placer.md#B.7).
bool is_metadata(std::string_view op) { return op == "Size" || op == "Shape" || op == "Rank"; }

bool is_same_task(const DeviceName& a, const DeviceName& b) {
  return a.job == b.job && a.replica == b.replica && a.task == b.task;
}

class Assigner {
 public:
  explicit Assigner(Placement& p) : p_(p), candidates_(p) {}

  // Two passes: generators wait until their consumers are placed.
  Status run() {
    remember_names();
    std::vector<NodeId> generators;
    for (const NodeId n : p_.nodes) TARRY_RETURN_IF_ERROR(first_pass(n, generators));
    for (const NodeId n : generators) TARRY_RETURN_IF_ERROR(second_pass(n));
    return {};
  }

 private:
  // TensorFlow numbers the names of assigned devices; error texts show the numbers.
  void remember_names() {
    for (const auto* nodes : {&p_.options.assigned_order, &p_.nodes})
      for (const NodeId n : *nodes)
        if (assigned(n).valid()) (void)p_.index_of(assigned(n));
  }

  [[nodiscard]] DeviceId assigned(NodeId n) const { return p_.graph.node(n).assigned; }

  Status limit(NodeId n) {
    if (!p_.rules.group_follows || p_.rules.planted == PlantedBug::group_does_not_follow) return {};
    const DeviceId device = assigned(n);
    return p_.members.limit(n, p_.devices[device], p_.name_of(device), p_.index_of(device));
  }

  Status assign(NodeId n, DeviceId device, Choice why) {
    p_.graph.node(n).assigned = device;
    p_.note(Chosen{n, device, why});
    return limit(n);
  }

  // Beside its neighbour when the node may run there, else on its best device.
  Status assign_beside(NodeId n, DeviceId neighbour, Choice why) {
    TARRY_ASSIGN(const auto* devices, candidates_.of(n));
    if (p_.options.free_choices != nullptr && are_of_several_tasks(*devices)) p_.options.free_choices->push_back(n);
    return may_follow(neighbour, *devices) ? assign(n, neighbour, why) : assign(n, devices->front(), Choice::best);
  }

  [[nodiscard]] bool are_of_several_tasks(const std::vector<DeviceId>& devices) const {
    const DeviceName& first = p_.devices[devices.front()].parsed;
    return !std::ranges::all_of(devices, [&](DeviceId d) { return is_same_task(p_.devices[d].parsed, first); });
  }

  Status first_pass(NodeId n, std::vector<NodeId>& generators) {
    if (assigned(n).valid()) {
      p_.note(Chosen{n, assigned(n), Choice::pre_assigned});
      return limit(n);
    }
    if (is_generator(p_.graph, n, p_.rules)) {
      generators.push_back(n);
      return {};
    }
    const bool follows = is_metadata(p_.graph.op_name(n));
    return assign_beside(n, follows ? input_device(n) : DeviceId::none(), Choice::beside_input);
  }

  Status second_pass(NodeId n) { return assign_beside(n, consumers_device(n), Choice::beside_consumers); }

  // CanAssign. Up to 0.12 a candidate of the same type is enough, so the node may leave its candidates
  // (docs/rules/placer.md#C.1).
  [[nodiscard]] bool may_follow(DeviceId neighbour, const std::vector<DeviceId>& devices) const {
    if (!neighbour.valid()) return false;
    if (p_.rules.beside_same_device) return std::ranges::find(devices, neighbour) != devices.end();
    return std::ranges::any_of(devices, [&](DeviceId d) { return p_.devices[d].type == p_.devices[neighbour].type; });
  }

  [[nodiscard]] DeviceId input_device(NodeId n) const {
    const auto edges = p_.graph.in_edges(n);
    return edges.empty() ? DeviceId::none() : assigned(p_.graph.edge(*edges.begin()).src);
  }

  // The one device of all consumers, the sink and consumers by control edge counted; none when they differ or are not
  // placed.
  [[nodiscard]] DeviceId consumers_device(NodeId n) const {
    const auto edges = p_.graph.out_edges(n);
    if (edges.empty()) return DeviceId::none();
    const auto device = [&](EdgeId e) { return assigned(p_.graph.edge(e).dst); };
    const DeviceId first = device(*edges.begin());
    if (p_.rules.planted == PlantedBug::generator_beside_first) return first;
    return std::all_of(edges.begin(), edges.end(), [&](EdgeId e) { return device(e) == first; }) ? first
                                                                                                 : DeviceId::none();
  }

  Placement& p_;
  Candidates candidates_;
};

}  // namespace

Status place(Graph& g, const DeviceSet& devices, const Rules& rules, const PlaceOptions& options) {
  if (devices.empty()) {
    if (options.journal != nullptr) options.journal->failed_kind = "D1";
    return error(Code::kFailedPrecondition, "No devices are registered");
  }
  Placement p(g, devices, rules, options);
  TARRY_RETURN_IF_ERROR(build_groups(p));
  const Status s = Assigner(p).run();
  if (!s.ok() && options.journal != nullptr && options.journal->failed_kind.empty())
    options.journal->failed_kind = "D15";
  return s;
}

}  // namespace tarry
