// Any bytes as step statistics: refused, or read; and what was read is written.
#include "placer/graph/step_stats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const auto times = tarry::parse_step_stats({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (times.ok()) (void)tarry::run_metadata_text(*times);
  return 0;
}
