// Whether one written node fits its op, as TensorFlow's node and op checks decide it (2.15 texts). Private to
// placer/graph.
#pragma once

#include "placer/graph/spec.hpp"

namespace tarry {

// Whether the importer accepts the name: a letter, digit, '.' or '_' first, then these and '-', '/', '>'.
[[nodiscard]] bool is_node_name(std::string_view name);

// An input as written, taken apart: "a" = {a, 0}, "a:1" = {a, 1}, "^a" = {a, -1}.
struct InputName {
  std::string_view node;
  int slot = 0;
};
[[nodiscard]] InputName parse_input(std::string_view text);

// `attrs`, with the op's defaults for missing attributes.
[[nodiscard]] Attrs with_defaults(const Attrs& attrs, const OpDef& op);

// Checks `attrs`, with the defaults in place, against the op.
[[nodiscard]] Status validate_attrs(std::string_view node, const Attrs& attrs, const OpDef& op);
// Checks the number of inputs against `input_types`, and that control inputs come last.
[[nodiscard]] Status validate_inputs(const NodeSpec& node, const OpDef& op, const DataTypes& input_types);

// "Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=[DT_FLOAT, ...]>"
[[nodiscard]] std::string summarize(const OpDef& op);
// "float, int32"
[[nodiscard]] std::string type_names(const DataTypes& types);

}  // namespace tarry
