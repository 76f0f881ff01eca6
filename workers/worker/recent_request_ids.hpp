// The request ids a service has seen lately: each counts once (docs/rules/runtime.md#D.9).
//
// Ids are spread over shards by remainder; a full shard forgets its oldest id. Refusing an id does not make it younger.
// Id 0 is always accepted and never remembered.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <vector>

namespace tarry {

class RecentRequestIds {
 public:
  // A shard holds total / shards ids. REQUIRES: total >= shards > 0.
  explicit RecentRequestIds(std::size_t total, std::size_t shards = 1);

  [[nodiscard]] bool insert(std::uint64_t id);  // false = a repeated id

 private:
  struct Shard {
    absl::flat_hash_set<std::uint64_t> ids;  // looked up, never iterated
    std::vector<std::uint64_t> ring;         // in order of insertion, from `next` on once it is full
    std::size_t next = 0;
  };
  std::size_t per_shard_;
  std::vector<Shard> shards_;
};

inline constexpr std::size_t kWorkerRequestIds = 100'000, kMasterRequestIds = 10'000;

}  // namespace tarry
