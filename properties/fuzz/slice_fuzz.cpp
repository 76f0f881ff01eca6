// Any bytes as a part of a tensor: read or refused.
#include "workers/state/tensor_slice.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  (void)tarry::parse_slice({reinterpret_cast<const char*>(data), size});
  return 0;
}
