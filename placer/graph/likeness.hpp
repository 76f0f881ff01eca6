// What two nodes' attributes have in common.
#pragma once

#include "placer/graph/attrs.hpp"

namespace tarry {

// `_class`, `_output_shapes`, ...: of the framework's, not of the op's.
[[nodiscard]] inline bool is_private_attr(std::string_view name) { return name.starts_with('_'); }

struct Likeness {
  bool declared = true;  // they agree in all attributes that are not private
  bool all = true;       // in these too; says nothing when `declared` is false
};

[[nodiscard]] Likeness likeness(const Attrs& a, const Attrs& b);

}  // namespace tarry
