// What `tarry --version` says: release, commit, compiler, SimGrid.
#pragma once

#include <string>

namespace tarry {

// The commit is "unknown" where the source tree is not a clone.
[[nodiscard]] std::string version_text();
// "tarry 0.1.0".
[[nodiscard]] std::string first_line_of_version();

}  // namespace tarry
