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
  std::shared_ptr<const std::string> bytes;  // the entries point into it
  std::vector<Entry> entries;                // sorted by name; entries of one name stay in the list's order
};

// Fails: INVALID_ARGUMENT when the bytes are not a list of messages that begin with a name. The rest of the messages is
// not checked.
[[nodiscard]] StatusOr<WireList> index_list(std::string bytes);

}  // namespace tarry
