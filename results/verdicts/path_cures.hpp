// What to do about what is wrong with paths between hosts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/trouble.hpp"

namespace tarry {

inline constexpr char kTimeLimit[] = "a time limit on each step (RunOptions.timeout_in_ms) would tell";

// What is to be done about a time before the first step, where such a limit tells nothing.
[[nodiscard]] std::string without_time_limit(std::string cure);

// Of a path, or the network of a host: no task is in trouble by itself.
[[nodiscard]] bool is_of_a_path(const Trouble& t);
// Of `troubles` the paths that are in the same trouble as `path`.
[[nodiscard]] std::vector<Trouble> paths_like(const Trouble& path, std::span<const Trouble> troubles);
// "join host1 and server again; ...", and of several "join host1 and server, and host2 and server again; ...".
// REQUIRES: there is one; all are of the first one's kind, which is_of_a_path.
[[nodiscard]] std::string cure_of_paths(std::span<const Trouble> paths);

}  // namespace tarry
