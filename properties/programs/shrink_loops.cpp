// The shrinker's steps inside loops.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "properties/programs/shrink_passes.hpp"

namespace tarry {
namespace {

const NodeSpec& producer(const Program& p, const Positions& at, const NodeSpec& n, std::size_t input) {
  return p.nodes[at.find(parse_input(n.inputs[input]).node)->second];
}

bool is_loop_merge(const Program& p, const Positions& at, const NodeSpec& n) {
  return n.op == "Merge" && producer(p, at, n, 1).op == "NextIteration";
}

// A variable of a loop: Enter -> Merge -> Switch -> ... -> NextIteration -> Merge.
struct LoopVariable {
  std::size_t merge;
  const NodeSpec* leaves = nullptr;  // the Switch, if any
};

std::vector<LoopVariable> variables_of(const Program& p, const Positions& at) {
  std::vector<LoopVariable> all;
  for (std::size_t i = 0; i < p.nodes.size(); ++i)
    if (is_loop_merge(p, at, p.nodes[i])) all.push_back({i});
  for (LoopVariable& v : all)
    for (const NodeSpec& n : p.nodes)
      if (n.op == "Switch" && n.inputs[0] == p.nodes[v.merge].name) v.leaves = &n;
  return all;
}

// Only the Merge of a loop reads what comes later.
class Sorter {
 public:
  explicit Sorter(const Program& p) : p_(p), at_(positions(p)), is_done_(p.nodes.size()) {}
  Program sorted() {
    Program out = p_;
    out.nodes.clear();
    for (std::size_t i = 0; i < p_.nodes.size(); ++i) visit(i, out.nodes);
    return out;
  }

 private:
  void visit(std::size_t i, std::vector<NodeSpec>& out) {
    if (std::exchange(is_done_[i], 1) != 0) return;
    const NodeSpec& n = p_.nodes[i];
    const std::size_t now = is_loop_merge(p_, at_, n) ? 1 : n.inputs.size();
    for (std::size_t k = 0; k < now; ++k) visit(at_.find(parse_input(n.inputs[k]).node)->second, out);
    out.push_back(n);
  }

  const Program& p_;
  Positions at_;
  std::vector<char> is_done_;
};

Program tidied(const Program& p) { return pruned(Sorter(p).sorted()); }

using Renames = std::map<std::string, std::string, std::less<>>;

// Every input goes through `to`, which gives what to read instead, with the same slot: a node's name, or an input text
// that has a slot of its own.
Program rewired(Program p, const Renames& to) {
  const auto rewire = [&](std::string& input) {
    const bool is_control = input.starts_with('^');
    const InputName in = parse_input(input);
    const auto it = to.find(in.node);
    if (it == to.end()) return;
    const bool has_slot = it->second.find(':') != std::string::npos;
    if (is_control)
      input = "^" + std::string(parse_input(it->second).node);
    else
      input = has_slot || in.slot == 0 ? it->second : fmt::format("{}:{}", it->second, in.slot);
  };
  for (NodeSpec& n : p.nodes) std::ranges::for_each(n.inputs, rewire);
  return p;
}

std::vector<const NodeSpec*> loop_conds(const Program& p) {
  std::vector<const NodeSpec*> all;
  for (const NodeSpec& n : p.nodes)
    if (n.op == "LoopCond") all.push_back(&n);
  return all;
}

// An Exit hands on what the Switch kept, or what the body has made of it.
void exit_through_merge(NodeSpec& exit, const std::string& from_body) {
  exit.op = "Merge";
  exit.inputs = {exit.inputs[0], from_body};
  exit.attrs.set("N", std::int64_t{2});
}

// nullopt for a loop that no variable leaves.
std::optional<Program> with_branch(const Program& p, const Positions& at, const NodeSpec& loop_cond) {
  Renames to;
  Renames made;  // by the name of a Switch: what its body made
  const auto frame_of = [&](const LoopVariable& v) {
    return *producer(p, at, p.nodes[v.merge], 0).attrs.get<std::string>("frame_name");
  };
  const std::vector<LoopVariable> all = variables_of(p, at);
  const auto first = std::ranges::find_if(
      all, [&](const LoopVariable& v) { return v.leaves != nullptr && v.leaves->inputs[1] == loop_cond.name; });
  if (first == all.end()) return std::nullopt;
  const std::string frame = frame_of(*first);
  for (const LoopVariable& v : all) {
    if (frame_of(v) != frame) continue;
    const NodeSpec& merge = p.nodes[v.merge];
    to[merge.name] = producer(p, at, merge, 0).inputs[0];
    if (v.leaves != nullptr) made[v.leaves->name] = producer(p, at, merge, 1).inputs[0];
  }
  for (const NodeSpec& n : p.nodes)
    if (n.op == "Enter" && *n.attrs.get<bool>("is_constant") && *n.attrs.get<std::string>("frame_name") == frame)
      to[n.name] = n.inputs[0];
  to[loop_cond.name] = loop_cond.inputs[0];
  Program less = p;
  for (NodeSpec& n : less.nodes)
    if (n.op == "Exit")
      if (const auto it = made.find(parse_input(n.inputs[0]).node); it != made.end()) exit_through_merge(n, it->second);
  return tidied(rewired(std::move(less), to));
}

template <class T>
AttrValue scalar(DataType type, T value) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = type;
  t->content.assign(reinterpret_cast<const char*>(&value), sizeof value);
  return std::shared_ptr<const TensorSpec>(std::move(t));
}

std::vector<AttrValue> some_scalars(DataType type) {
  if (type == DataType::kBool) return {scalar(type, false), scalar(type, true)};
  if (type == DataType::kInt32) return {scalar(type, std::int32_t{0}), scalar(type, std::int32_t{1})};
  return {};
}

bool is_computed(const NodeSpec& n) {
  static constexpr std::array kNot = {"Const", "Enter", "Exit", "NextIteration", "LoopCond", "Merge", "Switch"};
  return std::ranges::find(kNot, n.op) == kNot.end();
}

// In a loop a constant's control input says where it is.
NodeSpec constant_for(const NodeSpec& n, bool is_in_loop, DataType type, const AttrValue& value) {
  NodeSpec c{n.name, "Const", n.device, {}, {{"dtype", type}, {"value", value}}};
  if (is_in_loop) c.inputs.push_back("^" + std::string(parse_input(n.inputs[0]).node));
  return c;
}

// The constant c moves outside, where the Enter e reads it for all that read c.
Program with_invariant(Program p, std::size_t c, std::size_t e) {
  const std::string constant = p.nodes[c].name, enter = p.nodes[e].name;
  p = rewired(std::move(p), {{constant, enter}});
  p.nodes[c].inputs.clear();
  p.nodes[e].inputs = {constant};
  return tidied(p);
}

bool is_in_loop_constant(const NodeSpec& n, const std::string& frame) {
  return n.op == "Const" && !n.inputs.empty() && !frame.empty();
}

}  // namespace

bool joined_variables(const Program& p, const Each& each) {
  const auto facts = facts_of(p);
  const std::vector<LoopVariable> all = variables_of(p, positions(p));
  const auto may_join = [&](const LoopVariable& a, const LoopVariable& b) {
    return a.merge != b.merge && facts->frame[a.merge] == facts->frame[b.merge] &&
           facts->types[a.merge][0] == facts->types[b.merge][0] && (a.leaves == nullptr || b.leaves != nullptr);
  };
  const auto joined = [&](const LoopVariable& a, const LoopVariable& b) {
    Renames to = {{p.nodes[a.merge].name, p.nodes[b.merge].name}};
    if (a.leaves != nullptr) to[a.leaves->name] = b.leaves->name;
    return tidied(rewired(p, to));
  };
  for (std::size_t i = 0; facts && i < all.size(); ++i)
    for (std::size_t k = 0; k < all.size(); ++k)
      if (may_join(all[i], all[k]) && each(joined(all[i], all[k]))) return true;
  return false;
}

bool branches_for_loops(const Program& p, const Each& each) {
  const auto at = positions(p);
  return std::ranges::any_of(loop_conds(p), [&](const NodeSpec* loop) {
    const auto less = with_branch(p, at, *loop);
    return less && each(*less);
  });
}

bool plain_constants(const Program& p, const Each& each) {
  const auto facts = facts_of(p);
  for (std::size_t i = 0; facts && i < p.nodes.size(); ++i) {
    if (!is_computed(p.nodes[i]) || facts->types[i].size() != 1) continue;
    for (const AttrValue& value : some_scalars(facts->types[i][0])) {
      Program less = p;
      less.nodes[i] = constant_for(p.nodes[i], !facts->frame[i].empty(), facts->types[i][0], value);
      if (each(pruned(less))) return true;
    }
  }
  return false;
}

bool invariants_for_constants(const Program& p, const Each& each) {
  const auto facts = facts_of(p);
  for (std::size_t c = 0; facts && c < p.nodes.size(); ++c) {
    if (!is_in_loop_constant(p.nodes[c], facts->frame[c])) continue;
    for (std::size_t e = 0; e < p.nodes.size(); ++e) {
      const NodeSpec& enter = p.nodes[e];
      if (enter.op != "Enter" || !*enter.attrs.get<bool>("is_constant") ||
          frame_after(enter, facts->frame[e]) != facts->frame[c] || facts->types[e] != facts->types[c])
        continue;
      if (facts->frame[e].empty() && each(with_invariant(p, c, e))) return true;
    }
  }
  return false;
}

}  // namespace tarry
