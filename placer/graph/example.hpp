// Records of named features: TensorFlow's Example, as files of training data hold them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tarry {

using Feature = std::variant<std::vector<std::string>, std::vector<float>, std::vector<std::int64_t>>;

// The features by name; a feature that says no kind is left out. nullopt = the bytes are no Example.
[[nodiscard]] std::optional<std::map<std::string, Feature>> read_example(std::string_view bytes);

}  // namespace tarry
