#include "properties/programs/shrink.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstring>
#include <map>

#include "properties/programs/shrink_passes.hpp"

namespace tarry {
namespace {

bool is_loop_switch(const Program& p, const NodeSpec& n) {
  return n.op == "Switch" &&
         std::ranges::any_of(p.nodes, [&](const NodeSpec& c) { return c.op == "LoopCond" && n.inputs[1] == c.name; });
}

bool is_loop_part(const Program& p, std::size_t i) {
  static constexpr const char* kParts[] = {"Enter", "NextIteration", "LoopCond"};
  const NodeSpec& n = p.nodes[i];
  return std::ranges::find(kParts, n.op) != std::end(kParts) || is_loop_switch(p, n) ||
         (n.op == "Merge" && n.inputs[1].starts_with("NextIteration"));
}

// Not there in every iteration, or in one too many: nothing in a loop may read it that did not.
bool is_fickle(const NodeSpec& n) {
  return n.op == "Merge" || n.op == "NextIteration" || (n.op == "Enter" && !*n.attrs.get<bool>("is_constant"));
}

// The node's first output read from somewhere else.
Program redirected(const Program& p, std::size_t node, const std::string& instead) {
  Program less = p;
  const std::string own = p.nodes[node].name, other(parse_input(instead).node);
  const auto redirect = [&](std::string& input) {
    if (input.starts_with('^') ? input.substr(1) == own : parse_input(input).node == own)
      input = input.starts_with('^') ? "^" + other : instead;
  };
  for (NodeSpec& n : less.nodes)
    for (std::string& input : n.inputs) redirect(input);
  for (std::string& f : less.fetches) {
    if (parse_input(f).node != own) continue;
    f = instead.find(':') == std::string::npos ? instead + ":0" : instead;
  }
  std::ranges::sort(less.fetches);
  less.fetches.erase(std::unique(less.fetches.begin(), less.fetches.end()), less.fetches.end());
  return pruned(less);
}

// What the loop of this Exit began with: Exit <- Switch <- Merge <- Enter <- that.
std::string beginning(const Program& p, const Positions& at, std::size_t exit) {
  std::size_t n = exit;
  for (int back = 0; back < 3; ++back) n = at.find(parse_input(p.nodes[n].inputs[0]).node)->second;
  return p.nodes[n].inputs[0];
}

// What may stand for a node: its own inputs, then the first nodes of its type. Nothing but an Exit reads the side of a
// Switch that leaves a loop.
std::vector<std::string> substitutes(const Program& p, const Facts& facts, const Positions& at, std::size_t node) {
  std::vector<std::string> found;
  const NodeSpec& n = p.nodes[node];
  if (n.op == "Exit") found.push_back(beginning(p, at, node));
  const auto fits = [&](std::size_t from, int slot) {
    const DataTypes& types = facts.types[from];
    return from < node && frame_after(p.nodes[from], facts.frame[from]) == frame_after(n, facts.frame[node]) &&
           std::cmp_less(slot, types.size()) && types[static_cast<std::size_t>(slot)] == facts.types[node][0];
  };
  for (const std::string& input : n.inputs) {
    const InputName in = parse_input(input);
    if (in.slot >= 0 && fits(at.find(in.node)->second, in.slot) && !is_fickle(p.nodes[at.find(in.node)->second]))
      found.push_back(input);
  }
  for (std::size_t i = 0, more = 0; i < node && more < 3; ++i)
    if (fits(i, 0) && !is_fickle(p.nodes[i]) && !is_loop_switch(p, p.nodes[i]) && ++more > 0)
      found.push_back(p.nodes[i].name);
  return found;
}

bool shorter_ways(const Program& p, const Each& each) {
  const auto facts = facts_of(p);
  if (!facts) return false;
  const auto at = positions(p);
  for (std::size_t i = p.nodes.size(); i-- > 0;) {
    if (facts->types[i].empty() || facts->types[i][0] == DataType::kResource || is_loop_part(p, i)) continue;
    for (const std::string& instead : substitutes(p, *facts, at, i)) {
      const Program less = redirected(p, i, instead);
      if (less.nodes.size() < p.nodes.size() && each(less)) return true;
    }
  }
  return false;
}

bool fewer_fetches(const Program& p, const Each& each) {
  for (std::size_t i = 0; p.fetches.size() > 1 && i < p.fetches.size(); ++i) {
    Program less = p;
    less.fetches.erase(less.fetches.begin() + static_cast<std::ptrdiff_t>(i));
    if (each(pruned(less))) return true;
  }
  return false;
}

// Another fetch instead: an input of what is fetched.
bool earlier_fetches(const Program& p, const Each& each) {
  const auto facts = facts_of(p);
  if (!facts) return false;
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    if (!frame_after(p.nodes[i], facts->frame[i]).empty() || facts->types[i].empty() ||
        facts->types[i][0] == DataType::kResource || is_ref(facts->types[i][0]))
      continue;
    Program less = p;
    less.fetches = {p.nodes[i].name + ":0"};
    less = pruned(less);
    if (less.nodes.size() < p.nodes.size() && each(less)) return true;
  }
  return false;
}

bool fewer_devices(const Program& p, const Each& each) {
  for (std::size_t d = p.devices.size(); d-- > 1;) {
    Program less = p;
    for (NodeSpec& n : less.nodes)
      if (n.device == p.devices[d]) n.device = p.devices[0];
    less.devices.erase(less.devices.begin() + static_cast<std::ptrdiff_t>(d));
    if (each(less)) return true;
  }
  return false;
}

// Handles and references do not leave their device: for each node the first of those that must stay together.
std::vector<std::size_t> homes(const Program& p) {
  const auto facts = facts_of(p);
  const auto at = positions(p);
  std::vector<std::size_t> rank(p.nodes.size()), parent(p.nodes.size()), home(p.nodes.size());
  boost::disjoint_sets sets(rank.data(), parent.data());
  for (std::size_t i = 0; i < p.nodes.size(); ++i) sets.make_set(i);
  for (std::size_t i = 0; facts && i < p.nodes.size(); ++i)
    for (const std::string& input : p.nodes[i].inputs) {
      const InputName in = parse_input(input);
      const std::size_t from = at.find(in.node)->second;
      if (in.slot < 0) continue;
      const DataType type = facts->types[from][static_cast<std::size_t>(in.slot)];
      if (type == DataType::kResource || is_ref(type)) sets.union_set(from, i);
    }
  for (std::size_t i = 0; i < p.nodes.size(); ++i) home[i] = sets.find_set(i);
  return home;
}

// A node moves to the first device, with all that must stay with it.
bool closer_nodes(const Program& p, const Each& each) {
  const std::vector<std::size_t> home = homes(p);
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    if (home[i] != i || p.nodes[i].device == p.devices[0]) continue;
    Program less = p;
    for (std::size_t k = 0; k < p.nodes.size(); ++k)
      if (home[k] == i) less.nodes[k].device = p.devices[0];
    if (each(less)) return true;
  }
  return false;
}

// In a loop a node's last input is what says where it is: it stays.
bool fewer_controls(const Program& p, const Each& each) {
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const std::vector<std::string>& inputs = p.nodes[i].inputs;
    for (std::size_t c = 0; inputs.size() > 1 && c < inputs.size(); ++c) {
      if (!inputs[c].starts_with('^')) continue;
      Program less = p;
      less.nodes[i].inputs.erase(less.nodes[i].inputs.begin() + static_cast<std::ptrdiff_t>(c));
      if (each(pruned(less))) return true;
    }
  }
  return false;
}

bool fewer_steps(const Program& p, const Each& each) {
  Program less = p;
  return std::exchange(less.steps, 1) > 1 && each(less);
}

bool smaller_numbers(const Program& p, const Each& each) {
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    const auto* parallel = p.nodes[i].attrs.get<std::int64_t>("parallel_iterations");
    const auto* value = p.nodes[i].attrs.get<std::shared_ptr<const TensorSpec>>("value");
    Program less = p;
    if (parallel != nullptr && *parallel > 1) {
      less = with_parallel_iterations(p, *parallel / 2);
      if (each(less)) return true;
    }
    std::int32_t number = 0;
    if (value == nullptr || (*value)->dtype != DataType::kInt32 || (*value)->content.size() != sizeof number) continue;
    std::memcpy(&number, (*value)->content.data(), sizeof number);
    if (number-- <= 0) continue;
    auto smaller = std::make_shared<TensorSpec>(**value);
    std::memcpy(smaller->content.data(), &number, sizeof number);
    less.nodes[i].attrs.set("value", AttrValue(std::shared_ptr<const TensorSpec>(smaller)));
    if (each(less)) return true;
  }
  return false;
}

}  // namespace

void for_each_smaller(const Program& p, const Each& each) {
  for (const auto pass :
       {earlier_fetches, fewer_fetches, shorter_ways, fewer_steps, fewer_devices, fewer_controls, closer_nodes,
        joined_variables, branches_for_loops, plain_constants, invariants_for_constants, smaller_numbers})
    if (pass(p, each)) return;
}

ShrunkProgram shrink(Program failing, const std::function<bool(const Program&)>& fails, std::uint64_t most) {
  if (Program less = pruned(failing); less.nodes.size() < failing.nodes.size() && fails(less))
    failing = std::move(less);
  return shrink_greedily(std::move(failing), fails, most);
}

}  // namespace tarry
