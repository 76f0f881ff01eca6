// Any bytes as the sidecar of a graph: read or refused with a key.
#include "scenarios/job/programs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  (void)tarry::parse_sidecar({reinterpret_cast<const char*>(data), size}, "fuzz.json", {});
  return 0;
}
