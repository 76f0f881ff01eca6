// Lists that say nothing when they are empty.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/file/schema.hpp"

namespace tarry {

// The list with one entry at least: an empty one is refused, and `without` says what holds without the key.
template <class T>
Type<std::vector<T>> filled(Type<std::vector<T>> list, std::string without) {
  list.schema["minItems"] = 1;
  list.read = [inner = list.read, expected = list.expected, without = std::move(without)](
                  Reader& in, const YAML::Node& node, std::vector<T>& out) {
    if (node.IsSequence() && node.size() == 0)
      return in.fail(node, fmt::format("expected {}, found an empty list; {}", expected, without));
    inner(in, node, out);
  };
  return list;
}

}  // namespace tarry
