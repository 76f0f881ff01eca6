// Which nodes of its graph a client runs: those that ops need, by name.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <set>
#include <string_view>

#include "scenarios/job/job.hpp"

namespace tarry {

using NodeNames = absl::flat_hash_set<std::string_view>;  // of the client's graph; looked up, never iterated

// All that the targets and fetches of its training step need, and what it runs besides.
[[nodiscard]] NodeNames nodes_of_a_step(const ClientJob& client);
// All that its queue runners need to enqueue, and its training step does not: they read and prepare its examples. The
// synchronization of a chief is none of it.
[[nodiscard]] std::set<std::string_view> nodes_of_its_input(const ClientJob& client);

}  // namespace tarry
