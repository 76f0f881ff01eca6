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

// A feature that cannot be read, which matters only to those that want it.
struct UnreadFeature {
  bool has_kind = false;
};

using Feature = std::variant<std::vector<std::string>, std::vector<float>, std::vector<std::int64_t>, UnreadFeature>;

// The features by name; a feature that is empty is left out. nullopt = the bytes are no Example. Fields that no Example
// has are skipped, also one whose length runs past the end.
[[nodiscard]] std::optional<std::map<std::string, Feature>> read_example(std::string_view bytes);

}  // namespace tarry
