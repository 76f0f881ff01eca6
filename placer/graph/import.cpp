#include "placer/graph/import.hpp"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "placer/core/text.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

constexpr int kNewestProducer = 1645;  // the GraphDef version of TensorFlow 2.15.1

Status check_versions(const Versions& v) {
  if (v.min_consumer > kNewestProducer)
    return invalid("GraphDef min consumer version {} above current version {} for TensorFlow 2.15.1.  Please upgrade TensorFlow.", v.min_consumer, kNewestProducer);
  if (v.producer < 0) return invalid("GraphDef producer version {} below min producer 0 supported by TensorFlow 2.15.1.  Please regenerate your graph.", v.producer);
  if (std::ranges::find(v.bad_consumers, kNewestProducer) != v.bad_consumers.end())
    return invalid("GraphDef disallows consumer version {}.  Please upgrade TensorFlow: this version is likely buggy.", kNewestProducer);
  return {};
}

bool is_next_iteration(std::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }

struct BackEdge {  // an input of a Merge that was not built when the Merge was
  NodeId dst;
  int slot;
  InputName input;
};

class Importer {
 public:
  Importer(Graph& g, const GraphSpec& spec, const ImportOptions& options)
      : g_(g), spec_(spec), options_(options), ops_(options.ops != nullptr ? *options.ops : ops_of_tf215()) {}

  Status run();

 private:
  Status index_names();
  Status check_colocations() const;
  Status count_pending();
  Status pending_of(std::size_t i);
  Status build(std::size_t i);
  Status connect(NodeId n, const NodeSpec& node);
  std::vector<InputName> inputs_of(const NodeSpec& node) const;
  Status connect_input(NodeId n, int slot, const InputName& input);
  void release_consumers(std::size_t i);
  std::size_t take_ready();
  void put_ready(std::size_t i);
  StatusOr<const OpDef*> find_op(const NodeSpec& node);
  Status cycle_error(std::size_t built) const;

  Graph& g_;
  const GraphSpec& spec_;
  const ImportOptions& options_;
  const OpRegistry& ops_;
  absl::flat_hash_map<std::string_view, std::size_t> index_;
  std::vector<int> pending_;
  std::vector<std::vector<std::size_t>> consumers_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
  std::vector<std::size_t> stack_;  // of the oldest order
  std::vector<BackEdge> back_edges_;
};

Status Importer::index_names() {
  index_.reserve(spec_.nodes.size());
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
    const NodeSpec& n = spec_.nodes[i];
    if (!is_node_name(n.name)) return invalid("Node '{}': Node name contains invalid characters", n.name);
    if (!index_.emplace(n.name, i).second || g_.find(n.name).valid()) return invalid("Node '{}' is not unique", n.name);
  }
  return {};
}

Status Importer::check_colocations() const {
  if (!options_.colocations_known) return {};
  for (const NodeSpec& n : spec_.nodes) {
    const auto* list = n.attrs.get<AttrList>("_class");
    if (list == nullptr) continue;
    for (const std::string& key : list->s) {
      if (!key.starts_with("loc:@")) continue;
      const std::string_view target = std::string_view(key).substr(5);
      if (!index_.contains(target) && !g_.find(target).valid()) return invalid("Node '{}' expects to be colocated with unknown node '{}'", n.name, target);
    }
  }
  return {};
}

// A Merge that a NextIteration feeds is built after one other data input and its control inputs; every other node after all its inputs. What comes
// round to a Merge from a NextIteration is never waited for with success, not even by control edge: "N nodes in a cycle" (seen from 1.12 on). In the
// oldest order every Merge is built after any one data input.
Status Importer::pending_of(std::size_t i) {
  const NodeSpec& n = spec_.nodes[i];
  const bool is_merge = n.op == "Merge" || n.op == "RefMerge";
  int controls = 0, inputs = 0;
  bool closes_loop = false;
  for (const std::string& text : n.inputs) {
    const InputName input = parse_input(text);
    const auto it = index_.find(input.node);
    if (it == index_.end()) {
      if (!g_.find(input.node).valid()) return invalid("Node '{}': Unknown input node '{}'", n.name, text);
      continue;
    }
    const bool comes_round = is_merge && !options_.oldest_order && is_next_iteration(spec_.nodes[it->second].op);
    if (!comes_round) consumers_[it->second].push_back(i);
    closes_loop |= comes_round && input.slot >= 0;
    controls += input.slot < 0 ? 1 : 0;
    ++inputs;
  }
  pending_[i] = is_merge && (closes_loop || options_.oldest_order) ? controls + 1 : inputs;
  return {};
}

Status Importer::count_pending() {
  pending_.assign(spec_.nodes.size(), 0);
  consumers_.resize(spec_.nodes.size());
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i) TARRY_RETURN_IF_ERROR(pending_of(i));
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
    if (pending_[i] == 0) put_ready(i);
  return {};
}

void Importer::put_ready(std::size_t i) {
  if (options_.oldest_order)
    stack_.push_back(i);
  else
    ready_.push(i);
}

std::size_t Importer::take_ready() {
  std::size_t i = 0;
  if (options_.oldest_order) {
    i = stack_.back();
    stack_.pop_back();
  } else {
    i = ready_.top();
    ready_.pop();
  }
  return i;
}

void Importer::release_consumers(std::size_t i) {
  for (const std::size_t consumer : consumers_[i])
    if (--pending_[consumer] == 0) put_ready(consumer);
}

StatusOr<const OpDef*> Importer::find_op(const NodeSpec& node) {
  if (const OpDef* op = ops_.find(node.op)) return op;
  const auto function = std::ranges::find(spec_.functions, node.op, [](const FunctionSpec& f) { return f.signature.name; });
  if (function != spec_.functions.end()) {
    auto owned = std::make_shared<OpDef>(function->signature);
    g_.keep_alive(owned);
    return owned.get();
  }
  std::vector<std::string> names;
  for (const OpDef& op : ops_.all()) names.push_back(op.name);
  return error(Code::kNotFound, "Op type not registered '{}' in binary running on tarry. Make sure the Op and Kernel are registered in the binary running in this process. (node '{}'{})",
               node.op, node.name, did_you_mean(node.op, names));
}

Status Importer::build(std::size_t i) {
  NodeSpec node = spec_.nodes[i];
  TARRY_ASSIGN(const OpDef* op, find_op(node));
  node.attrs = with_defaults(node.attrs, *op);
  TARRY_RETURN_IF_ERROR(validate_attrs(node, *op));
  DataTypes inputs, outputs;
  for (auto [args, types] : {std::pair{&op->inputs, &inputs}, std::pair{&op->outputs, &outputs}})
    if (Status s = argument_types(*args, node.attrs, *types); !s.ok()) return with_suffix(s, fmt::format("\n\t; NodeDef: {{{{node {}}}}}", node.name));
  TARRY_RETURN_IF_ERROR(validate_node(node, *op, inputs));
  const NodeId n = g_.add_node(node.name, *op, node.device, node.attrs, std::move(inputs), std::move(outputs));
  return connect(n, spec_.nodes[i]);
}

// Control inputs after data inputs; from 1.15 on (1.12 not) in the order of their names and each once, whatever the file says.
// Data inputs by slot, then control inputs.
std::vector<InputName> Importer::inputs_of(const NodeSpec& node) const {
  std::vector<InputName> inputs;
  for (const std::string& text : node.inputs) {
    const InputName input = parse_input(text);
    const auto same = [&](const InputName& i) { return i.slot < 0 && i.node == input.node; };
    if (input.slot < 0 && options_.controls_once && std::ranges::any_of(inputs, same)) continue;
    inputs.push_back(input);
  }
  const auto controls = std::ranges::find_if(inputs, [](const InputName& i) { return i.slot < 0; });
  if (options_.controls_sorted) std::stable_sort(controls, inputs.end(), [](const InputName& a, const InputName& b) { return a.node < b.node; });
  return inputs;
}

Status Importer::connect(NodeId n, const NodeSpec& node) {
  int slot = 0;
  for (const InputName& input : inputs_of(node)) {
    const int dst_slot = input.slot < 0 ? kControlSlot : slot++;
    if (!g_.find(input.node).valid())
      back_edges_.push_back({n, dst_slot, input});
    else
      TARRY_RETURN_IF_ERROR(connect_input(n, dst_slot, input));
  }
  return {};
}

Status Importer::connect_input(NodeId n, int slot, const InputName& input) {
  const NodeId src = g_.find(input.node);
  if (slot == kControlSlot) {
    g_.add_control_edge(src, n);
    return {};
  }
  if (input.slot >= g_.output_count(src))
    return invalid("Node '{}': Connecting to invalid output {} of source node {} which has {} outputs.", g_.name(n), input.slot, input.node, g_.output_count(src));
  const DataType given = g_.output_type(src, input.slot), wanted = g_.input_type(n, slot);
  if (given != wanted && base_type(given) != wanted)
    return invalid("Input {} of node {} was passed {} from {}:{} incompatible with expected {}.", slot, g_.name(n), type_name(given), input.node, input.slot, type_name(wanted));
  g_.add_edge(src, input.slot, n, slot);
  return {};
}

Status Importer::cycle_error(std::size_t built) const { return invalid("{} nodes in a cycle", spec_.nodes.size() - built); }

Status Importer::run() {
  TARRY_RETURN_IF_ERROR(check_versions(spec_.versions));
  TARRY_RETURN_IF_ERROR(index_names());
  TARRY_RETURN_IF_ERROR(check_colocations());
  TARRY_RETURN_IF_ERROR(count_pending());
  std::size_t built = 0;
  while (!ready_.empty() || !stack_.empty()) {
    const std::size_t i = take_ready();
    TARRY_RETURN_IF_ERROR(build(i));
    release_consumers(i);
    ++built;
  }
  if (built < spec_.nodes.size()) return cycle_error(built);
  for (const BackEdge& e : back_edges_) TARRY_RETURN_IF_ERROR(connect_input(e.dst, e.slot, e.input));
  g_.attach_to_source_and_sink();
  return {};
}

}  // namespace

StatusOr<Graph> import_graph(const GraphSpec& spec, const ImportOptions& options) {
  Graph g;
  TARRY_RETURN_IF_ERROR(Importer(g, spec, options).run());
  g.versions = spec.versions;
  g.functions = spec.functions;
  return g;
}

Status extend_graph(Graph& g, const GraphSpec& more, const ImportOptions& options) {
  Graph extended = g;
  TARRY_RETURN_IF_ERROR(Importer(extended, more, options).run());
  extended.functions.insert(extended.functions.end(), more.functions.begin(), more.functions.end());
  g = std::move(extended);
  return {};
}

}  // namespace tarry
