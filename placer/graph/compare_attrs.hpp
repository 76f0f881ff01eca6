// What two nodes' attributes have in common.
#pragma once

#include "placer/graph/attrs.hpp"

namespace tarry {

// `_class`, `_output_shapes`, ...: of the framework's, not of the op's.
[[nodiscard]] inline bool is_private_attr(std::string_view name) { return name.starts_with('_'); }

struct AttrComparison {
  bool declared = true;  // they agree in all attributes that are not private
  bool all = true;       // in these too; says nothing when `declared` is false
};

[[nodiscard]] AttrComparison compare_attrs(const Attrs& a, const Attrs& b);

}  // namespace tarry
