#include "placer/graph/example.hpp"

#include "example.pb.h"

namespace tarry {

std::optional<std::map<std::string, Feature>> read_example(std::string_view bytes) {
  tensorflow::Example example;
  if (!example.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  std::map<std::string, Feature> features;
  for (const auto& [name, f] : example.features().feature()) {
    const auto set = [&features, &name = name](auto values) {
      features[name] = std::vector(values.begin(), values.end());
    };
    if (f.has_bytes_list()) set(f.bytes_list().value());
    if (f.has_float_list()) set(f.float_list().value());
    if (f.has_int64_list()) set(f.int64_list().value());
  }
  return features;
}

}  // namespace tarry
