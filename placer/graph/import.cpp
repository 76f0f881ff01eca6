#include "placer/graph/import.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "placer/core/fetch_ahead.hpp"
#include "placer/core/ready_set.hpp"
#include "placer/graph/graph_ahead.hpp"
#include "placer/graph/import_shapes.hpp"
#include "placer/graph/op_kinds.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

constexpr int kNewestProducer = 1645;  // the GraphDef version of TensorFlow 2.15.1

Status check_versions(const Versions& v) {
  if (v.min_consumer > kNewestProducer)
    return invalid(
        "GraphDef min consumer version {} above current version {} for TensorFlow 2.15.1.  Please upgrade TensorFlow.",
        v.min_consumer, kNewestProducer);
  if (v.producer < 0)
    return invalid(
        "GraphDef producer version {} below min producer 0 supported by TensorFlow 2.15.1.  Please regenerate your "
        "graph.",
        v.producer);
  if (std::ranges::find(v.bad_consumers, kNewestProducer) != v.bad_consumers.end())
    return invalid("GraphDef disallows consumer version {}.  Please upgrade TensorFlow: this version is likely buggy.",
                   kNewestProducer);
  return {};
}

Status check_deprecation(const OpDef& op, int producer) {
  if (op.deprecated_since == 0 || producer < op.deprecated_since) return {};
  return error(Code::kUnimplemented,
               "Op {} is not available in GraphDef version {}. It has been removed in version {}. {}.", op.name,
               producer, op.deprecated_since, op.deprecation_explanation);
}

bool is_next_iteration(std::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

struct Input {  // of a node, its name looked up
  NameId node;
  int slot;
  std::uint32_t awaited;  // the position of the node if it must be built before, else kNowhere
};

struct BackEdge {  // an input of a Merge that was not built when the Merge was
  NodeId dst;
  int slot;
  Input input;
};

constexpr std::size_t kAhead = 8;  // nodes between asking for memory and reading it: importing is waiting for memory
constexpr std::size_t kLarge =
    30'000;  // nodes, from where on the graph that is built is larger than the processor's caches

class Importer {
 public:
  Importer(Graph& g, const GraphSpec& spec, const ImportOptions& options)
      : g_(g), ahead_(g), spec_(spec), options_(options), kinds_(g, spec, options), ready_(spec.nodes.size()) {}

  Status run();

 private:
  Status index_names();
  Status check_colocations(const NodeSpec& n) const;
  void expect_name(std::size_t i) const;
  void expect_inputs(std::size_t i) const;
  void expect_neighbours(std::size_t i) const;
  Status look_up_inputs();
  Status pending_of(std::size_t i);
  void list_consumers();
  void count_ready();
  Status build(std::size_t i);
  Status connect(NodeId n, std::size_t i);
  std::span<Input> ordered_inputs(std::size_t i);
  [[nodiscard]] bool is_large() const { return spec_.nodes.size() >= kLarge; }
  [[nodiscard]] const NodeSpec* node_at(std::size_t i) const {
    return i < spec_.nodes.size() ? &spec_.nodes[i] : nullptr;
  }
  [[nodiscard]] std::span<const std::uint32_t> consumers_of(std::size_t i) const {
    if (i >= spec_.nodes.size()) return {};
    const std::size_t first = i == 0 ? 0 : last_consumer_[i - 1];
    return std::span(consumers_).subspan(first, last_consumer_[i] - first);
  }
  [[nodiscard]] bool fits(std::size_t i, const DataTypes& inputs) const;
  // Of the inputs of node i, if there is one, those that are built.
  void for_producers(std::size_t i, const auto& run) const {
    if (i < spec_.nodes.size())
      for (std::size_t k = first_input_[i]; k < first_input_[i + 1]; ++k)
        if (const NodeId n = g_.find(inputs_[k].node); n.valid()) run(n);
  }
  Status connect_input(NodeId n, int slot, const Input& input);
  void release_consumers(std::size_t i);
  std::size_t take_ready();
  void put_ready(std::size_t i);

  [[nodiscard]] std::uint32_t position(NameId name) const {
    if (!in_order_) return name.index() < position_.size() ? position_[name] : kNowhere;
    const std::size_t at = name.index() - names_.front().index();
    return at < names_.size() ? static_cast<std::uint32_t>(at) : kNowhere;
  }
  [[nodiscard]] bool is_known(NameId name) const {
    return name.valid() && (position(name) != kNowhere || g_.find(name).valid());
  }

  Graph& g_;
  const GraphAhead ahead_;
  const GraphSpec& spec_;
  const ImportOptions& options_;
  std::vector<NameId> names_;                             // by position in the file
  IdVector<NameId, std::uint32_t> position_;              // and back
  bool in_order_ = false;                                 // names stand in the file as they were numbered
  std::vector<Input> inputs_;                             // of all nodes,
  std::vector<std::size_t> first_input_;                  // node i's from first_input_[i] to first_input_[i + 1]
  std::vector<std::uint32_t> consumers_, last_consumer_;  // likewise; node i's end at last_consumer_[i]
  std::vector<int> pending_;
  OpKinds kinds_;
  ReadySet ready_;
  std::vector<std::uint32_t> stack_;  // of the oldest order
  std::vector<BackEdge> back_edges_;
};

Status Importer::index_names() {
  const std::size_t nodes = spec_.nodes.size();
  g_.reserve(nodes, 0);
  position_.assign(g_.name_count() + nodes, kNowhere);
  names_.reserve(nodes);
  for (const NodeSpec& n : spec_.nodes) {
    expect_name(names_.size());
    if (!is_node_name(n.name) || (n.name.starts_with('_') && !options_.own_names))
      return invalid("Node '{}': Node name contains invalid characters", n.name);
    const NameId name = g_.intern(n.name);
    if (is_known(name)) return invalid("Node '{}' is not unique", n.name);
    position_[name] = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    if (n.op.empty()) return invalid("Node '{}' does not specify an operation", n.name);
  }
  in_order_ = nodes > 0 && std::ranges::adjacent_find(
                               names_, [](NameId a, NameId b) { return a.index() + 1 != b.index(); }) == names_.end();
  return {};
}

Status Importer::check_colocations(const NodeSpec& n) const {
  const auto* list = options_.colocations_known ? n.attrs.get<AttrList>("_class") : nullptr;
  if (list == nullptr) return {};
  for (const std::string_view key : list->s) {
    if (!key.starts_with("loc:@")) continue;
    if (!is_known(g_.find_name(key.substr(5))))
      return invalid("Node '{}' expects to be colocated with unknown node '{}'", n.name, key.substr(5));
  }
  return {};
}

// A Merge that a NextIteration feeds is built after one other data input and its control inputs; every other node after
// all its inputs. What comes round to a Merge from a NextIteration is never waited for with success, not even by
// control edge: "N nodes in a cycle" (seen from 1.12 on). In the oldest order every Merge is built after any one data
// input.
Status Importer::pending_of(std::size_t i) {
  const NodeSpec& n = spec_.nodes[i];
  const bool is_merge = n.op == "Merge" || n.op == "RefMerge";
  int controls = 0, inputs = 0;
  bool closes_loop = false;
  for (const std::string& text : n.inputs) {
    const InputName input = parse_input(text);
    const NameId name = g_.find_name(input.node);
    if (!is_known(name)) return invalid("Node '{}': Unknown input node '{}'", n.name, text);
    const std::uint32_t at = position(name);
    const bool is_new = at != kNowhere;
    const bool comes_round = is_new && is_merge && !options_.oldest_order && is_next_iteration(spec_.nodes[at].op);
    inputs_.push_back({name, input.slot, comes_round ? kNowhere : at});
    if (!is_new) continue;
    closes_loop |= comes_round && input.slot >= 0;
    controls += input.slot < 0 ? 1 : 0;
    ++inputs;
  }
  pending_.push_back(is_merge && (closes_loop || options_.oldest_order) ? controls + 1 : inputs);
  return {};
}

// Each step reads what an earlier one asked for.
void Importer::expect_inputs(std::size_t i) const {
  if (const NodeSpec* n = node_at(i + 4 * kAhead)) {
    fetch_ahead(n->inputs.data());
    fetch_ahead(&n->op);
  }
  if (const NodeSpec* n = node_at(i + 3 * kAhead))
    for (const std::string& text : n->inputs) fetch_ahead(text.data());
  if (!is_large()) return;
  if (const NodeSpec* n = node_at(i + 2 * kAhead))
    for (const std::string& text : n->inputs) ahead_.name(parse_input(text).node);
  if (const NodeSpec* n = node_at(i + kAhead))
    for (const std::string& text : n->inputs) ahead_.characters(parse_input(text).node);
}

void Importer::expect_name(std::size_t i) const {
  if (const NodeSpec* n = node_at(i + 2 * kAhead)) fetch_ahead(n->name.data());
  if (const NodeSpec* n = node_at(i + kAhead); n != nullptr && is_large()) ahead_.name(n->name);
}

// Nodes are built nearly in the order of the file.
void Importer::expect_neighbours(std::size_t i) const {
  if (const NodeSpec* n = node_at(i + 2 * kAhead)) fetch_ahead(&n->attrs);
  if (const NodeSpec* n = node_at(i + kAhead)) fetch_ahead(n->attrs.begin());
  if (!is_large()) return;
  for (const std::uint32_t consumer : consumers_of(i + kAhead)) fetch_ahead(&pending_[consumer]);
  if (i + 3 * kAhead < spec_.nodes.size())
    for (std::size_t k = first_input_[i + 3 * kAhead]; k < first_input_[i + 3 * kAhead + 1]; ++k)
      ahead_.node(inputs_[k].node);
  for_producers(i + 2 * kAhead, [&](NodeId n) { ahead_.node(n); });
  for_producers(i + kAhead, [&](NodeId n) { ahead_.last_edge(n); });
}

Status Importer::look_up_inputs() {
  pending_.reserve(spec_.nodes.size());
  first_input_.reserve(spec_.nodes.size() + 1);
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
    expect_inputs(i);
    first_input_.push_back(inputs_.size());
    TARRY_RETURN_IF_ERROR(pending_of(i));
  }
  first_input_.push_back(inputs_.size());
  g_.reserve(0, inputs_.size() + spec_.nodes.size() / 4);  // few nodes are a first or a last one
  return {};
}

// Counted first, then filled in from the front, so that each node's stand in the order of the file.
void Importer::list_consumers() {
  std::vector<std::uint32_t> counts(spec_.nodes.size() + 1);
  for (const Input& input : inputs_)
    if (input.awaited != kNowhere) ++counts[input.awaited + 1];
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  consumers_.resize(counts.back());
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
    for (std::size_t k = first_input_[i]; k < first_input_[i + 1]; ++k)
      if (inputs_[k].awaited != kNowhere) consumers_[counts[inputs_[k].awaited]++] = static_cast<std::uint32_t>(i);
  last_consumer_ = std::move(counts);
}

void Importer::count_ready() {
  for (std::size_t i = 0; i < spec_.nodes.size(); ++i)
    if (pending_[i] == 0) put_ready(i);
}

void Importer::put_ready(std::size_t i) {
  if (options_.oldest_order)
    stack_.push_back(static_cast<std::uint32_t>(i));
  else
    ready_.insert(i);
}

std::size_t Importer::take_ready() {
  if (!options_.oldest_order) return ready_.take();
  const std::size_t i = stack_.back();
  stack_.pop_back();
  return i;
}

void Importer::release_consumers(std::size_t i) {
  for (const std::uint32_t consumer : consumers_of(i))
    if (--pending_[consumer] == 0) put_ready(consumer);
}

// As validate_inputs says, without reading the inputs' names once more.
bool Importer::fits(std::size_t i, const DataTypes& inputs) const {
  const auto given = std::span(inputs_).subspan(first_input_[i], first_input_[i + 1] - first_input_[i]);
  const auto is_data = [](const Input& input) { return input.slot >= 0; };
  const auto data = std::ranges::find_if_not(given, is_data) - given.begin();
  return static_cast<std::size_t>(data) == inputs.size() &&
         std::ranges::none_of(given.subspan(static_cast<std::size_t>(data)), is_data);
}

Status Importer::build(std::size_t i) {
  const NodeSpec& node = spec_.nodes[i];
  TARRY_RETURN_IF_ERROR(check_colocations(node));
  Attrs full;
  TARRY_ASSIGN(const OpKind* kind, kinds_.find(node, full));
  if (!fits(i, *kind->inputs)) TARRY_RETURN_IF_ERROR(validate_inputs(node, *kind->op, *kind->inputs));
  TARRY_RETURN_IF_ERROR(check_deprecation(*kind->op, spec_.versions.producer));
  const NodeId n =
      g_.add_node(names_[i], *kind->op, g_.intern(node.device), std::move(full), kind->inputs, kind->outputs);
  TARRY_RETURN_IF_ERROR(connect(n, i));
  return options_.shapes_checked ? check_shapes(g_, n) : Status();
}

// Data inputs by slot, then control inputs: each once and in the order of their names where the release does so,
// whatever the file says.
std::span<Input> Importer::ordered_inputs(std::size_t i) {
  const auto first = inputs_.begin() + static_cast<std::ptrdiff_t>(first_input_[i]),
             last = inputs_.begin() + static_cast<std::ptrdiff_t>(first_input_[i + 1]);
  const auto controls = std::find_if(first, last, [](const Input& input) { return input.slot < 0; });
  if (options_.controls_sorted)
    std::sort(controls, last, [&](const Input& a, const Input& b) { return g_.text(a.node) < g_.text(b.node); });
  if (!options_.controls_once) return {first, last};
  auto kept = controls;
  for (auto it = controls; it != last; ++it)
    if (std::none_of(options_.controls_sorted && kept != controls ? kept - 1 : controls, kept,
                     [&](const Input& k) { return k.node == it->node; }))
      *kept++ = *it;
  return {first, kept};
}

Status Importer::connect(NodeId n, std::size_t i) {
  int slot = 0;
  for (const Input& input : ordered_inputs(i)) {
    const int dst_slot = input.slot < 0 ? kControlSlot : slot++;
    if (!g_.find(input.node).valid())
      back_edges_.push_back({n, dst_slot, input});
    else
      TARRY_RETURN_IF_ERROR(connect_input(n, dst_slot, input));
  }
  return {};
}

Status Importer::connect_input(NodeId n, int slot, const Input& input) {
  const NodeId src = g_.find(input.node);
  if (slot == kControlSlot) {
    g_.add_control_edge(src, n);
    return {};
  }
  if (input.slot >= g_.output_count(src))
    return invalid("Node '{}': Connecting to invalid output {} of source node {} which has {} outputs.", g_.name(n),
                   input.slot, g_.name(src), g_.output_count(src));
  const DataType given = g_.output_type(src, input.slot), wanted = g_.input_type(n, slot);
  if (given != wanted && base_type(given) != wanted)
    return invalid("Input {} of node {} was passed {} from {}:{} incompatible with expected {}.", slot, g_.name(n),
                   type_name(given), g_.name(src), input.slot, type_name(wanted));
  g_.add_edge(src, input.slot, n, slot);
  return {};
}

Status Importer::run() {
  TARRY_RETURN_IF_ERROR(check_versions(spec_.versions));
  TARRY_RETURN_IF_ERROR(index_names());
  TARRY_RETURN_IF_ERROR(look_up_inputs());
  list_consumers();
  count_ready();
  std::size_t built = 0;
  while (!ready_.empty() || !stack_.empty()) {
    const std::size_t i = take_ready();
    expect_neighbours(i);
    TARRY_RETURN_IF_ERROR(build(i));
    release_consumers(i);
    ++built;
  }
  if (built < spec_.nodes.size()) return invalid("{} nodes in a cycle", spec_.nodes.size() - built);
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
  g.stack_traces = spec.stack_traces;
  return g;
}

Status extend_graph(Graph& g, const GraphSpec& more, const ImportOptions& options) {
  Graph extended = g;
  TARRY_RETURN_IF_ERROR(Importer(extended, more, options).run());
  extended.functions.insert(extended.functions.end(), more.functions.begin(), more.functions.end());
  extended.stack_traces.insert(more.stack_traces.begin(), more.stack_traces.end());
  g = std::move(extended);
  return {};
}

}  // namespace tarry
