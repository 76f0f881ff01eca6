// Any bytes as the time line of a pipeline: read or refused with an event.
#include "results/pipeline/pipeline_stragglers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const auto trace = tarry::parse_pipeline_trace({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (trace.ok()) (void)tarry::stragglers_of(*trace);
  return 0;
}
