// What `tarry --version` says: release, commit, compiler, SimGrid.
#pragma once

#include <string>

namespace tarry {

// The commit is "unknown" where the source tree is not a clone.
[[nodiscard]] std::string version_text();

}  // namespace tarry
