// The 128-bit hash that identifies a run (xxHash, XXH3-128).
//
// Feed bytes or integers in a fixed order; integers go in as 8 little-endian bytes, so the hash is the same on every
// compiler. No floating-point number is ever fed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
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
  void integer(std::uint64_t v) {
    if (waiting_count_ == kWaiting) flush();
    waiting_[waiting_count_++] = v;
  }
  template <std::size_t n>
  void integers(const std::array<std::uint64_t, n>& values) {
    static_assert(n <= kWaiting);
    if (waiting_count_ + n > kWaiting) flush();
    for (std::size_t i = 0; i < n; ++i) waiting_[waiting_count_ + i] = values[i];
    waiting_count_ += n;
  }
  [[nodiscard]] Hash128 digest() const;

 private:
  void flush();

  XXH3_state_s* state_;
  static constexpr std::size_t kWaiting = 64;
  std::array<std::uint64_t, kWaiting>
      waiting_;  // integers that are not in the state yet: adding many at once costs little more than adding one
  std::size_t waiting_count_ = 0;
};

[[nodiscard]] Hash128 hash_of(std::string_view data);
// A 64-bit hash for derived seeds and frame ids; stable for ever.
[[nodiscard]] std::uint64_t hash64(std::string_view data, std::uint64_t seed = 0);

}  // namespace tarry
