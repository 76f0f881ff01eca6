// A counterexample on disk: NAME.pbtxt (the graph, which `tarry place` reads too) and NAME.yaml (the rest, and what
// failed).
#pragma once

#include <string>

#include "properties/placement/case.hpp"

namespace tarry {

struct SavedCase {
  std::string property, rules;  // "groups_together", "1.12"
  PlacementCase c;
};

// The same as save_pair (hunting/saved_pair.hpp).
[[nodiscard]] StatusOr<std::string> save_case(const SavedCase& saved, const std::string& folder,
                                              const std::string& name);
// What the text of a NAME.yaml says of this graph. Fails: INVALID_ARGUMENT with file and line.
[[nodiscard]] StatusOr<SavedCase> parse_case(const std::string& text, const std::string& yaml_file,
                                             const GraphSpec& graph);
// Fails: with the errors of reading the graph; INVALID_ARGUMENT with file and line for any other deviation from the
// form that save_case writes.
[[nodiscard]] StatusOr<SavedCase> load_case(const std::string& yaml_file);

}  // namespace tarry
