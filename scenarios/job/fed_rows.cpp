#include "scenarios/job/fed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "placer/graph/types.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

// An op whose outputs hold the numbers of its inputs, or what comes from these alone.
struct HandsOn {
  std::string_view op;
  int input = 0, output = 0;  // which ones; kAll = all of them
};
constexpr int kAll = -1;
constexpr HandsOn kHandOn[] = {{"Cast"},
                               {"Concat", kAll},
                               {"ConcatV2", kAll},
                               {"DynamicPartition", 0, kAll},
                               {"Enter"},
                               {"ExpandDims"},
                               {"FloorDiv"},
                               {"FloorMod"},
                               {"Identity"},
                               {"Mod"},
                               {"Pack", kAll},
                               {"Reshape"},
                               {"Slice"},
                               {"SparseFillEmptyRows", 1, 1},
                               {"Squeeze"},
                               {"StridedSlice"},
                               {"Switch", 0, kAll},
                               {"Transpose"},
                               {"Unique"},
                               {"Unpack", 0, kAll}};

// "a:1", also of an input that is written as "a".
std::string tensor_named(std::string_view input) {
  return input.find(':') == std::string_view::npos ? std::string(input) + ":0" : std::string(input);
}

bool reads_rows(std::string_view op) { return op == "Gather" || op == "GatherV2" || op == "ResourceGather"; }

// "table" of "table/part_3", which is a part of a partitioned variable; else the name.
std::string_view whole_of(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  constexpr std::string_view kPart = "/part_";
  const std::string_view stem = name.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return stem.size() < name.size() && stem.ends_with(kPart) ? stem.substr(0, stem.size() - kPart.size()) : name;
}

class Reader {
 public:
  explicit Reader(const GraphSpec& graph) : graph_(graph) {
    for (const NodeSpec& n : graph.nodes) {
      nodes_.emplace(n.name, &n);
      for (std::size_t i = 0; i < n.inputs.size(); ++i)
        if (!is_control(n.inputs[i])) uses_[tensor_named(n.inputs[i])].push_back({&n, static_cast<int>(i)});
    }
  }

  // The variables of which a tensor's numbers choose rows.
  [[nodiscard]] std::set<std::string_view> read_by(const std::string& tensor) const {
    std::set<std::string_view> variables;
    std::set<std::string> seen;
    std::vector<std::string> todo{tensor_named(tensor)};
    while (!todo.empty()) {
      const auto users = uses_.find(todo.back());
      todo.pop_back();
      if (users == uses_.end()) continue;
      for (const Use& use : users->second) {
        if (const NodeSpec* v = variable_read(use)) variables.insert(v->name);
        for (std::string& next : handed_on(use))
          if (seen.insert(next).second) todo.push_back(std::move(next));
      }
    }
    return variables;
  }

  // By way of what hands it on; "" of a variable that is whole, too.
  [[nodiscard]] std::string table_in_parts(std::string_view node) const {
    auto it = nodes_.find(node);
    const auto hands_on = [&] {
      return it != nodes_.end() && it->second->op == "Identity" && !it->second->inputs.empty();
    };
    for (std::size_t left = nodes_.size(); left > 0 && hands_on(); --left)  // they may go round
      it = nodes_.find(node_of(it->second->inputs[0]));
    if (it == nodes_.end() || !reads_rows(it->second->op) || it->second->inputs.empty()) return "";
    const NodeSpec* variable = variable_behind(it->second->inputs[0]);
    const bool is_part = variable != nullptr && whole_of(variable->name) != variable->name;
    return is_part ? std::string(whole_of(variable->name)) : "";
  }

  [[nodiscard]] const NodeSpec* first_of(const std::set<std::string_view>& names) const {
    const auto it = std::ranges::find_if(graph_.nodes, [&](const NodeSpec& n) { return names.contains(n.name); });
    return it == graph_.nodes.end() ? nullptr : &*it;
  }

  // With those of the variable's other parts.
  [[nodiscard]] std::int64_t rows_of(const NodeSpec& variable) const {
    std::int64_t rows = 0;
    for (const NodeSpec& n : graph_.nodes) {
      if (!is_variable(n) || whole_of(n.name) != whole_of(variable.name)) continue;
      const auto* shape = n.attrs.get<Shape>("shape");
      if (shape == nullptr || !shape->fully_known() || shape->rank() == 0) return 0;
      rows += shape->dims[0];
    }
    return rows;
  }

 private:
  struct Use {
    const NodeSpec* by;
    int input;
  };

  [[nodiscard]] const NodeSpec* variable_read(const Use& use) const {
    return reads_rows(use.by->op) && use.input == 1 ? variable_behind(use.by->inputs[0]) : nullptr;
  }

  // The tensors that somebody uses and that hold the numbers, too.
  [[nodiscard]] std::vector<std::string> handed_on(const Use& use) const {
    std::vector<std::string> out;
    const auto* row = std::ranges::find(kHandOn, use.by->op, &HandsOn::op);
    if (row == std::end(kHandOn) || (row->input != kAll && row->input != use.input)) return out;
    if (row->output != kAll) return {fmt::format("{}:{}", use.by->name, row->output)};
    const std::string first = use.by->name + ":";
    for (auto it = uses_.lower_bound(first); it != uses_.end() && it->first.starts_with(first); ++it)
      out.push_back(it->first);
    return out;
  }

  // By way of what only reads or hands it on; null = another op's output.
  [[nodiscard]] const NodeSpec* variable_behind(std::string input) const {
    static const std::set<std::string_view> kReads{"Identity", "Enter",     "RefEnter",
                                                   "Switch",   "RefSwitch", "ReadVariableOp"};
    constexpr int kMostHops = 64;
    for (int hops = 0; hops < kMostHops; ++hops) {
      const auto it = nodes_.find(node_of(input));
      if (it == nodes_.end()) return nullptr;
      const NodeSpec& n = *it->second;
      if (is_variable(n)) return &n;
      if (!kReads.contains(n.op) || n.inputs.empty()) return nullptr;
      input = n.inputs[0];
    }
    return nullptr;
  }

  const GraphSpec& graph_;
  std::map<std::string_view, const NodeSpec*> nodes_;
  std::map<std::string, std::vector<Use>> uses_;
};

// Whole numbers that are fed, with values, and not as another feed says.
bool is_zeros(const Feed& feed) {
  return feed.values == nullptr && feed.like.empty() && !feed.optional &&
         (feed.dtype == DataType::kInt32 || feed.dtype == DataType::kInt64) && feed.shape.elements() <= kKnownIntegers;
}

}  // namespace

std::string table_in_parts(const GraphSpec& graph, std::string_view node) { return Reader(graph).table_in_parts(node); }

FedRows rows_by_zeros(const ClientProgram& program) {
  FedRows out;
  if (std::ranges::none_of(program.feeds, is_zeros)) return out;
  const Reader reader(*program.graph);
  std::set<std::string_view> variables;
  for (const Feed& feed : program.feeds) {
    if (!is_zeros(feed)) continue;
    const std::set<std::string_view> read = reader.read_by(feed.tensor);
    if (!read.empty()) out.tensors.push_back(feed.tensor);
    variables.insert(read.begin(), read.end());
  }
  if (const NodeSpec* v = reader.first_of(variables)) out.variable = v->name, out.rows = reader.rows_of(*v);
  return out;
}

}  // namespace tarry
