// A stale-synchronous job, read from its log: how far ahead of the slowest each worker was when it began its steps.
//
// Finished steps are counted by the elements that workers put into the queues `stale_done_q_<i>`; the bound is the
// number of tokens that the first session of the chief put into a queue `stale_token_q_<i>`
// (workers/train/build/stale_synchronous.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "results/log.hpp"

namespace tarry {

// A queue whose name has this counts the steps that a worker has finished, before it waits for its next token.
inline constexpr std::string_view kStaleDoneQueue = "stale_done_q_";

struct StaleStory {
  std::int64_t bound = 0;
  std::vector<std::int64_t> done;  // finished steps of each worker
  std::int64_t farthest = 0;       // the most steps that a worker was ahead of the slowest when it began a step
  std::size_t fills = 0;  // how often the chief put initial tokens in: each of its sessions does, beside what is left
  Nanos waited = 0;       // that all workers together waited for tokens; those that stay, to the end of the run
};

// nullopt when the job is not stale-synchronous.
[[nodiscard]] std::optional<StaleStory> read_staleness(const EventLog& log);

}  // namespace tarry
