// Decompresses zstd and gzip, which are recognised by their first bytes.
//
// At most 512 MB are decoded; more, or anything cut off or malformed, is INVALID_ARGUMENT with the file's name.
#pragma once

#include <string>
#include <string_view>

#include "placer/core/status.hpp"

namespace tarry {

// zstd, whether or not the frame tells its size; several frames behind each other are one.
[[nodiscard]] StatusOr<std::string> decompress(std::string_view bytes, std::string_view name);

// Decompresses compressed bytes and gives any others back as they are.
[[nodiscard]] StatusOr<std::string> decompress_if_needed(std::string bytes, std::string_view name);

}  // namespace tarry
