#include "properties/placement/judge.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

#include "placer/core/text.hpp"
#include "properties/hunting/hunting.hpp"
#include "properties/placement/reference_names.hpp"

namespace tarry {
namespace {

using Wrong = std::optional<std::string>;
using reference::Conflict;
using reference::Name;

const std::string& device_of(const Judgement& j, std::size_t node) { return j.c.devices[j.answer.place[node]].name; }
const std::string& node_name(const PlacementCase& c, std::size_t node) { return c.nodes[node].spec.name; }
bool placed(const PlacementAnswer& a) { return a.code == Code::kOk; }

// ---- what belongs together ----

// Nodes (by file position) joined by what must be together.
class Together {
 public:
  explicit Together(std::size_t nodes) : rank_(nodes), parent_(nodes), sets_(rank_.data(), parent_.data()) {
    for (std::size_t i = 0; i < nodes; ++i) sets_.make_set(i);
  }
  void join(std::size_t a, std::size_t b) { sets_.union_set(a, b); }
  std::size_t of(std::size_t n) { return sets_.find_set(n); }

 private:
  std::vector<std::size_t> rank_, parent_;
  boost::disjoint_sets<std::size_t*, std::size_t*> sets_;
};

// File positions by node id.
std::vector<std::size_t> file_positions(const Judgement& j) {
  std::vector<std::size_t> at(j.g.node_slots());
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i) at[j.g.find(node_name(j.c, i)).index()] = i;
  return at;
}

bool ties(const Judgement& j, const Edge& e) {
  if (!e.alive || e.is_control()) return false;
  const DataType type = j.g.input_type(e.dst, e.dst_slot);
  return is_ref(type) || (type == DataType::kResource && j.world.release != Release::r0_9);
}

void join_edges(const Judgement& j, Together& sets) {
  const std::vector<std::size_t> at = file_positions(j);
  for (std::size_t i = 0; i < j.g.edge_slots(); ++i)
    if (const Edge& e = j.g.edge(EdgeId{i}); ties(j, e)) sets.join(at[e.src.index()], at[e.dst.index()]);
}

// A node with keys belongs to its own name's group only from 2.2 on.
std::vector<std::string> keys_of(const Judgement& j, std::size_t node) {
  std::vector<std::string> keys;
  for (const std::string_view key : loc_keys(j.c.nodes[node].spec)) keys.emplace_back(key);
  if (keys.empty() || j.world.release == Release::r2_15) keys.push_back(node_name(j.c, node));
  return keys;
}

void join_keys(const Judgement& j, Together& sets) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i)
    for (const std::string& key : keys_of(j, i)) sets.join(i, first.try_emplace(key, i).first->second);
}

Wrong apart(const Judgement& j, Together& sets, const char* why) {
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i) {
    const std::size_t root = sets.of(i);
    if (device_of(j, i) != device_of(j, root))
      return fmt::format("'{}' is on {}, '{}' on {}, {}", node_name(j.c, i), device_of(j, i), node_name(j.c, root),
                         device_of(j, root), why);
  }
  return std::nullopt;
}

// ---- requests ----

struct RequestPart {
  bool task_only;
  [[nodiscard]] Name of(const std::string& text) const {
    Name n = *reference::parse(text);
    if (task_only) n.type.reset(), n.id.reset();
    return n;
  }
};

// Whether everything that a set of nodes asked for can be had at once.
bool agrees_with_itself(const Judgement& j, Together& sets, std::size_t root, RequestPart request) {
  Name all;
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i) {
    const CaseNode& n = j.c.nodes[i];
    if (sets.of(i) == root &&
        !reference::merge_into(all, request.of(n.assigned.empty() ? n.spec.device : n.assigned), Conflict::is_error))
      return false;
  }
  return true;
}

// Nodes whose group does not contradict itself get what they asked for. A reference or resource edge between nodes that
// disagree in anything gives the producer's whole request to the consumer (docs/rules/placer.md#C.3.1), so there
// everything has to agree.
Wrong request_ignored(const Judgement& j, RequestPart request) {
  Together sets(j.c.nodes.size()), by_edge(j.c.nodes.size());
  join_edges(j, sets);
  join_edges(j, by_edge);
  join_keys(j, sets);
  std::vector<char> has_edge(j.c.nodes.size());
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i)
    if (by_edge.of(i) != i) has_edge[sets.of(i)] = 1;
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i) {
    const CaseNode& n = j.c.nodes[i];
    if (!n.assigned.empty() || n.spec.device.empty()) continue;
    const std::size_t root = sets.of(i);
    if (!agrees_with_itself(j, sets, root, has_edge[root] ? RequestPart{false} : request)) continue;
    if (!reference::covers(request.of(n.spec.device), *reference::parse(device_of(j, i))))
      return fmt::format("'{}' asked for {} and is on {}", n.spec.name, n.spec.device, device_of(j, i));
  }
  return std::nullopt;
}

// ---- variants of a case ----

// Same answer, with devices compared by name; texts may list devices in another order.
Wrong differs(const Judgement& j, const PlacementCase& other, const char* what) {
  const StatusOr<PlacementAnswer> answer = ask_about(other, j.world, j.ask);
  if (!answer.ok()) return fmt::format("{}: the placer gave no answer: {}", what, text_of(answer.status()));
  if (answer->code != j.answer.code) {
    return fmt::format("{}: {} instead of {}{}{}", what, code_name(answer->code), code_name(j.answer.code),
                       answer->message.empty() ? "" : ": ", answer->message);
  }
  for (std::size_t i = 0; i < j.answer.place.size(); ++i)
    if (other.devices[answer->place[i]].name != device_of(j, i))
      return fmt::format("{}: '{}' is on {} instead of {}", what, node_name(j.c, i),
                         other.devices[answer->place[i]].name, device_of(j, i));
  return std::nullopt;
}

PlacementCase with_devices_reversed(PlacementCase c) {
  std::ranges::reverse(c.devices);
  return c;
}

PlacementCase with_answer_assigned(const Judgement& j) {
  PlacementCase c = j.c;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) c.nodes[i].assigned = device_of(j, i);
  return c;
}

// Every node's name gets a longer name, in the same order; keys that name nodes follow.
PlacementCase renamed(PlacementCase c) {
  const auto longer = [&](std::string_view name) {
    const bool known = std::ranges::any_of(c.nodes, [&](const CaseNode& n) { return n.spec.name == name; });
    return known ? fmt::format("z_{}", name) : std::string(name);
  };
  PlacementCase out = c;
  for (CaseNode& n : out.nodes) {
    for (std::string& input : n.spec.inputs) {
      const InputName in = parse_input(input);
      input = input_text(longer(in.node), in.slot);
    }
    if (const AttrList* old = n.spec.attrs.get<AttrList>("_class")) {
      AttrList list = *old;
      for (std::string& key : list.s)
        if (key.starts_with("loc:@")) key = "loc:@" + longer(key.substr(5));
      n.spec.attrs.set("_class", AttrValue(std::move(list)));
    }
    n.spec.name = longer(n.spec.name);
  }
  return out;
}

// The case with one more node that nobody knows, of an op that it has already; nullopt when it has none without inputs.
std::optional<PlacementCase> with_stranger(PlacementCase c) {
  const auto source = std::ranges::find_if(c.nodes, [](const CaseNode& n) { return n.spec.inputs.empty(); });
  if (source == c.nodes.end()) return std::nullopt;
  CaseNode stranger{source->spec, ""};
  stranger.spec.name = "stranger";
  stranger.spec.device.clear();
  stranger.spec.attrs.erase("_class");
  c.nodes.push_back(std::move(stranger));
  return c;
}

// ---- the properties ----

Wrong on_a_device_of_the_set(const Judgement& j) {
  for (std::size_t i = 0; i < j.answer.place.size(); ++i)
    if (j.answer.place[i] < 0 || j.answer.place[i] >= static_cast<int>(j.c.devices.size()))
      return fmt::format("'{}' is on device {} of {}", node_name(j.c, i), j.answer.place[i], j.c.devices.size());
  if (placed(j.answer) && j.answer.place.size() != j.c.nodes.size())
    return fmt::format("{} of {} nodes have a device", j.answer.place.size(), j.c.nodes.size());
  return std::nullopt;
}

Wrong kernel_exists(const Judgement& j) {
  if (!placed(j.answer)) return std::nullopt;
  const KernelRegistry own(j.c.kernels ? *j.c.kernels : std::vector<KernelDef>());
  const KernelRegistry& kernels = j.c.kernels ? own : j.world.tables.kernels;
  for (std::size_t i = 0; i < j.c.nodes.size(); ++i) {
    const CaseDevice& d = j.c.devices[j.answer.place[i]];
    const std::string type = d.type.empty() ? *reference::parse(d.name)->type : d.type;
    const auto serves = [&](const KernelDef& k) { return k.device_type == type || k.device_type == "DEFAULT"; };
    const auto known = kernels.of(j.c.nodes[i].spec.op);
    if (std::ranges::any_of(known, serves)) continue;
    if (!j.c.default_device.empty() && j.world.release >= Release::r1_15)
      continue;  // may be taken at its word on another task
    return fmt::format("'{}' ({}) is on {}, whose type {} has no kernel for it", node_name(j.c, i),
                       j.c.nodes[i].spec.op, d.name, type);
  }
  return std::nullopt;
}

Wrong request_respected_hard(const Judgement& j) {
  return !placed(j.answer) || j.c.soft ? std::nullopt : request_ignored(j, RequestPart{false});
}
Wrong task_respected_soft(const Judgement& j) {
  return !placed(j.answer) || !j.c.soft ? std::nullopt : request_ignored(j, RequestPart{true});
}

Wrong groups_together(const Judgement& j) {
  if (!placed(j.answer) || j.c.soft) return std::nullopt;
  Together sets(j.c.nodes.size());
  join_keys(j, sets);
  return apart(j, sets, "although they share a colocation group");
}

Wrong ref_edges_together(const Judgement& j) {
  if (!placed(j.answer)) return std::nullopt;
  Together sets(j.c.nodes.size());
  join_edges(j, sets);
  return apart(j, sets, "although a reference or resource goes from one to the other");
}

Wrong preassigned_never_moves(const Judgement& j) {
  for (std::size_t i = 0; placed(j.answer) && i < j.c.nodes.size(); ++i)
    if (!j.c.nodes[i].assigned.empty() && j.c.nodes[i].assigned != device_of(j, i))
      return fmt::format("'{}' was on {} and is on {}", node_name(j.c, i), j.c.nodes[i].assigned, device_of(j, i));
  return std::nullopt;
}

Wrong deterministic(const Judgement& j) {
  const StatusOr<PlacementAnswer> again = ask_about(j.c, j.world, j.ask);
  if (!again.ok()) return fmt::format("asked again, the placer gave no answer: {}", text_of(again.status()));
  if (*again == j.answer) return std::nullopt;
  return fmt::format("asked again, the placer answers differently:\n{}", to_text(j.c, &*again));
}

Wrong device_order_irrelevant(const Judgement& j) {
  return differs(j, with_devices_reversed(j.c), "with the devices in reverse order");
}

Wrong idempotent(const Judgement& j) {
  return placed(j.answer) ? differs(j, with_answer_assigned(j), "with its own answer assigned") : std::nullopt;
}

Wrong names_irrelevant(const Judgement& j) { return differs(j, renamed(j.c), "with other names in the same order"); }

Wrong stranger_irrelevant(const Judgement& j) {
  const std::optional<PlacementCase> more = with_stranger(j.c);
  if (!more) return std::nullopt;
  PlacementCase alone = *more;
  alone.nodes = {more->nodes.back()};
  const StatusOr<PlacementAnswer> own = ask_about(alone, j.world, j.ask);
  if (!own.ok() || !placed(*own)) return std::nullopt;  // it has no place at all
  return differs(j, *more, "with one more node, alone");
}

// A hard placement that succeeds relaxed nothing: soft must not change it.
Wrong soft_wherever_hard(const Judgement& j) {
  if (j.c.soft || !placed(j.answer)) return std::nullopt;
  PlacementCase soft = j.c;
  soft.soft = true;
  return differs(j, soft, "with soft placement");
}

Wrong error_names_a_node(const Judgement& j) {
  if (placed(j.answer) || j.answer.code == Code::kFailedPrecondition) return std::nullopt;
  if (j.answer.message.starts_with("Constraining by assigned device"))
    return std::nullopt;  // TensorFlow names devices only (docs/rules/placer.md#D15)
  if (std::ranges::any_of(j.c.nodes,
                          [&](const CaseNode& n) { return j.answer.message.find(n.spec.name) != std::string::npos; }))
    return std::nullopt;
  return fmt::format("the error names no node: {}", j.answer.message);
}

Wrong reference_agrees(const Judgement& j) {
  const PlacementAnswer theirs = reference_answer(j.c, j.g, j.world);
  if (theirs.code == j.answer.code && theirs.place == j.answer.place) return std::nullopt;
  return fmt::format("the reference answers otherwise:\n{}", to_text(j.c, &theirs));
}

}  // namespace

const std::vector<PlacementProperty>& placement_properties() {
  static const std::vector<PlacementProperty> all = {
      {"on_a_device_of_the_set", "Every node is on a device of the set.", on_a_device_of_the_set},
      {"kernel_exists", "Every node's op has a kernel for the type of its device.", kernel_exists},
      {"request_respected", "Hard placement: a node whose group does not contradict itself is where it asked to be.",
       request_respected_hard},
      {"task_respected", "Soft placement never changes the job, replica or task that a node asked for.",
       task_respected_soft},
      {"groups_together", "Hard placement: nodes of a colocation group are on one device.", groups_together},
      {"ref_edges_together", "A reference or resource never crosses devices.", ref_edges_together},
      {"preassigned_never_moves", "A node that has a device keeps it.", preassigned_never_moves},
      {"deterministic", "The same question gets the same answer.", deterministic},
      {"device_order_irrelevant", "The order of the device list changes nothing.", device_order_irrelevant},
      {"idempotent", "An answer, assigned, is its own answer.", idempotent},
      {"names_irrelevant", "Other names in the same order change nothing.", names_irrelevant},
      {"stranger_irrelevant", "A node that nobody knows changes nothing elsewhere.", stranger_irrelevant},
      {"soft_wherever_hard", "Where hard placement succeeds, soft placement gives the same answer.",
       soft_wherever_hard},
      {"error_names_a_node", "An error names a node of the graph.", error_names_a_node},
      {"reference_agrees", "An independent placer gives the same answer, and an error iff it does.", reference_agrees},
  };
  return all;
}

const PlacementProperty* find_property(std::string_view name) { return find_named(placement_properties(), name); }

}  // namespace tarry
