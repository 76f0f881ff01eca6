// The critical path on a report page: all of it, and cut into pieces.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "results/page/charts.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKinds = static_cast<std::size_t>(PathKind::world) + 1;
constexpr std::size_t kMostPieces = 200, kMostParts = 4'000;

struct Cuts {
  const char* at = "";       // what ends a piece
  std::vector<Nanos> times;  // by the log's clock, ascending; the last one is the end of the path
};

// At each aggregate of the first accumulator; where nothing aggregates, at each end of a step of the worker whose step
// ends the path.
Cuts cuts_of(const CriticalPath& path, const EventLog& log, const Contributions& c) {
  Cuts cuts{c.accumulators.empty() ? "step of one worker" : "aggregate", {}};
  const auto add = [&](Nanos since_start) {
    const Nanos at = since_start + log.started_at;
    if (at > path.from && at < path.to) cuts.times.push_back(at);
  };
  if (!c.accumulators.empty())
    for (const Aggregate& a : c.accumulators[0].aggregates) add(a.at);
  else
    for (const WorkerStory& w : c.workers)
      if (!w.step_ended.empty() && w.step_ended.back() + log.started_at == path.to && cuts.times.empty())
        for (const Nanos ended : w.step_ended) add(ended);
  cuts.times.push_back(path.to);
  return cuts;
}

struct Piece {
  Nanos to = 0;
  std::array<Nanos, kKinds> by_kind{};
  std::map<std::pair<PathKind, std::string>, Nanos> by_who;
};

std::string most_of(const Piece& p) {
  const auto most = std::ranges::max_element(p.by_who, {}, [](const auto& entry) { return entry.second; });
  if (most == p.by_who.end()) return "";
  const PathKindRow& row = row_of(most->first.first);
  return most->first.second.empty() ? std::string(row.name) : fmt::format("{}: {}", row.name, most->first.second);
}

// Each part is cut where a piece ends.
std::vector<Piece> pieces_of(const CriticalPath& path, const std::vector<Nanos>& ends, const EventLog& log,
                             const TaskNames& tasks) {
  std::vector<Piece> out;
  for (const Nanos to : ends) out.push_back({to, {}, {}});
  std::size_t piece = 0;
  for (const PathPart& part : path.parts) {
    const std::string whose = who(part, log, tasks);
    for (Nanos from = part.from; from < part.to;) {
      while (out[piece].to <= from) ++piece;
      const Nanos to = std::min(part.to, out[piece].to);
      out[piece].by_kind[static_cast<std::size_t>(part.kind)] += to - from;
      out[piece].by_who[{part.kind, whose}] += to - from;
      from = to;
    }
  }
  return out;
}

Json json_of(const std::vector<Piece>& pieces, Nanos started_at) {
  Json out = Json::array();
  for (const Piece& p : pieces) out.push_back({{"to_ns", p.to - started_at}, {"ns", p.by_kind}, {"most", most_of(p)}});
  return out;
}

// Consecutive parts of the same kind and of the same owner are one; those that are shorter than `least` are
// joined with the part before them.
Json parts_on_line(const CriticalPath& path, const EventLog& log, const TaskNames& tasks, Nanos least, Json& names) {
  std::map<std::string, std::size_t> ids;
  std::vector<std::array<std::int64_t, 4>> out;
  for (const PathPart& p : path.parts) {
    const std::string whose = who(p, log, tasks);
    const auto [it, is_new] = ids.try_emplace(whose, names.size());
    if (is_new) names.push_back(whose);
    const std::array<std::int64_t, 4> part{p.from - log.started_at, p.to - log.started_at,
                                           static_cast<std::int64_t>(p.kind), static_cast<std::int64_t>(it->second)};
    const bool joins =
        !out.empty() && ((out.back()[2] == part[2] && out.back()[3] == part[3]) || p.to - p.from < least);
    if (joins)
      out.back()[1] = part[1];
    else
      out.push_back(part);
  }
  return out;
}

}  // namespace

Json path_chart(const CriticalPath& path, const EventLog& log, const Contributions& c, const TaskNames& tasks) {
  const Cuts cuts = cuts_of(path, log, c);
  const std::size_t each = (cuts.times.size() + kMostPieces - 1) / kMostPieces;
  std::vector<Nanos> ends;
  for (std::size_t i = each; i < cuts.times.size(); i += each) ends.push_back(cuts.times[i - 1]);
  ends.push_back(cuts.times.back());
  Json j{{"from_ns", path.from - log.started_at},
         {"to_ns", path.to - log.started_at},
         {"kinds", Json::array()},
         {"sums", Json::array()},
         {"cut_at", cuts.at},
         {"each", each},
         {"pieces", json_of(pieces_of(path, ends, log, tasks), log.started_at)}};
  for (std::size_t k = 0; k < kKinds; ++k) {
    const PathKindRow& row = row_of(static_cast<PathKind>(k));
    j["kinds"].push_back({{"name", row.name}, {"meaning", row.meaning}});
  }
  for (const PathSum& s : sums(path, log, tasks))
    j["sums"].push_back({{"kind", row_of(s.kind).name}, {"who", s.who}, {"ns", s.time}});
  const Nanos least = path.parts.size() <= kMostParts ? 0 : (path.to - path.from) / static_cast<Nanos>(kMostParts);
  Json names = Json::array();
  j["shorter_joined_ns"] = least;
  j["parts"] = parts_on_line(path, log, tasks, least, names);
  j["names"] = names;
  return j;
}

}  // namespace tarry
