#include "workers/worker/recent_request_ids.hpp"

#include "placer/core/check.hpp"

namespace tarry {

RecentRequestIds::RecentRequestIds(std::size_t total, std::size_t shards)
    : per_shard_(total / shards), shards_(shards) {
  check(per_shard_ > 0, "every shard of request ids must hold one");
}

bool RecentRequestIds::insert(std::uint64_t id) {
  if (id == 0) return true;
  Shard& shard = shards_[id % shards_.size()];
  if (!shard.ids.insert(id).second) return false;
  if (shard.ring.size() < per_shard_) {
    shard.ring.push_back(id);
    return true;
  }
  shard.ids.erase(shard.ring[shard.next]);
  shard.ring[shard.next] = id;
  shard.next = (shard.next + 1) % per_shard_;
  return true;
}

}  // namespace tarry
