// The parts of a rendezvous key, as a log has it: source device; incarnation; destination device; tensor; frame.
#pragma once

#include <string_view>

namespace tarry {

// The tensor's name; the whole text where it is no key.
[[nodiscard]] inline std::string_view tensor_of(std::string_view key) {
  std::string_view rest = key;
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = rest.find(';');
    if (end == rest.npos) return key;
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find(';'));
}

}  // namespace tarry
