// What the rewrites of functions share: new nodes and names, functions by name, and who called whom. Private to
// placer/lower.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "placer/graph/op_def.hpp"
#include "placer/lower/lower.hpp"

namespace tarry {

struct NodeOutput {  // an output of a node
  NodeId node;
  int slot = 0;
};

struct NewNode {
  std::string name;
  std::string_view op;
  std::string device;
  Attrs attrs;
  std::vector<NodeOutput> inputs;
  std::vector<NodeId> controls;
};

struct OutEdge {  // an edge that leaves a node
  int src_slot = 0;
  NodeId dst;
  int dst_slot = 0;
};

class Rewriting {
 public:
  // REQUIRES: both outlive the object.
  Rewriting(Graph& graph, const LowerOptions& options);

  Graph& g;
  const LowerOptions& options;

  // "prefix/_12": numbers count all names of the graph, and by themselves those of what is made for nodes that run
  // apart (apart.hpp): TensorFlow makes no such nodes. `n`: the node that it is made for.
  [[nodiscard]] std::string new_name(std::string_view prefix, NodeId n);
  // A node of a registered op or of a function, with its edges: data inputs, then control inputs, each once. It is part
  // of the call that `made_for` is part of.
  // Fails: INVALID_ARGUMENT when the name is taken, or attributes do not say the types, and `Input 'a' passed float
  // expected int32 while building NodeDef 'if/then/_0' using Op<...>` where the inputs do not fit (seen in 2.15.1).
  [[nodiscard]] StatusOr<NodeId> add(NewNode n, NodeId made_for);
  // The same without edges, for a node whose op and types are known.
  [[nodiscard]] StatusOr<NodeId> copy(const Graph& from, NodeId n, std::string_view name, std::string_view device,
                                      Attrs attrs);
  void add_control_once(NodeId src, NodeId dst);

  [[nodiscard]] const FunctionSpec* find_function(std::string_view name) const;
  // PartitionedCall, StatefulPartitionedCall, SymbolicGradient, or a node whose op is a function's name.
  [[nodiscard]] bool is_function_call(std::string_view op) const;
  [[nodiscard]] std::string device_of(NodeId n) const;  // the assigned one, else the requested one
  [[nodiscard]] DataType type_of(NodeOutput t) const { return base_type(g.output_type(t.node, t.slot)); }
  [[nodiscard]] NodeOutput input(NodeId n, int slot) const;
  [[nodiscard]] std::vector<NodeId> control_inputs(NodeId n) const;
  [[nodiscard]] std::vector<OutEdge> consumers(NodeId n) const;

  // Notes that what is made from now on for `call` comes from `function`. Fails: UNIMPLEMENTED when the function is
  // being called already.
  [[nodiscard]] Status enter(NodeId call, const std::string& function);
  void belongs_to_entered(NodeId n) { set_chain(n, calls_.size() - 1); }
  void belongs_with(NodeId n, NodeId other) { set_chain(n, chain_of(other)); }

 private:
  struct Call {
    std::string function;
    std::size_t caller;  // into calls_
  };
  [[nodiscard]] const OpDef* op_of(std::string_view name);
  [[nodiscard]] std::size_t chain_of(NodeId n) const { return n.index() < chains_.size() ? chains_[n.index()] : 0; }
  void set_chain(NodeId n, std::size_t call);

  std::map<std::string, const FunctionSpec*, std::less<>> functions_;
  std::map<std::string, std::shared_ptr<const OpDef>, std::less<>> signatures_;
  std::vector<Call> calls_{{"", 0}};  // 0 = the graph itself
  std::vector<std::size_t> chains_;   // by node: the call that it is part of
  std::uint64_t names_ = 0, names_apart_ = 0;
};

// The attributes of a node that is made for `n`: `attrs`, and where `n` comes from.
[[nodiscard]] Attrs with_origin(Attrs attrs, const Graph& g, NodeId n);

[[nodiscard]] bool is_true(const Attrs& attrs, std::string_view name);

// Ops of conditionals, and of loops, by functions.
[[nodiscard]] bool is_cond(std::string_view op);
[[nodiscard]] bool is_loop(std::string_view op);

// The rewrites. REQUIRES: the node is of the kind. Each takes the node away; `keeps` says whether a node of its name
// still has the results. They fail as lower_functions says.
[[nodiscard]] Status inline_call(Rewriting& r, NodeId call, bool keeps);
[[nodiscard]] Status lower_cond(Rewriting& r, NodeId n, bool keeps);  // If, Case, and their stateless twins
[[nodiscard]] Status lower_loop(Rewriting& r, NodeId n, bool keeps);  // While, StatelessWhile

// AccumulateNV2 as a temporary variable; a node of its name has the sum. Of a graph, not of a body.
[[nodiscard]] Status lower_sum(Rewriting& r, NodeId n);

// Whether a call gives what the node that it is made for gives. Fails: INVALID_ARGUMENT.
[[nodiscard]] Status check_results(const Graph& g, NodeId call, const DataTypes& wanted, std::string_view of);

// A call that is always inlined.
[[nodiscard]] NewNode call_of(const FuncRef& f, std::string name, std::string device, std::vector<NodeOutput> inputs);

}  // namespace tarry
