#include "properties/placement/grow.hpp"

#include <cctype>

namespace tarry {
namespace {

struct Output {
  std::size_t node;
  int slot;
  DataType type;  // references as reference types
};

class Grower {
 public:
  Grower(const Alphabet& alphabet, Random& random) : alphabet_(alphabet), random_(random) {}

  std::vector<CaseNode> grow(std::uint64_t count) {
    nodes_.reserve(count + 8);
    while (nodes_.size() < count) {
      if (alphabet_.has_loops() && count - nodes_.size() >= 7 && random_.chance(1, 4))
        add_loop(count, 0);
      else if (alphabet_.has_loops() && count - nodes_.size() >= 3 && random_.chance(1, 12))
        add_free_cycle();
      else
        add_any();
    }
    return std::move(nodes_);
  }

 private:
  std::size_t add(const OpDef& op, std::vector<std::string> inputs, std::vector<AttrEntry> attrs) {
    std::string name;
    for (const char c : op.name)
      if (std::isupper(static_cast<unsigned char>(c)) != 0)
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    name += std::to_string(nodes_.size());
    add_controls(op.name, inputs);
    nodes_.push_back(
        {{.name = std::move(name), .op = op.name, .inputs = std::move(inputs), .attrs = Attrs(std::move(attrs))}, ""});
    return nodes_.size() - 1;
  }

  // A Merge waits in vain for a NextIteration by control edge: the importer refuses that.
  void add_controls(std::string_view op, std::vector<std::string>& inputs) {
    if (nodes_.empty() || !random_.chance(1, 12)) return;
    const NodeSpec& source = nodes_[random_.below(nodes_.size())].spec;
    if (op != "Merge" || source.op != "NextIteration") inputs.push_back("^" + source.name);
  }

  void add_outputs(std::size_t node, const OpDef& op) {
    DataTypes types;
    if (!argument_types(op.outputs, nodes_[node].spec.attrs, types).ok()) return;
    for (std::size_t slot = 0; slot < types.size(); ++slot)
      outputs_.push_back({node, static_cast<int>(slot), types[slot]});
  }

  [[nodiscard]] std::string text(const Output& o) const {
    return o.slot == 0 ? nodes_[o.node].spec.name : input_text(nodes_[o.node].spec.name, o.slot);
  }

  // A random output that an input of this type takes; nullptr when there is none. A value is read from a reference as
  // well.
  const Output* pick(DataType type) {
    if (outputs_.empty()) return nullptr;
    const std::size_t first = random_.chance(1, 2)
                                  ? random_.below(outputs_.size())
                                  : outputs_.size() - 1 - random_.below(std::min<std::size_t>(4, outputs_.size()));
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Output& o = outputs_[(first + i) % outputs_.size()];
      if (o.type == type || (!is_ref(type) && is_ref(o.type) && base_type(o.type) == type)) return &o;
    }
    return nullptr;
  }

  void add_any() {
    for (int tries = 0; tries < 8; ++tries)
      if (const std::size_t nth = random_.below(alphabet_.ops().size());
          !alphabet_.is_loop_part(nth) && try_op(*alphabet_.ops()[nth]))
        return;
    const OpDef* source = alphabet_.find("TestCPUGPUOutput");
    add_outputs(add(*source, {}, {}), *source);
  }

  bool try_op(const OpDef& op) {
    const DataType type = random_.chance(1, 4) ? DataType::kInt32 : DataType::kFloat;
    std::vector<AttrEntry> attrs;
    for (const AttrDef& a : op.attrs)
      if (a.type == "type" && !a.default_value) attrs.emplace_back(a.name, AttrValue(type));
    DataTypes wanted;
    if (!argument_types(op.inputs, Attrs(attrs), wanted).ok()) return false;
    std::vector<std::string> inputs;
    for (const DataType t : wanted) {
      const Output* o = pick(t);
      if (o == nullptr) return false;
      inputs.push_back(text(*o));
    }
    add_outputs(add(op, std::move(inputs), std::move(attrs)), op);
    return true;
  }

  std::string a_float() {
    const Output* o = pick(DataType::kFloat);
    if (o != nullptr) return text(*o);
    const OpDef* source = alphabet_.find("TestCPUGPUOutput");
    add_outputs(add(*source, {}, {}), *source);
    return text(outputs_.back());
  }

  std::size_t add_named(const char* op, std::vector<std::string> inputs, std::vector<AttrEntry> more = {}) {
    if (op != std::string_view("LoopCond")) more.emplace_back("T", AttrValue(DataType::kFloat));
    return add(*alphabet_.find(op), std::move(inputs), std::move(more));
  }
  const std::string& name(std::size_t node) { return nodes_[node].spec.name; }

  // A loop as while_loop builds it, with a body of random nodes, perhaps with a loop in it.
  void add_loop(std::uint64_t count, int depth) {
    const std::string frame = fmt::format("frame{}", frames_++);
    const std::size_t enter = add_named("Enter", {a_float()}, {{"frame_name", AttrValue(frame)}});
    const std::size_t merge = add_named("Merge", {name(enter), name(enter)}, {{"N", AttrValue(std::int64_t{2})}});
    const std::size_t limit =
        add_named("Enter", {a_float()}, {{"frame_name", AttrValue(frame)}, {"is_constant", AttrValue(true)}});
    const std::size_t less = add_named("Less", {name(merge), name(limit)});
    const std::size_t cond = add_named("LoopCond", {name(less)});
    const std::size_t split = add_named("Switch", {name(merge), name(cond)});
    outputs_.push_back({split, 1, DataType::kFloat});
    if (depth < 3 && nodes_.size() + 2 < count && random_.chance(1, 3)) add_loop(count, depth + 1);
    for (std::uint64_t i = random_.below(3); i > 0; --i) add_any();
    const std::size_t next = add_named("NextIteration", {a_float()});
    nodes_[merge].spec.inputs[1] = name(next);
    outputs_.push_back({add_named("Exit", {name(split)}), 0, DataType::kFloat});
  }

  // A cycle that no frame owns: Merge takes what comes out behind it.
  void add_free_cycle() {
    const std::size_t merge = add_named("Merge", {a_float(), a_float()}, {{"N", AttrValue(std::int64_t{2})}});
    outputs_.push_back({merge, 0, DataType::kFloat});
    add_any();
    nodes_[merge].spec.inputs[1] = name(add_named("NextIteration", {a_float()}));
  }

  const Alphabet& alphabet_;
  Random& random_;
  std::vector<CaseNode> nodes_;
  std::vector<Output> outputs_;
  int frames_ = 0;
};

}  // namespace

std::vector<CaseNode> grow_nodes(const Alphabet& alphabet, std::uint64_t count, Random& random) {
  return Grower(alphabet, random).grow(count);
}

}  // namespace tarry
