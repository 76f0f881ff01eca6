// Any bytes as step statistics: refused, or what they say is written and read again as the same.
#include "placer/core/check.hpp"
#include "placer/graph/step_stats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const auto times = tarry::parse_step_stats({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!times.ok()) return 0;
  const auto again = tarry::parse_step_stats(tarry::run_metadata_binary(*times), "again");
  tarry::check(again.ok() && again->size() == times->size(), "what is written is read again");
  return 0;
}
