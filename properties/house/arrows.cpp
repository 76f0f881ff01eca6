#include <algorithm>
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

struct Layer {
  std::string_view folder;
  Folders sees;  // folders (the layers of their own subfolders not included) or single files, besides itself
};

const Folders kPlacer = {"placer/core", "placer/graph", "placer/device", "placer/place", "placer/partition"};
const Folders kOps = plus(kPlacer, {"workers", "workers/kernels", "workers/rendezvous"});
const Folders kExecutor = plus(kOps, {"workers/executor", "workers/roofline"});
const Folders kWorker = plus(kExecutor, {"workers/worker"});
const Folders kMaster = plus(kWorker, {"workers/master"});
const Folders kDirect = plus(kMaster, {"workers/direct"});
const Folders kTrain = plus(kMaster, {"workers/train"});
const Folders kEverything = plus(kTrain, {"workers/direct", "sim", "results", "scenarios", "properties"});

// The longest folder that holds a file is its layer.
const std::vector<Layer> kLayers = {{"placer/core", {}},
                                    {"placer/graph", {"placer/core"}},
                                    {"placer/device", {"placer/core"}},
                                    {"placer/place", {"placer/core", "placer/graph", "placer/device"}},
                                    {"placer/partition", {"placer/core", "placer/graph", "placer/device", "placer/place"}},
                                    {"workers", kPlacer},
                                    {"workers/kernels", kOps},
                                    {"workers/rendezvous", kOps},
                                    {"workers/roofline", kOps},
                                    {"workers/executor", kExecutor},
                                    {"workers/worker", kWorker},
                                    {"workers/master", kMaster},
                                    {"workers/direct", kDirect},
                                    {"workers/train", kTrain},
                                    {"sim", kTrain},
                                    {"results", {"placer/core", "workers/events.hpp"}},
                                    {"scenarios", kEverything},
                                    {"properties", kEverything}};

bool is_within(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

const Layer* layer_of(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& l : kLayers)
    if (is_within(path, l.folder) && (!best || l.folder.size() > best->folder.size())) best = &l;
  return best;
}

bool may_see(const Layer& from, std::string_view header) {
  const Layer* to = layer_of(header);
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
    const Layer* from = layer_of(f.path);
    if (!from) return "no layer holds this file: give its folder one (properties/house/arrows.cpp)";
    return may_see(*from, i.header) ? "" : std::string(from->folder) + " may not include " + i.header;
  });
}

Offences foreign_headers(const Sources& files) {
  return judge_includes(files, [](const Source& f, const Include& i) -> std::string {
    const std::string_view h = i.header;
    if ((h.starts_with("simgrid/") || h.starts_with("xbt/")) && !is_within(f.path, "sim")) return "SimGrid belongs to sim/: " + i.header;
    const bool is_wire = h.starts_with("google/protobuf") || is_generated(h) || h == "placer/graph/wire.hpp";
    if (is_wire && !is_within(f.path, "placer/graph")) return "protobuf belongs to placer/graph/: " + i.header;
    if (h == "workers/fake_env.hpp" && !is_test(f.path)) return "only tests live in the fake world";
    return "";
  });
}

}  // namespace tarry::house
