// Any bytes as a transcript of calls: refused, or replayed.
#include "properties/conform/rpc.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  (void)tarry::conform_transcript({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  return 0;
}
