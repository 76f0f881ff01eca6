#include "placer/core/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

namespace tarry {

std::string to_string(Hash128 h) { return fmt::format("{:016x}{:016x}", h.high, h.low); }

Hasher::Hasher() : state_(XXH3_createState()) { XXH3_128bits_reset(state_); }
Hasher::~Hasher() { XXH3_freeState(state_); }
Hasher::Hasher(Hasher&& o) noexcept
    : state_(std::exchange(o.state_, nullptr)),
      waiting_(o.waiting_),
      waiting_count_(std::exchange(o.waiting_count_, 0)) {}
Hasher& Hasher::operator=(Hasher&& o) noexcept {
  std::swap(state_, o.state_);
  std::swap(waiting_, o.waiting_);
  std::swap(waiting_count_, o.waiting_count_);
  return *this;
}

void Hasher::flush() {
  XXH3_128bits_update(state_, waiting_.data(), waiting_count_ * sizeof waiting_[0]);
  waiting_count_ = 0;
}

void Hasher::bytes(std::string_view data) {
  integer(data.size());
  flush();
  XXH3_128bits_update(state_, data.data(), data.size());
}

Hash128 Hasher::digest() const {
  Hasher all;
  XXH3_copyState(all.state_, state_);
  XXH3_128bits_update(all.state_, waiting_.data(), waiting_count_ * sizeof waiting_[0]);
  const XXH128_hash_t h = XXH3_128bits_digest(all.state_);
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
