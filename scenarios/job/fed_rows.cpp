#include "scenarios/job/fed_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "placer/graph/types.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

// What these give out are the numbers that they take in, or come from these alone.
bool hands_on_numbers(std::string_view op) {
  static const std::set<std::string_view> kOps{"Cast",
                                               "Concat",
                                               "ConcatV2",
                                               "DynamicPartition",
                                               "Enter",
                                               "ExpandDims",
                                               "FloorDiv",
                                               "FloorMod",
                                               "Identity",
                                               "Mod",
                                               "Pack",
                                               "Reshape",
                                               "SparseFillEmptyRows",
                                               "Slice",
                                               "Squeeze",
                                               "StridedSlice",
                                               "Switch",
                                               "Transpose",
                                               "Unique",
                                               "Unpack"};
  return kOps.contains(op);
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
        if (!is_control(n.inputs[i])) uses_[std::string(node_of(n.inputs[i]))].push_back({&n, i});
    }
  }

  // The variables of which a tensor's numbers choose rows.
  [[nodiscard]] std::set<std::string_view> read_by(const std::string& tensor) const {
    std::set<std::string_view> variables, seen;
    std::vector<std::string> todo{std::string(node_of(tensor))};
    while (!todo.empty()) {
      const auto users = uses_.find(todo.back());
      todo.pop_back();
      if (users == uses_.end()) continue;
      for (const auto& [user, input] : users->second) {
        if (reads_rows(user->op) && input == 1) {
          if (const NodeSpec* v = variable_behind(user->inputs[0])) variables.insert(v->name);
        } else if (hands_on_numbers(user->op) && seen.insert(user->name).second) {
          todo.push_back(user->name);
        }
      }
    }
    return variables;
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
    std::size_t input;
  };

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

// Whole ones, that are not those of another feed.
bool is_zeros(const Feed& feed) {
  return feed.values == nullptr && feed.like.empty() &&
         (feed.dtype == DataType::kInt32 || feed.dtype == DataType::kInt64);
}

}  // namespace

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
