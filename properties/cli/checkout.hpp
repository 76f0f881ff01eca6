// The git checkout that tarry is built from. An installed tarry has none.
#pragma once

#include <string>

#include "scenarios/cli/commands.hpp"

namespace tarry {

// Fails: FAILED_PRECONDITION when `home` is no checkout; `option` is what needs one.
[[nodiscard]] Status check_checkout(const Home& home, const std::string& option);

// What `git ARGUMENTS` prints, in a folder, without the last line's end. Fails: INVALID_ARGUMENT with git's own words.
[[nodiscard]] StatusOr<std::string> git(const std::string& folder, const std::vector<std::string>& arguments);

// "318d711771"; with "-dirty" where a file differs from the commit, or git does not know it. That speed was written
// down in results/speed.csv does not count.
[[nodiscard]] StatusOr<std::string> commit_of(const Home& home);

// The exit code of a shell's command, which may take more memory than tarry. 128 and a signal's number when that ended
// it.
[[nodiscard]] int run_shell(const std::string& command);

}  // namespace tarry
