// Any bytes as a device name and as a rendezvous key: what parses, prints and parses again as the same.
#include "placer/core/check.hpp"
#include "placer/device/name.hpp"
#include "workers/rendezvous/key.hpp"

namespace {

// Numbers are narrowed without a range check, as TensorFlow does (docs/rules/placer.md#A.2): a huge one prints with a
// sign, which does not parse.
bool is_printable(const tarry::DeviceName& n) {
  return n.replica.value_or(0) >= 0 && n.task.value_or(0) >= 0 && n.id.value_or(0) >= 0 && (!n.id || n.type);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, unsigned long size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto name = tarry::parse_device_name(text); name && is_printable(*name))
    tarry::check(tarry::parse_device_name(tarry::to_string(*name)) == name, "a device name prints as it parses");
  (void)tarry::parse_key(text);
  return 0;
}
