// A counterexample on disk: NAME.pbtxt (the graph, which other commands read too) and NAME.yaml (the rest, and what
// failed; its key `graph` names the first file).
#pragma once

#include <functional>
#include <string>

#include "placer/core/status.hpp"
#include "placer/graph/spec.hpp"

namespace YAML {
class Node;
}

namespace tarry {

// Fail: UNAVAILABLE with the path.
[[nodiscard]] Status make_folder(const std::string& folder);  // and those above it; one that is there stays
[[nodiscard]] Status save_text(const std::string& path, const std::string& text);

// Writes FOLDER/NAME.pbtxt and FOLDER/NAME.yaml; returns the name of the second. The folder is made when it does not
// exist. Fails: UNAVAILABLE when a file cannot be written.
[[nodiscard]] StatusOr<std::string> save_pair(const GraphSpec& graph, const std::string& yaml,
                                              const std::string& folder, const std::string& name);

// Passes the text of a YAML file to `take`, which may throw yaml-cpp's exceptions. Fails: with the errors of `take`;
// INVALID_ARGUMENT with file, line and column for what yaml-cpp refuses.
[[nodiscard]] Status take_yaml(const std::string& text, const std::string& yaml_file,
                               const std::function<Status(const YAML::Node&)>& take);
// Reads a YAML file and passes it to `take`, which may throw yaml-cpp's exceptions.
// Fails: with the errors of reading a file and of `take`; INVALID_ARGUMENT with file, line and column for what yaml-cpp
// refuses.
[[nodiscard]] Status read_yaml_file(const std::string& yaml_file, const std::function<Status(const YAML::Node&)>& take);
// The same, with the graph of the other file.
[[nodiscard]] Status load_pair(const std::string& yaml_file,
                               const std::function<Status(const YAML::Node&, GraphSpec)>& take);

}  // namespace tarry
