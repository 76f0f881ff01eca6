// A tensor that is most of what a parameter server sends: more servers do not share it.
#pragma once

#include <optional>
#include <string>

#include "results/evidence.hpp"

namespace tarry {

struct OneTensor {
  TaskId server;            // the one that sends most bytes
  std::uint64_t bytes = 0;  // of the tensor
  double share = 0;         // of what the server sent
};
// Half of the bytes or more, at one tensor for each step; none where no tensor has so many.
[[nodiscard]] std::optional<OneTensor> one_tensor(const Evidence& e);

// " One tensor of 3.137 MB is 99 % of what ps 1 sends."
[[nodiscard]] std::string in_words(const OneTensor& one, const Evidence& e);
// "split that variable over the parameter servers", or over several, where there is only one.
[[nodiscard]] std::string how_to_split(const Evidence& e);

}  // namespace tarry
