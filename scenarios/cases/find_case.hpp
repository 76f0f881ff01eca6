// The scenarios that ship with tarry, a folder each, found by name.
//
// A folder's name is a number of three digits and a name that no other has: "010_uneven_ps". Users may leave out
// leading zeros or the whole number, or give the number alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

// In order of number.
[[nodiscard]] std::vector<std::string> case_names(const std::string& cases_folder);

// "010_uneven_ps" is asked for by "010_uneven_ps", "10_uneven_ps", "uneven_ps", "010" and "10".
[[nodiscard]] bool is_called(std::string_view case_name, std::string_view asked);

// The folder of the case that `asked` names. Fails: NOT_FOUND `ASKED: no such scenario; did you mean ...`.
[[nodiscard]] StatusOr<std::string> find_case(const std::string& asked, const std::string& cases_folder);

}  // namespace tarry
