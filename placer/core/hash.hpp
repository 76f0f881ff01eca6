// The 128-bit hash that a run is known by (xxHash, XXH3-128).
//
// Feed bytes or integers in a fixed order; integers go in as 8 little-endian bytes, so the hash is the same on every
// compiler. No floating-point number is ever fed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace tarry {

struct Hash128 {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

[[nodiscard]] std::string to_string(Hash128 h);  // 32 lower-case hexadecimal digits, high half first

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void bytes(std::string_view data);  // the length is hashed too, so ("a","bc") differs from ("ab","c")
  void integer(std::uint64_t v);
  void integers(std::span<const std::uint64_t> values);
  [[nodiscard]] Hash128 digest() const;

 private:
  XXH3_state_s* state_;
};

[[nodiscard]] Hash128 hash_of(std::string_view data);
// A 64-bit hash for derived seeds and frame ids; stable for ever.
[[nodiscard]] std::uint64_t hash64(std::string_view data, std::uint64_t seed = 0);

}  // namespace tarry
