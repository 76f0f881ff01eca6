// Any bytes as a graph: read or refused, imported or refused.
#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const auto spec = tarry::parse_graph({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (spec.ok()) (void)tarry::import_graph(*spec);
  return 0;
}
