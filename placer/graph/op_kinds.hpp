// The importer's cache of the ops that it has met: attributes with their defaults, and the types of arguments.
//
// Nodes of one op that agree in the attributes which the op declares are one kind: it is worked out once and shared.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <vector>

#include "placer/graph/graph.hpp"
#include "placer/graph/import.hpp"

namespace tarry {

// NOT_FOUND, of a node whose op `ops` lack, with what may be meant.
[[nodiscard]] Status op_not_registered(const NodeSpec& node, const OpRegistry& ops);

struct OpKind {
  const OpDef* op = nullptr;
  Attrs written, full;  // attributes of one node of the kind, without and with the op's defaults
  Graph::SharedTypes inputs, outputs;
};

class OpKinds {
 public:
  // REQUIRES: all arguments outlive the object. `g` keeps the signatures of the functions that are called.
  OpKinds(Graph& g, const GraphSpec& spec, const ImportOptions& options);

  // Gives the node's kind, valid until the next call, and puts the node's own attributes with the op's defaults into
  // `full`.
  // Fails: an op that is not registered (NOT_FOUND), attributes that do not fit the op (INVALID_ARGUMENT).
  [[nodiscard]] StatusOr<const OpKind*> find(const NodeSpec& node, Attrs& full);

 private:
  struct ArgumentTypes {  // the types for one set of values of KnownOp::type_attrs
    std::vector<AttrValue> values;
    Graph::SharedTypes inputs, outputs;
  };
  struct KnownOp {
    const OpDef* def = nullptr;
    std::vector<std::string_view> type_attrs;  // attributes that the arguments' types depend on
    std::vector<ArgumentTypes> types;
    bool has_private = false;   // declares an attribute with the name of a private one
    std::vector<OpKind> kinds;  // the newest few
    std::size_t next = 0;       // which kind the next new one replaces
  };
  [[nodiscard]] StatusOr<KnownOp*> op_of(const NodeSpec& node);
  [[nodiscard]] StatusOr<const OpDef*> look_up(const NodeSpec& node);
  [[nodiscard]] Status unknown(const NodeSpec& node) const;
  [[nodiscard]] static bool fits(const ArgumentTypes& types, const std::vector<std::string_view>& names,
                                 const Attrs& attrs);
  [[nodiscard]] static StatusOr<const ArgumentTypes*> types_of(KnownOp& op, const Attrs& attrs, std::string_view node);
  [[nodiscard]] static StatusOr<OpKind> look_at(KnownOp& op, const NodeSpec& node);

  Graph& g_;
  const GraphSpec& spec_;
  const ImportOptions& options_;
  const OpRegistry& ops_;
  absl::flat_hash_map<std::string_view, KnownOp> known_;  // looked up, never iterated
};

}  // namespace tarry
