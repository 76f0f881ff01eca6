// How many runs of a campaign came by each marked place of the runtime (workers/marks.hpp): a measure of what the
// campaign's faults reach.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "workers/audit.hpp"

namespace tarry {

struct MarkCounts {
  std::array<std::uint64_t, std::size(kMarks)> runs = {};  // by mark

  void note(const Marks& run);
  void add(const MarkCounts& other);
  friend bool operator==(const MarkCounts&, const MarkCounts&) = default;
};

// Places that runs should reach sometimes, and that none did. `runs` has a count for each row.
[[nodiscard]] std::vector<MarkRow> unreached(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs);

// The same of `all` runs of drawn clusters; nothing where they are too few to expect each place. So a place in it is a
// finding about what is drawn.
inline constexpr std::uint64_t kRunsForAllMarks = 10'000;
[[nodiscard]] std::vector<MarkRow> overdue(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs,
                                           std::uint64_t all);

// "61 of 68 rare situations came up; not: gpu lost, ... and 1 more". Those that should never come up do not count.
[[nodiscard]] std::string marks_in_words(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs);
// {"call_broken": {"runs": 17, "meaning": "..."}, ...}, in the order of the rows; "never": true where it is so.
[[nodiscard]] nlohmann::ordered_json marks_to_json(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs);

}  // namespace tarry
