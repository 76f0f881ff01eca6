// A written graph that is being changed: nodes by name, and new names made unique as TensorFlow's clients make them.
//
// Adding a node marks its control inputs with `_has_manual_control_dependencies`, as Graph.control_dependencies does.
// take() removes the mark from nodes that no longer control any node.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "placer/graph/spec.hpp"

namespace tarry {

inline constexpr char kManualControl[] = "_has_manual_control_dependencies";

class GraphEditor {
 public:
  explicit GraphEditor(const GraphSpec& graph);

  [[nodiscard]] bool has(std::string_view name) const { return index_.contains(name); }
  [[nodiscard]] bool had(std::string_view name) const { return erased_.contains(name) && !has(name); }
  // REQUIRES: has(name). The reference stays valid while other nodes are added and erased; only rename_scope() may
  // change the node's name.
  [[nodiscard]] NodeSpec& at(std::string_view name) { return nodes_[place(name)]; }
  [[nodiscard]] const NodeSpec& at(std::string_view name) const { return nodes_[place(name)]; }
  // The names of all nodes, in order of creation.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::string> names_under(std::string_view scope) const;  // "a" gives all a/..., sorted
  // "Fill" while neither a node nor a scope has that name, then "Fill_1".
  [[nodiscard]] std::string unique_name(std::string_view wanted) const;

  // Adds the node under a name that is made unique, and returns the name.
  std::string add(NodeSpec node);
  // Adds the node under its own name, in the place of an erased node that had the name. REQUIRES: no node has the name.
  std::string insert(NodeSpec node);
  void erase(std::string_view name);
  // Renames `from`, if it is there, and all nodes under it, wherever their names are used: as inputs, and in `_class`.
  void rename_scope(const std::string& from, const std::string& to);
  // Every data or control input that names `from` (a node; any output of it) is given to `change`.
  void replace_inputs(const std::function<void(NodeSpec& consumer, std::string& input)>& change);

  [[nodiscard]] GraphSpec take();

 private:
  [[nodiscard]] std::size_t place(std::string_view name) const;
  [[nodiscard]] bool is_taken(const std::string& name) const;    // by a node or a scope
  [[nodiscard]] int free_number(std::string_view wanted) const;  // of "Fill", 1 of "Fill_1", 0 of itself
  void forget_number(std::string_view name);                     // it, or its scope, may be free now

  GraphSpec rest_;              // versions and functions
  std::deque<NodeSpec> nodes_;  // an erased node has an empty name
  std::map<std::string, std::size_t, std::less<>> index_, erased_;
  std::map<std::string, int, std::less<>> first_free_;  // names with lower numbers are taken
  std::set<std::size_t> inserted_;
  std::set<std::string> released_;  // control inputs of nodes that were erased
};

// The node that makes a tensor, looked for through any number of Identity nodes; "" where they lead nowhere.
[[nodiscard]] std::string maker_of(const GraphEditor& g, std::string_view tensor);

// ---- parts of a node ----

// "a" of "a", "a:1" and "^a".
[[nodiscard]] std::string_view node_of(std::string_view input);
[[nodiscard]] inline bool is_control(std::string_view input) { return input.starts_with('^'); }
[[nodiscard]] std::vector<std::string> data_inputs(const NodeSpec& node);
[[nodiscard]] std::vector<std::string> control_inputs(const NodeSpec& node);  // names of nodes
[[nodiscard]] std::string scope_of(std::string_view name);                    // "a/b" of "a/b/c", "" of "c"
[[nodiscard]] inline bool is_under(std::string_view name, std::string_view scope) {
  return name.size() > scope.size() && name.starts_with(scope) && name[scope.size()] == '/';
}

// The node that it is colocated with by its first `_class` entry; "" = none.
[[nodiscard]] std::string colocated_with(const NodeSpec& node);
[[nodiscard]] AttrValue colocation(const std::string& node);
// The colocation of an op that takes this node as a reference: the node's own, or the node itself when it has none.
[[nodiscard]] AttrValue colocation_beside(const NodeSpec& node);

// The type of data input `index`, by the op's definition and the node's attributes; kInvalid when the op is not known
// or has no such input.
[[nodiscard]] DataType input_type(const NodeSpec& node, std::size_t index);
// The name of the argument that this input belongs to; "" when there is none.
[[nodiscard]] std::string_view input_name(const NodeSpec& node, std::size_t index);
// Sets the attribute that gives the type of this input and returns its name; "" when the op's definition fixes the
// type.
std::string set_input_type(NodeSpec& node, std::size_t index, DataType type);

[[nodiscard]] AttrValue int_tensor(DataType type, std::vector<std::int64_t> values, bool is_scalar = false);
[[nodiscard]] AttrValue string_tensor(std::vector<std::string> values);
[[nodiscard]] std::vector<std::string> strings_of(const NodeSpec& constant);  // as many as its shape has
[[nodiscard]] NodeSpec constant(std::string name, std::string device, DataType type, AttrValue value);

}  // namespace tarry
