// Any bytes as a recorded training run: refused, or read and replayed by the bare rules. (It is simulated in a child
// process, which a fuzzer cannot look into.)
#include "properties/conform/checked.hpp"
#include "properties/conform/judged.hpp"
#include "properties/conform/sync_replay.hpp"

namespace tarry {
namespace {

Status read_recording(std::string_view text) {
  TARRY_ASSIGN(const auto recorded, parse_recording<nlohmann::json>(text, kLongestText));
  TARRY_ASSIGN(const RecordedConfig config, read_config(recorded.at("config")));
  TARRY_ASSIGN(const Judged judged, read_judged(recorded, config.aggregates));
  TARRY_RETURN_IF_ERROR(check_also(judged, config.workers));
  for (const nlohmann::json& rep : recorded.at("reps")) {
    const RunPair same{recorded_sums(rep, config), recorded_sums(rep, config)};
    (void)compare_runs(judged, {&same, 1}, config);
    if (has_push_order(rep)) (void)replay(rep, config);
  }
  return {};
}

}  // namespace
}  // namespace tarry

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)tarry::refused("fuzz.json", [&] { return tarry::read_recording(text); });
  return 0;
}
