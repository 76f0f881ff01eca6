// Whether two nodes' attributes agree.
#pragma once

#include "placer/graph/attrs.hpp"

namespace tarry {

// `_class`, `_output_shapes`, ...: attributes of the framework, not of the op.
[[nodiscard]] inline bool is_private_attr(std::string_view name) { return name.starts_with('_'); }

struct AttrComparison {
  bool declared = true;  // the nodes agree in all attributes that are not private
  bool all = true;       // they agree in the private ones, too; meaningless when `declared` is false
};

[[nodiscard]] AttrComparison compare_attrs(const Attrs& a, const Attrs& b);

}  // namespace tarry
