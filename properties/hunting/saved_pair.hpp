// A counterexample on disk: NAME.pbtxt (the graph, which other commands read too) and NAME.yaml (the rest, and what
// failed; `graph` names the first).
#pragma once

#include <functional>
#include <string>

#include "placer/core/status.hpp"
#include "placer/graph/spec.hpp"

namespace YAML {
class Node;
}

namespace tarry {

// Writes FOLDER/NAME.pbtxt and FOLDER/NAME.yaml; returns the name of the second. The folder is made when it is not
// there. Fails: UNAVAILABLE when a file cannot be written.
[[nodiscard]] StatusOr<std::string> save_pair(const GraphSpec& graph, const std::string& yaml,
                                              const std::string& folder, const std::string& name);

// `take` may throw what yaml-cpp throws.
// Fails: as reading a file, and as `take`; INVALID_ARGUMENT with file, line and column for what yaml-cpp refuses.
[[nodiscard]] Status read_yaml_file(const std::string& yaml_file, const std::function<Status(const YAML::Node&)>& take);
// Likewise, with the graph beside it.
[[nodiscard]] Status load_pair(const std::string& yaml_file,
                               const std::function<Status(const YAML::Node&, GraphSpec)>& take);

}  // namespace tarry
