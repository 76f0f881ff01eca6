// A counterexample on disk: NAME.pbtxt (the graph with its devices, which other commands read too) and NAME.yaml (the
// rest, and what failed).
#pragma once

#include <string>

#include "placer/core/status.hpp"
#include "properties/programs/program.hpp"

namespace tarry {

struct SavedProgram {
  std::string property;  // "cut_agrees"
  Program program;       // its id determines the schedule
};

// The same as save_pair (hunting/saved_pair.hpp).
[[nodiscard]] StatusOr<std::string> save_program(const SavedProgram& saved, const std::string& folder,
                                                 const std::string& name);
// What the text of a NAME.yaml says of this graph. Fails: INVALID_ARGUMENT with file and line.
[[nodiscard]] StatusOr<SavedProgram> parse_program(const std::string& text, const std::string& yaml_file,
                                                   GraphSpec graph);
// Fails: with the errors of reading the graph; INVALID_ARGUMENT with file and line for any other deviation from the
// form that save_program writes.
[[nodiscard]] StatusOr<SavedProgram> load_program(const std::string& yaml_file);
// Whether the file is that of a program, rather than of a placement case.
[[nodiscard]] StatusOr<bool> is_saved_program(const std::string& yaml_file);

}  // namespace tarry
