// What `starved` says of workers that are as fast as the others.
#pragma once

#include <string_view>

namespace tarry {

inline constexpr std::string_view kOfEqualWorkers = "of equal workers some come last";

}  // namespace tarry
