#include "placer/core/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

namespace tarry {

std::string to_string(Hash128 h) { return fmt::format("{:016x}{:016x}", h.high, h.low); }

Hasher::Hasher() : state_(XXH3_createState()) { XXH3_128bits_reset(state_); }
Hasher::~Hasher() { XXH3_freeState(state_); }
Hasher::Hasher(Hasher&& o) noexcept : state_(std::exchange(o.state_, nullptr)) {}
Hasher& Hasher::operator=(Hasher&& o) noexcept {
  std::swap(state_, o.state_);
  return *this;
}

void Hasher::bytes(std::string_view data) {
  integer(data.size());
  XXH3_128bits_update(state_, data.data(), data.size());
}
void Hasher::integer(std::uint64_t v) { XXH3_128bits_update(state_, &v, sizeof v); }
void Hasher::integers(std::span<const std::uint64_t> values) {
  XXH3_128bits_update(state_, values.data(), values.size_bytes());
}

Hash128 Hasher::digest() const {
  const XXH128_hash_t h = XXH3_128bits_digest(state_);
  return {h.low64, h.high64};
}

Hash128 hash_of(std::string_view data) {
  const XXH128_hash_t h = XXH3_128bits(data.data(), data.size());
  return {h.low64, h.high64};
}

std::uint64_t hash64(std::string_view data, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data.data(), data.size(), seed);
}

}  // namespace tarry
