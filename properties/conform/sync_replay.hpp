// The bare rules of synchronous replicas - accumulators, token queue, staleness - fed with a recorded order of pushes
// and takes. Private to properties/conform.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] bool has_push_order(const nlohmann::json& rep);
// "" = vectors and tokens are as recorded, but where two pushes are less than 1 ms apart; else the first difference.
[[nodiscard]] std::string replay(const nlohmann::json& rep, const RecordedConfig& c);

}  // namespace tarry
