// Replays a recorded order of pushes and takes with the bare rules of synchronous replicas: accumulators, token queue,
// staleness. Private to properties/conform.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] bool has_push_order(const nlohmann::json& rep);
// Gives "" when vectors and tokens are as recorded, except where two pushes are less than 1 ms apart; else the first
// difference.
[[nodiscard]] std::string replay(const nlohmann::json& rep, const RecordedConfig& c);

}  // namespace tarry
