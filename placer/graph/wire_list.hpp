// The messages of an OpList or a KernelList, found by name before any of them is read.
//
// Reading all of TensorFlow's ops and kernels takes longer than a short run, which asks for a few dozen.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct WireList {
  struct Entry {
    std::string_view name;  // the message's first field: an op's name
    std::string_view body;  // the message
  };
  std::shared_ptr<const std::string> bytes;  // that the entries point into
  std::vector<Entry> entries;                // sorted by name, those of one name in the list's order
};

// Fails: INVALID_ARGUMENT when the bytes are not a list of messages that begin with a name. What else the messages hold
// is not looked at.
[[nodiscard]] StatusOr<WireList> index_list(std::string bytes);

}  // namespace tarry
