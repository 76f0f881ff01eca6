// Any bytes as the saved case of a hunt, beside a graph of one node: read or refused with a line.
#include "properties/placement/saved.hpp"
#include "properties/programs/saved.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const tarry::GraphSpec graph{.nodes = {{.name = "a", .op = "NoOp"}}};
  (void)tarry::parse_case(text, "fuzz.yaml", graph);
  (void)tarry::parse_program(text, "fuzz.yaml", graph);
  return 0;
}
