#include "properties/cluster/marked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tarry {

void MarkCounts::note(const Marks& run) {
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += run[i] ? 1 : 0;
}

void MarkCounts::add(const MarkCounts& other) {
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] += other.runs[i];
}

std::vector<MarkRow> unreached(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs) {
  std::vector<MarkRow> none;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].is_never && runs[i] == 0) none.push_back(rows[i]);
  return none;
}

std::vector<MarkRow> overdue(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs, std::uint64_t all) {
  return all < kRunsForAllMarks ? std::vector<MarkRow>() : unreached(rows, runs);
}

namespace {

// "call broken" for "call_broken".
std::string with_spaces(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '_', ' ');
  return out;
}

}  // namespace

std::string marks_in_words(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs) {
  constexpr std::size_t kNamed = 6;
  const std::vector<MarkRow> none = unreached(rows, runs);
  const auto all = static_cast<std::size_t>(std::ranges::count(rows, false, &MarkRow::is_never));
  std::string out = fmt::format("{} of {} rare situations came up", all - none.size(), all);
  for (std::size_t i = 0; i < std::min(none.size(), kNamed); ++i)
    out += (i == 0 ? "; not: " : ", ") + with_spaces(none[i].name);
  return out + (none.size() > kNamed ? fmt::format(" and {} more", none.size() - kNamed) : "");
}

nlohmann::ordered_json marks_to_json(std::span<const MarkRow> rows, std::span<const std::uint64_t> runs) {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    j[std::string(rows[i].name)] = {{"runs", runs[i]}, {"meaning", rows[i].meaning}};
    if (rows[i].is_never) j[std::string(rows[i].name)]["never"] = true;
  }
  return j;
}

}  // namespace tarry
