#include "sim/transport_threads.hpp"

#include <algorithm>
#include <functional>

namespace tarry {

TransportThreads::TransportThreads(const ClusterSpec& cluster)
    : spec_(cluster.network.transport), are_needed_(!spec_.send.is_free() || !spec_.receive.is_free()) {
  if (are_needed_) threads_.assign(cluster.tasks.size(), {std::vector<Nanos>(spec_.threads, 0)});
}

TransportThreads::Turn TransportThreads::take(TaskId task, Nanos now, const MessageCost& cost, std::uint64_t bytes,
                                              Manner manner) {
  if (!are_needed_) return {now, now};
  Threads& threads = threads_[task.index()];
  if (manner == Manner::in_order) return {now, std::max(now, threads.latest)};
  if (cost.is_free()) return {now, now};
  const Nanos time = time_of(cost, bytes), begins = begin(threads, now, time);
  threads.latest = std::max(threads.latest, begins + time);
  return {begins, begins + time};
}

Nanos TransportThreads::begin(Threads& threads, Nanos now, Nanos time) {
  std::vector<Nanos>& free_at = threads.free_at;
  if (free_at.empty()) return now;
  std::ranges::pop_heap(free_at, std::greater());
  const Nanos begins = std::max(now, free_at.back());
  free_at.back() = begins + time;
  std::ranges::push_heap(free_at, std::greater());
  return begins;
}

void TransportThreads::renew(TaskId task) {
  if (!are_needed_) return;
  threads_[task.index()] = {std::vector<Nanos>(spec_.threads, 0)};
}

}  // namespace tarry
