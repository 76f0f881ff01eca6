#include "properties/bench/reference_loop.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr std::size_t kPlaces = 1 << 16;
constexpr int kHashes = 1'000'000;
constexpr int kTimes = 10;

std::uint64_t hashed(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

}  // namespace

std::uint64_t reference_loop(std::uint64_t hash) {
  std::array<std::uint64_t, kPlaces> table;
  for (std::size_t i = 0; i < kPlaces; ++i) table[i] = hashed(i + 1);
  for (int i = 0; i < kHashes; ++i) hash = hashed(hash + table[hash % kPlaces]);
  return hash;
}

double seconds_of_reference_loop() {
  double quickest = std::numeric_limits<double>::infinity();
  volatile std::uint64_t hash = 0;  // so all of the loop's work is done between the two looks at the clock
  for (int i = 0; i < kTimes; ++i) {
    const std::clock_t before = std::clock();
    hash = kReferenceStart;
    hash = reference_loop(hash);
    quickest = std::min(quickest, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    check(hash == kReferenceEnd, "the reference loop does its work");
  }
  return quickest;
}

}  // namespace tarry
