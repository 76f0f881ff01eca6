// One run of the reference placer. Private to reference.cpp and reference_assign.cpp.
#pragma once

#include "properties/placement/reference.hpp"
#include "properties/placement/reference_names.hpp"

namespace tarry::reference {

struct Served {  // a device type that serves a node or a set of nodes
  std::string type;
  int priority = 0;  // of the kernel
};
using Types = std::vector<Served>;

// Nodes that must share a device. In releases before 1.14 only `asked` is used.
struct Set {
  std::vector<NodeId> members;
  int rank = 0;
  Name fixed, owned, asked;  // requests: fixed by the framework; of nodes that make resources; of all nodes
  Types types;
};

struct Place {
  std::string name, type;
  Name parsed;
};

struct Failed {
  Code code;
};

[[noreturn]] inline void fail(Code code) { throw Failed{code}; }

class Reference {
 public:
  Reference(const PlacementCase& c, const Graph& g, const ReferenceTables& t);
  std::vector<int> run();

 private:
  [[nodiscard]] bool since(Release r) const { return tables_.release >= r; }
  [[nodiscard]] int type_priority(std::string_view type) const;
  [[nodiscard]] bool serves(const KernelDef& k, NodeId n, std::string_view type, bool& differs) const;
  [[nodiscard]] const KernelDef* kernel(NodeId n, std::string_view type, bool& differs) const;
  [[nodiscard]] Types types_of(NodeId n) const;
  [[nodiscard]] Types remote_types(NodeId n) const;
  [[nodiscard]] bool ties(const Edge& e) const;
  [[nodiscard]] Set& set_of(NodeId n) { return sets_[set_index_[n.index()]]; }

  void start(NodeId n);
  void start_assigned(NodeId n, Set& set);
  void start_asked(NodeId n, Set& set);
  void join_keys(NodeId n);
  void join_edges();
  void join_edge(const Edge& e);
  void reconcile_names(const Edge& e);
  void override_request(const Edge& e);
  void check_other_inputs(const Edge& e);
  bool join(NodeId x, NodeId y);
  bool join_old(Set& root, const Set& child, bool x_is_root);
  bool join_new(Set& root, const Set& child) const;
  void absorb(std::size_t root, std::size_t child);
  [[nodiscard]] Types common(const Types& root, const Types& child) const;
  void drop_xla();

  void assign_all();
  [[nodiscard]] bool waits(NodeId n) const;
  [[nodiscard]] std::vector<int> candidates(NodeId n);
  [[nodiscard]] std::vector<int> matching(const Name& request, const Types& types) const;
  [[nodiscard]] bool may_take(int device, const std::vector<int>& candidates) const;
  [[nodiscard]] int beside_input(NodeId n) const;
  [[nodiscard]] int beside_consumers(NodeId n) const;
  void settle(NodeId n, int device);

  const PlacementCase& case_;
  const Graph& g_;
  const ReferenceTables& tables_;
  std::vector<Place> places_;
  std::vector<std::string> device_types_;
  std::vector<std::string> assigned_text_;  // by node
  std::vector<int> device_;                 // by node; -1 = none yet
  std::vector<Set> sets_;
  std::vector<std::size_t> set_index_;
  std::map<std::string, NodeId, std::less<>> anchors_;
};

}  // namespace tarry::reference
