#include "properties/cli/placed.hpp"

#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/import.hpp"
#include "placer/place/called_function.hpp"
#include "placer/place/isolate.hpp"
#include "sim/cluster.hpp"

namespace tarry {
namespace {

StatusOr<std::unique_ptr<const WholeRelease>> release_of(const std::string& rules, const Home& home) {
  if (rules_2_15().release == rules) return std::unique_ptr<const WholeRelease>();
  TARRY_ASSIGN(WholeRelease whole, read_whole_release(home.recordings(), rules));
  return std::make_unique<const WholeRelease>(std::move(whole));
}

ImportOptions import_options(const Placed& p) {
  return {.ops = p.release == nullptr ? nullptr : &p.release->tables.ops,
          .oldest_order = p.rules.oldest_order,
          .controls_sorted = p.rules.controls_sorted,
          .controls_once = p.rules.controls_once};
}

// An attribute that the release does not know yet and that has 2.15's default says nothing: TensorFlow's own importers
// of newer graphs are served by taking it out.
void drop_newer_defaults(NodeSpec& n, const OpRegistry& ops) {
  const OpDef *own = ops.find(n.op), *newest = ops_of_tf215().find(n.op);
  if (own == nullptr || newest == nullptr) return;
  const Attrs attrs = n.attrs;
  for (const auto& [name, value] : attrs) {
    const AttrDef* def = newest->find_attr(name);
    if (own->find_attr(name) == nullptr && def != nullptr && def->default_value == value) n.attrs.erase(name);
  }
}

StatusOr<DeviceId> client_device(const std::string& client, const DeviceSet& devices) {
  if (client.empty()) return DeviceId::none();
  const auto task = canonical_task(client);
  if (!task.ok()) return with_prefix(task.status(), "--client: ");
  std::set<std::string> tasks;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (const std::string own = task_of(devices[DeviceId{i}].parsed); tasks.insert(own).second && own == *task)
      return DeviceId{i};
  return invalid("--client '{}': none of the devices is of that task; expected one of {}", client,
                 fmt::join(tasks, ", "));
}

}  // namespace

PlaceOptions Placed::options(bool soft) const {
  PlaceOptions o{.soft_placement = soft,
                 .client_device = client,
                 .local_task = client.valid() ? task_of(devices[client].parsed) : "",
                 .written = &spec,
                 .journal = journal.get()};
  if (release != nullptr) {
    o.kernels = &release->tables.kernels;
    o.ops = &release->tables.ops;
  }
  return o;
}

StatusOr<Placed> place_graph(const PlaceArguments& a, const Home& home) {
  Placed p;
  TARRY_ASSIGN(p.rules, rules_of(a.rules));
  TARRY_ASSIGN(p.release, release_of(p.rules.release, home));
  if (p.release == nullptr) p.rules = session_rules_2_15();
  TARRY_ASSIGN(p.spec, open_graph(a.graph, home));
  if (p.release != nullptr)
    for (NodeSpec& n : p.spec.nodes) drop_newer_defaults(n, p.release->tables.ops);
  TARRY_ASSIGN(p.devices, open_devices(a.devices, p.spec, home));
  TARRY_ASSIGN(p.client, client_device(a.client, p.devices));
  if (p.rules.lookup == DeviceLookup::as_written) p.devices = with_names_before_1_4(p.devices);
  auto g = import_graph(p.spec, import_options(p));
  if (!g.ok()) return with_prefix(g.status(), a.graph + ": ");
  p.journal = std::make_unique<Journal>();
  PlaceOptions options = p.options(a.soft);
  if (p.rules.functions_inspected)
    options.added_for = isolate_calls(*g, options.ops != nullptr ? *options.ops : ops_of_tf215());
  p.imported = *g;
  p.graph = *std::move(g);
  p.status = p.rules.functions_inspected ? check_calls(p.graph) : Status();
  if (p.status.ok()) p.status = place(p.graph, p.devices, p.rules, options);
  return p;
}

std::string tables_text(const Placed& p) {
  if (p.release == nullptr) return "";
  int own = 0, other = 0;
  std::set<std::string> others;
  for (const NodeId n : p.graph.op_nodes()) {
    const bool is_own = p.release->own.contains(p.graph.op_name(n));
    ++(is_own ? own : other);
    if (!is_own) others.emplace(p.graph.op_name(n));
  }
  const std::string whose = p.rules.release == "0.9" ? "the recorded 0.12" : "its own";
  std::string out = fmt::format("ops and kernels of {}: {} nodes by {} tables", p.rules.release, own, whose);
  if (other == 0) return out;
  return out +
         fmt::format(", {} nodes by those of 2.15 ({})", other, join(std::vector(others.begin(), others.end()), ", "));
}

void add_graph_options(CLI::App* c, const std::shared_ptr<PlaceArguments>& a) {
  c->add_option("graph", a->graph, "A GraphDef or MetaGraphDef (.pb, .pbtxt, .zst), or the name of a graph that ships")
      ->required();
  c->add_option("--devices", a->devices, "from-graph, a list of device names, or a scenario")->capture_default_str();
  c->add_flag(
      "--soft", a->soft,
      "Soft placement: where a requested device does not exist or has no kernel, another one of the task serves");
  c->add_option(
      "--client", a->client,
      "The task whose client asks, such as worker/0: of devices that are as good, its own come first (2.3.0 and "
      "later)");
  c->add_option("--rules", a->rules, "The release whose placer is asked: 2.15, 1.15, 1.12, 0.12 or 0.9")
      ->capture_default_str();
  c->add_flag("--json", a->json, "Print JSON");
}

}  // namespace tarry
