#include "properties/placement/reference.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "properties/placement/reference_run.hpp"

namespace tarry {
namespace reference {
namespace {

bool is_xla(std::string_view type) {
  static constexpr std::array kTypes = {"XLA_CPU_JIT", "XLA_GPU_JIT", "XLA_TPU_JIT", "XLA_CPU", "XLA_GPU", "TPU"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

}  // namespace

Reference::Reference(const PlacementCase& c, const Graph& g, const ReferenceTables& t)
    : case_(c),
      g_(g),
      tables_(t),
      assigned_text_(g.node_slots()),
      device_(g.node_slots(), -1),
      sets_(g.node_slots()),
      set_index_(g.node_slots()) {
  for (const CaseDevice& d : c.devices) {
    const Name parsed = *parse(d.name);
    places_.push_back({d.name, d.type.empty() ? *parsed.type : d.type, parsed});
    if (std::ranges::find(device_types_, places_.back().type) == device_types_.end())
      device_types_.push_back(places_.back().type);
  }
  for (const CaseNode& n : c.nodes) assigned_text_[g.find(n.spec.name).index()] = n.assigned;
  for (const NodeId n : g.op_nodes()) {
    set_index_[n.index()] = n.index();
    set_of(n).members = {n};
  }
}

// ---- kernels (docs/rules/placer.md#B.9) ----

// Higher first. Before 1.0: anything else, then GPU, then CPU.
int Reference::type_priority(std::string_view type) const {
  if (!since(Release::r1_12)) return type == "CPU" ? 1 : type == "GPU" ? 2 : 3;
  const auto it = tables_.type_priority.find(type);
  return it == tables_.type_priority.end() ? -1 : it->second;
}

bool Reference::serves(const KernelDef& k, NodeId n, std::string_view type, bool& differs) const {
  const std::string* label = g_.node(n).attrs.get<std::string>("_kernel");
  if (k.device_type != type || k.label != (label == nullptr ? "" : *label)) return false;
  for (const KernelConstraint& c : k.constraints) {
    const AttrValue* value = g_.node(n).attrs.find(c.attr);
    if (value == nullptr) fail(Code::kInvalidArgument);
    DataTypes asked;
    if (const auto* one = value->get<DataType>()) asked = {*one};
    if (const auto* list = value->get<AttrList>()) asked = list->type;
    for (const DataType t : asked)
      if (std::ranges::find(c.allowed.type, t) == c.allowed.type.end()) differs = true;
    if (std::ranges::any_of(asked,
                            [&](DataType t) { return std::ranges::find(c.allowed.type, t) == c.allowed.type.end(); }))
      return false;
  }
  return true;
}

const KernelDef* Reference::kernel(NodeId n, std::string_view type, bool& differs) const {
  const KernelDef* best = nullptr;
  bool tie = false;
  for (const KernelDef& k : tables_.kernels->of(g_.op_name(n))) {
    if (!serves(k, n, type, differs)) continue;
    if (best != nullptr && best->priority == k.priority) tie = true;
    if (best == nullptr || best->priority < k.priority) best = &k;
  }
  if (tie) fail(Code::kInvalidArgument);
  return best;
}

Types Reference::types_of(NodeId n) const {
  Types types;
  bool differs = false;
  for (const std::string& type : device_types_) {
    const KernelDef* k = kernel(n, type, differs);
    const bool symbolic = type.starts_with("XLA_") && type.ends_with("_JIT");
    if (k == nullptr && since(Release::r1_15) && !symbolic) k = kernel(n, "DEFAULT", differs);
    if (k != nullptr) types.push_back({type, since(Release::r1_15) ? k->priority : 0});
  }
  return types.empty() && !differs && since(Release::r1_15) ? remote_types(n) : types;
}

// A type asked for on another task is taken at its word.
Types Reference::remote_types(NodeId n) const {
  const auto asked = parse(g_.requested_device(n));
  if (case_.default_device.empty() || !asked) return {};
  const Name here = *parse(case_.default_device);
  const bool elsewhere = (asked->job && asked->job != here.job) || (asked->replica && asked->replica != here.replica) ||
                         (asked->task && asked->task != here.task);
  if (!elsewhere) return {};
  if (asked->type) return {{*asked->type, 0}};
  Types all;
  for (const std::string& type : device_types_) all.push_back({type, 0});
  return all;
}

// ---- sets ----

void Reference::start(NodeId n) {
  Set& set = set_of(n);
  set.types = types_of(n);
  if (assigned_text_[n.index()].empty()) return start_asked(n, set);
  start_assigned(n, set);
}

void Reference::start_assigned(NodeId n, Set& set) {
  const auto name = parse(assigned_text_[n.index()]);
  if (!name) fail(Code::kInternal);
  const auto at = std::ranges::find(places_, *name, &Place::parsed);
  if (at == places_.end()) fail(Code::kInternal);
  if (std::ranges::find(set.types, at->type, &Served::type) == set.types.end()) fail(Code::kInternal);
  device_[n.index()] = static_cast<int>(at - places_.begin());
  set.fixed = set.asked = *name;
}

void Reference::start_asked(NodeId n, Set& set) {
  if (set.types.empty()) fail(Code::kInvalidArgument);
  const auto name = parse(g_.requested_device(n));
  if (!name) fail(Code::kInvalidArgument);
  set.asked = *name;
  const bool makes = g_.input_count(n) == 0 && g_.output_count(n) == 1 &&
                     (is_ref(g_.output_type(n, 0)) || g_.output_type(n, 0) == DataType::kResource);
  if (makes) set.owned = *name;
}

Types Reference::common(const Types& root, const Types& child) const {
  const auto both = [](const Types& a, const Types& b) {
    Types kept;
    for (const Served& s : a)
      if (std::ranges::find(b, s.type, &Served::type) != b.end()) kept.push_back(s);
    return kept;
  };
  Types ours = both(root, child), theirs = both(child, root);
  if (!since(Release::r1_15)) return ours;
  const auto order = [&](Types& t) {
    std::ranges::sort(t, {}, [&](const Served& s) { return std::tuple(-s.priority, -type_priority(s.type), s.type); });
  };
  order(ours);
  order(theirs);
  const auto plain = [](const Types& t) {
    return std::ranges::all_of(t, [](const Served& s) { return s.priority == 0; });
  };
  if (plain(theirs)) return ours;
  if (plain(ours)) return theirs;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].type == theirs[i].type) continue;
    for (Served& s : ours) s.priority = 0;
    break;
  }
  return ours;
}

void Reference::absorb(std::size_t root, std::size_t child) {
  for (const NodeId n : sets_[child].members) set_index_[n.index()] = root;
  sets_[root].members.insert(sets_[root].members.end(), sets_[child].members.begin(), sets_[child].members.end());
  sets_[root].rank += sets_[root].rank == sets_[child].rank ? 1 : 0;
}

// False when the two cannot be together.
bool Reference::join(NodeId x, NodeId y) {
  const std::size_t a = set_index_[x.index()], b = set_index_[y.index()];
  if (a == b) return true;
  const bool x_is_root = sets_[a].rank >= sets_[b].rank;
  const std::size_t root = x_is_root ? a : b, child = x_is_root ? b : a;
  const bool joined =
      since(Release::r1_15) ? join_new(sets_[root], sets_[child]) : join_old(sets_[root], sets_[child], x_is_root);
  if (joined) absorb(root, child);
  return joined;
}

// 0.9 looks at the list that x's set had before: an empty intersection shows only when x's set goes on
// (docs/rules/placer.md#D8).
bool Reference::join_old(Set& root, const Set& child, bool x_is_root) {
  if (!merge_into(root.asked, child.asked, case_.soft ? Conflict::drops_field : Conflict::is_error)) return false;
  root.types = common(root.types, child.types);
  const bool looks = since(Release::r0_12) || x_is_root;
  return !looks || !root.types.empty();
}

// The names are merged before the types are looked at, and stay so (docs/rules/placer.md#Q14).
bool Reference::join_new(Set& root, const Set& child) const {
  Name fixed = root.fixed, owned = root.owned, asked = root.asked;
  if (!merge_into(fixed, child.fixed, Conflict::is_error)) return false;
  if (!merge_into(owned, child.owned, Conflict::is_error)) return false;
  if (!merge_into(asked, child.asked, case_.soft ? Conflict::drops_field : Conflict::is_error)) return false;
  root.asked = laid_over(laid_over(asked, fixed), owned);
  root.fixed = fixed;
  root.owned = owned;
  const Types types = common(root.types, child.types);
  if (types.empty()) return false;
  root.types = types;
  return true;
}

void Reference::join_keys(NodeId n) {
  std::vector<std::string> keys;
  if (const AttrList* entries = g_.node(n).attrs.get<AttrList>("_class"))
    for (const std::string& entry : entries->s)
      if (entry.starts_with("loc:@")) keys.push_back(entry.substr(5));
  if (keys.empty() || since(Release::r2_15)) keys.emplace_back(g_.name(n));
  for (const std::string& key : keys) {
    const auto [anchor, is_new] = anchors_.try_emplace(key, n);
    if (is_new || join(n, anchor->second)) continue;
    if (!(since(Release::r1_15) && case_.soft)) fail(Code::kInvalidArgument);
  }
}

// ---- edges ----

bool Reference::ties(const Edge& e) const {
  if (!e.alive || e.is_control()) return false;
  const DataType type = g_.input_type(e.dst, e.dst_slot);
  return is_ref(type) || (since(Release::r0_12) && type == DataType::kResource);
}

void Reference::join_edges() {
  if (since(Release::r1_12)) {
    for (std::size_t i = 0; i < g_.edge_slots(); ++i)
      if (ties(g_.edge(EdgeId{i}))) join_edge(g_.edge(EdgeId{i}));
    return;
  }
  for (const NodeId n : g_.op_nodes())
    for (const EdgeId e : g_.in_edges(n))
      if (ties(g_.edge(e))) join_edge(g_.edge(e));
}

void Reference::join_edge(const Edge& e) {
  since(Release::r1_15) ? reconcile_names(e) : override_request(e);
  if (!join(e.src, e.dst)) fail(Code::kInvalidArgument);
}

void Reference::reconcile_names(const Edge& e) {
  const Set& src = set_of(e.src);
  Set& dst = set_of(e.dst);
  const auto compatible = [&](const Name& a, const Name& b) {
    return since(Release::r2_15) ? overlap(a, b) : covers(a, b) || covers(b, a);
  };
  if (!compatible(src.fixed, dst.fixed) || !compatible(src.owned, dst.owned)) fail(Code::kInvalidArgument);
  if (!compatible(src.asked, dst.asked)) dst.asked = laid_over(laid_over(src.asked, dst.fixed), dst.owned);
}

void Reference::override_request(const Edge& e) {
  Set& src = set_of(e.src);
  Set& dst = set_of(e.dst);
  if (src.asked.is_blank() || dst.asked.is_blank()) return;
  const bool less = covers(src.asked, dst.asked), more = covers(dst.asked, src.asked);
  if (!less && !more && since(Release::r1_12)) check_other_inputs(e);
  if (less && !more)
    src.asked = dst.asked;
  else
    dst.asked = src.asked;
}

// 1.10-1.13: an op whose other references live elsewhere is refused.
void Reference::check_other_inputs(const Edge& e) {
  const Name& here = set_of(e.src).asked;
  for (const EdgeId id : g_.in_edges(e.dst)) {
    const Edge& other = g_.edge(id);
    if (!ties(other) || other.src == e.src) continue;
    const Name& there = set_of(other.src).asked;
    if (!there.is_blank() && !covers(there, here) && !covers(here, there)) fail(Code::kInvalidArgument);
  }
}

void Reference::drop_xla() {
  const auto names_xla = [](const Name& n) { return n.type && is_xla(*n.type); };
  for (const NodeId n : g_.op_nodes()) {
    Set& set = set_of(n);
    if (names_xla(set.fixed) || names_xla(set.owned) || names_xla(set.asked)) continue;
    Types rest;
    for (const Served& s : set.types)
      if (!is_xla(s.type)) rest.push_back(s);
    if (!rest.empty()) set.types = rest;
  }
}

std::vector<int> Reference::run() {
  if (places_.empty()) fail(Code::kFailedPrecondition);
  const std::vector<NodeId> nodes = g_.op_nodes();
  const bool keys_at_once = !since(Release::r1_12);  // until 1.3
  for (const NodeId n : nodes) {
    start(n);
    if (keys_at_once) join_keys(n);
  }
  if (since(Release::r1_15)) join_edges();
  if (!keys_at_once)
    for (const NodeId n : nodes) join_keys(n);
  if (!since(Release::r1_15)) join_edges();
  if (since(Release::r2_15)) drop_xla();
  assign_all();
  std::vector<int> placed;
  for (const CaseNode& n : case_.nodes) placed.push_back(device_[g_.find(n.spec.name).index()]);
  return placed;
}

}  // namespace reference

PlacementAnswer reference_place(const PlacementCase& c, const Graph& g, const ReferenceTables& tables) {
  try {
    return {Code::kOk, "", reference::Reference(c, g, tables).run()};
  } catch (const reference::Failed& f) {
    return {f.code, "", {}};
  }
}

}  // namespace tarry
