#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <string_view>

#include "properties/house/rules.hpp"

namespace tarry::house {
namespace {

using Folders = std::vector<std::string_view>;

Folders plus(Folders these, std::initializer_list<std::string_view> more) {
  these.insert(these.end(), more);
  return these;
}

struct Room {
  std::string_view folder;
  Folders sees;  // folders (the rooms in them not included) or single files, besides itself
};

const Folders kPlacer = {"placer/core",  "placer/graph", "placer/device",
                         "placer/place", "placer/lower", "placer/partition"};
const Folders kState = plus(kPlacer, {"workers", "workers/tensor"});
const Folders kKernels = plus(kState, {"workers/rendezvous", "workers/state"});
const Folders kExecutor = plus(kKernels, {"workers/kernels", "workers/roofline"});
const Folders kWorker = plus(kExecutor, {"workers/executor"});
const Folders kMaster = plus(kWorker, {"workers/worker"});
const Folders kClient = plus(kMaster, {"workers/master"});
const Folders kJob = plus(kClient, {"workers/train", "sim", "results"});
const Folders kFile = plus(kJob, {"scenarios/job"});
const Folders kConform = plus(kFile, {"workers/direct", "scenarios/file"});
const Folders kHunts = plus(kConform, {"properties/conform", "properties/hunting"});

// A room sees rooms above it in this list only, so no arrow can run back. The longest folder that holds a file is its
// room.
const std::vector<Room> kRooms = {
    {"placer/core", {}},
    {"placer/graph", {"placer/core"}},
    {"placer/device", {"placer/core"}},
    {"placer/place", {"placer/core", "placer/graph", "placer/device"}},
    {"placer/lower", {"placer/core", "placer/graph", "placer/device", "placer/place"}},
    {"placer/partition", {"placer/core", "placer/graph", "placer/device", "placer/place"}},
    {"workers", kPlacer},
    {"workers/tensor", plus(kPlacer, {"workers"})},
    {"workers/rendezvous", kState},
    {"workers/state", kState},
    {"workers/kernels", kKernels},
    {"workers/roofline", plus(kKernels, {"workers/kernels"})},
    {"workers/executor", kExecutor},
    {"workers/worker", kWorker},
    {"workers/master", kMaster},
    {"workers/direct", kClient},
    {"workers/train", kClient},
    {"sim", plus(kPlacer, {"workers/causes.hpp", "workers/env.hpp", "workers/events.hpp", "workers/nanos.hpp",
                           "workers/device_memory.hpp"})},
    {"sim/simgrid", {"placer/core", "workers/nanos.hpp", "sim"}},
    {"results", {"placer/core", "workers/events.hpp", "workers/audit.hpp", "workers/causes.hpp"}},
    {"results/tables", {"placer/core", "results"}},
    {"scenarios/job", kJob},
    {"scenarios/file", kFile},
    {"scenarios/sweep", plus(kFile, {"results/tables", "scenarios/file"})},
    {"scenarios/cases", plus(kFile, {"scenarios/file"})},
    {"scenarios/cli", plus(kFile, {"results/tables", "scenarios/file", "scenarios/sweep", "scenarios/cases"})},
    {"scenarios/mpi", {"placer/core", "placer/graph", "sim", "scenarios/sweep", "scenarios/cli"}},
    {"properties/house", {}},
    {"properties/conform", kConform},
    {"properties/hunting", {"placer/core", "placer/graph"}},
    {"properties/placement", kHunts},
    {"properties/programs", kHunts},
    {"properties/cluster", plus(kHunts, {"scenarios/cases"})},
    {"properties/partition", plus(kHunts, {"properties/placement", "properties/programs"})},
    {"properties/fuzz", plus(kHunts, {"properties/placement", "properties/programs"})},
    {"properties/tensorflow", {}},
    {"properties/bench", {"placer/core", "results", "results/tables"}},
    {"docs/consumer", {"placer/graph", "placer/place"}},
    {"properties/cli",
     plus(kHunts, {"results/tables", "properties/bench", "properties/cluster", "properties/partition",
                   "properties/placement", "properties/programs", "scenarios/cases", "scenarios/cli"})}};

bool is_within(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

const Room* room_of(std::string_view path) {
  const Room* best = nullptr;
  for (const Room& l : kRooms)
    if (is_within(path, l.folder) && (!best || l.folder.size() > best->folder.size())) best = &l;
  return best;
}

bool may_see(const Room& from, std::string_view header) {
  const Room* to = room_of(header);
  if (to == &from) return true;
  return std::ranges::any_of(from.sees, [&](std::string_view s) { return s == header || (to && s == to->folder); });
}

// The header that a line includes, and whether by quotes.
struct Include {
  std::string header;
  bool is_ours = false;
};
std::optional<Include> include_of(std::string_view line) {
  if (line.find("#include") == std::string_view::npos) return std::nullopt;
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::match_results<std::string_view::const_iterator> m;
  if (!std::regex_match(line.begin(), line.end(), m, pattern)) return std::nullopt;
  return Include{m[2], m[1] == "\""};
}

template <class Judge>
Offences judge_includes(const Sources& files, Judge judge) {
  Offences out;
  for (const Source& f : files) {
    if (!is_cpp(f.path)) continue;
    for (const Line& l : lines(f.text))
      if (const auto include = include_of(l.text))
        if (const std::string wrong = judge(f, *include); !wrong.empty()) out.push_back(at(f, l.number) + ": " + wrong);
  }
  return out;
}

bool is_generated(std::string_view header) { return header.ends_with(".pb.h"); }

}  // namespace

Offences wrong_arrows(const Sources& files) {
  return judge_includes(files, [](const Source& f, const Include& i) -> std::string {
    if (!i.is_ours || is_generated(i.header)) return "";
    const Room* from = room_of(f.path);
    if (!from) return "no room holds this file: give its folder one (properties/house/arrows.cpp)";
    return may_see(*from, i.header) ? "" : std::string(from->folder) + " may not include " + i.header;
  });
}

std::vector<Arrow> arrows(const Sources& files) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counted;  // by place in the list of rooms
  for (const Source& f : files) {
    if (!is_cpp(f.path)) continue;
    const Room* from = room_of(f.path);
    for (const Line& l : lines(f.text))
      if (const auto include = include_of(l.text); include && include->is_ours && !is_generated(include->header))
        if (const Room* to = room_of(include->header); from && to && from != to)
          ++counted[{from - kRooms.data(), to - kRooms.data()}];
  }
  std::vector<Arrow> out;
  for (const auto& [rooms, includes] : counted)
    out.push_back({std::string(kRooms[rooms.first].folder), std::string(kRooms[rooms.second].folder), includes});
  return out;
}

std::vector<std::string> rooms() {
  std::vector<std::string> names;
  for (const Room& r : kRooms) names.emplace_back(r.folder);
  return names;
}

Offences foreign_headers(const Sources& files) {
  return judge_includes(files, [](const Source& f, const Include& i) -> std::string {
    const std::string_view h = i.header;
    if ((h.starts_with("simgrid/") || h.starts_with("xbt/")) && !is_within(f.path, "sim"))
      return "SimGrid belongs to sim/: " + i.header;
    if (h == "mpi.h" && f.path != "scenarios/mpi/ranks.cpp") return "MPI belongs to scenarios/mpi/ranks.cpp";
    const bool is_wire = h.starts_with("google/protobuf") || is_generated(h) || h == "placer/graph/wire.hpp";
    if (is_wire && !is_within(f.path, "placer/graph")) return "protobuf belongs to placer/graph/: " + i.header;
    if (h == "workers/fake_env.hpp" && !is_test(f.path)) return "only tests live in the fake world";
    return "";
  });
}

}  // namespace tarry::house
