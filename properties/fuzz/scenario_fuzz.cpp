// Any bytes as a scenario: read or refused with a place.
#include "scenarios/file/load.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  (void)tarry::parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  return 0;
}
