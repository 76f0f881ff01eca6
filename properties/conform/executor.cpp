#include "properties/conform/executor.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/apart.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/graph_match.hpp"
#include "properties/conform/replay.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTask = "/job:localhost/replica:0/task:0";

std::vector<std::string> cpus(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(fmt::format("{}/device:CPU:{}", kTask, i));
  return names;
}

// Tasks of a cluster mean nothing in one process: such requests were cleared when the steps were recorded.
GraphSpec without_tasks(GraphSpec g) {
  for (NodeSpec& n : g.nodes)
    if (n.device.starts_with("/job:")) n.device.clear();
  return g;
}

// Which nodes must stay together: those that share a reference, a resource or a shared name (that of a resource
// variable may be empty), and those that say so.
class Groups {
 public:
  explicit Groups(const Graph& g) : parent_(g.node_slots()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const NodeId n : g.op_nodes()) {
      for (const EdgeId e : g.in_edges(n)) join_edge(g, g.edge(e));
      join_named(g, n);
    }
  }
  std::size_t root(std::size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

 private:
  void join_edge(const Graph& g, const Edge& e) {
    if (e.is_control() || e.src == kSource) return;
    const DataType t = g.output_type(e.src, e.src_slot);
    if (is_ref(t) || t == DataType::kResource) join(e.src.index(), e.dst.index());
  }
  void join_named(const Graph& g, NodeId n) {
    const auto* shared = g.node(n).attrs.get<std::string>("shared_name");
    const bool is_named = g.node(n).op->name == "VarHandleOp" || (shared != nullptr && !shared->empty());
    if (shared != nullptr && is_named) join(n.index(), by_name_.try_emplace(*shared, n.index()).first->second);
    const auto* classes = g.node(n).attrs.get<AttrList>("_class");
    if (classes == nullptr) return;
    for (const std::string& c : classes->s)
      if (const NodeId other = c.starts_with("loc:@") ? g.find(c.substr(5)) : NodeId::none(); other.valid())
        join(n.index(), other.index());
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }
  std::vector<std::size_t> parent_;
  std::map<std::string, std::size_t> by_name_;  // the first node of a shared name
};

// Every group on one of two devices, by a seeded draw.
StatusOr<GraphSpec> split_at_random(GraphSpec spec, int seed) {
  for (NodeSpec& n : spec.nodes) n.device.clear();
  TARRY_ASSIGN(const Graph g, import_graph(spec));
  Groups groups(g);
  Random draw(static_cast<std::uint64_t>(seed) + 1);
  std::vector<int> side(g.node_slots());
  for (int& s : side) s = static_cast<int>(draw.next() >> 32 & 1);
  for (NodeSpec& n : spec.nodes) n.device = fmt::format("/device:CPU:{}", side[groups.root(g.find(n.name).index())]);
  return spec;
}

ConformRow replay_on(const std::string& name, const std::string& variant, const GraphSpec& graph, std::size_t devices,
                     const Json& steps, const ReplayRules& rules) {
  ConformRow row{name, variant};
  auto session = DirectSession::create(graph, cpus(devices));
  if (session.ok())
    replay(**session, steps, rules, row);
  else
    row.note("session", std::string(text_of(session.status())));
  return row;
}

std::string short_device(const std::string& full) { return full.substr(full.rfind("device:") + 7); }

// Our cut of a step against the recorded graphs, device by device.
StatusOr<std::string> compare_cut(const std::vector<Partition>& ours, const Json& recorded,
                                  const std::string& sidecar) {
  std::string found;
  if (ours.size() != recorded.size()) found = fmt::format("{} partitions, theirs {}; ", ours.size(), recorded.size());
  for (const Json& p : recorded) {
    const std::string device = p.at("device");
    const auto mine = std::ranges::find(ours, device, &Partition::location);
    if (mine == ours.end()) continue;
    TARRY_ASSIGN(const GraphSpec theirs, read_graph(beside(sidecar, p.at("file"))));
    if (const std::string d = difference(mine->graph, theirs); !d.empty())
      found += fmt::format("{}: {} ", short_device(device), d);
  }
  return found;
}

Status compare_cuts(const std::string& sidecar, const Json& c, const GraphSpec& graph, ConformRow& row) {
  std::map<int, Json> by_step;
  for (const Json& p : c.at("cpu2").value("partitions", Json::array())) by_step[p.at("step").get<int>()].push_back(p);
  for (const auto& [number, parts] : by_step) {
    std::error_code none;
    if (!fs::exists(beside(sidecar, parts[0].at("file")), none)) continue;
    TARRY_ASSIGN(const auto session, DirectSession::create(graph, cpus(2)));
    TARRY_ASSIGN(const StepRequest request, request_of(c.at("steps").at(static_cast<std::size_t>(number))));
    const auto ours = session->partitions(request);
    if (!ours.ok()) {
      row.note(fmt::format("cut of step {}", number), std::string(text_of(ours.status())));
      continue;
    }
    TARRY_ASSIGN(const std::string d, compare_cut(*ours, parts, sidecar));
    row.note(fmt::format("cut of step {}", number), d);
  }
  return {};
}

// The nodes that a step runs, without those for its feeds and fetches.
std::vector<std::string> names_run(const std::vector<Partition>& parts) {
  std::vector<std::string> names;
  for (const Partition& part : parts)
    for (const NodeSpec& n : part.graph.nodes)
      if (n.op != "_Arg" && n.op != "_Retval") names.push_back(n.name);
  std::ranges::sort(names);
  return names;
}

std::string difference(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  std::vector<std::string> missing, added;
  std::ranges::set_difference(theirs, ours, std::back_inserter(missing));
  std::ranges::set_difference(ours, theirs, std::back_inserter(added));
  if (missing.empty() && added.empty()) return "";
  return fmt::format("only ours: {}; only theirs: {}", fmt::join(added, " "), fmt::join(missing, " "));
}

// The names of the nodes that functions became.
Status compare_names(const Json& c, const GraphSpec& graph, ConformRow& row) {
  TARRY_ASSIGN(const auto session, DirectSession::create(graph, cpus(1)));
  int number = -1;
  for (const Json& step : c.at("steps")) {
    ++number;
    if (!step.contains("lowered")) continue;
    TARRY_ASSIGN(const StepRequest request, request_of(step));
    TARRY_ASSIGN(const std::vector<Partition> parts, session->partitions(request));
    row.note(fmt::format("names of step {}", number), difference(names_run(parts), step.at("lowered")));
  }
  return {};
}

// On which of two devices the nodes of a step are.
Status compare_devices(const Json& c, const GraphSpec& graph, ConformRow& row) {
  TARRY_ASSIGN(const auto session, DirectSession::create(graph, cpus(2)));
  for (const Json& placed : c.at("cpu2").at("placed")) {
    const auto number = placed.at("step").get<std::size_t>();
    TARRY_ASSIGN(const StepRequest request, request_of(c.at("steps").at(number)));
    TARRY_ASSIGN(const std::vector<Partition> parts, session->partitions(request));
    std::string found;
    for (const Partition& part : parts)
      for (const NodeSpec& n : part.graph.nodes)
        if (const std::string theirs = placed.at("devices").value(n.name, short_device(part.location));
            theirs != short_device(part.location))
          found += fmt::format("{} is on {}, theirs {}; ", n.name, short_device(part.location), theirs);
    row.note(fmt::format("devices of step {}", number), found);
  }
  return {};
}

}  // namespace

void ConformRow::note(const std::string& what, const std::string& difference) {
  ++total;
  if (difference.empty())
    ++agreed;
  else if (differences.size() < 5)
    differences.push_back(what + ": " + difference);
}

std::string beside(const std::string& path, const std::string& file) {
  const fs::path found = fs::path(path).parent_path() / file;
  std::error_code none;
  return fs::exists(found, none) ? found.string() : found.string() + ".zst";
}

StatusOr<Json> read_json(const std::string& path) {
  TARRY_ASSIGN(const std::string text, read_file(path));
  auto j = parse_recording<Json>(text, kLongestText);
  if (!j.ok()) return with_prefix(j.status(), path + ": ");
  if (!j->is_object()) return invalid("{}: not a JSON object", path);
  return j;
}

namespace {

std::size_t count_of_devices(const Json& c) {
  constexpr std::size_t kMost = 64;
  return within(c.at("devices").size(), std::size_t{1}, kMost, "the number of devices");
}

// With the C library of Debian 12, by which the recordings were made; that of Debian 13 gives 0x1.7c35bap-3.
bool has_the_recorded_log1p() {
  const volatile float x = 0x1.a1cacp-3F;
  return std::log1p(x) == 0x1.7c35b8p-3F;
}

ReplayRules rules_of(const Json& c) {
  return {.texts_repeatable = c.value("repeatable", true),
          .by_way_of_floats = c.value("by_way_of_floats", false) && !has_the_recorded_log1p()};
}

StatusOr<std::vector<ConformRow>> executor_rows(const Json& c, const std::string& sidecar, int random_splits) {
  if (!c.contains("steps") || !c.contains("file"))
    return invalid("{}: not the sidecar of a graph with values (no 'steps', no 'file')", sidecar);
  const std::string name = c.at("name");
  TARRY_ASSIGN(const GraphSpec graph, read_graph(beside(sidecar, c.at("file"))));
  const GraphSpec local = without_tasks(graph);
  const Json& steps = c.at("steps");
  std::vector<ConformRow> rows{replay_on(name, "one device", local, 1, steps, rules_of(c))};
  rows.push_back({name, "names"});
  TARRY_RETURN_IF_ERROR(compare_names(c, local, rows.back()));
  const ReplayRules codes{.compare_texts = false, .by_way_of_floats = rules_of(c).by_way_of_floats};
  if (c.contains("cpu2")) {
    TARRY_ASSIGN(const GraphSpec two, read_graph(beside(sidecar, c.at("cpu2").at("file"))));
    rows.push_back(replay_on(name, "two devices", two, 2, c.at("cpu2").value("steps", steps), codes));
    rows.push_back({name, "cut"});
    if (c.at("cpu2").contains("placed")) TARRY_RETURN_IF_ERROR(compare_devices(c, two, rows.back()));
    if (c.at("cpu2").value("stable", false)) TARRY_RETURN_IF_ERROR(compare_cuts(sidecar, c, two, rows.back()));
  }
  if (!c.value("splits", true)) return rows;  // its functions have requests of their own
  for (int i = 0; i < random_splits; ++i) {
    TARRY_ASSIGN(const GraphSpec split, split_at_random(local, i));
    rows.push_back(replay_on(name, fmt::format("split {}", i), split, 2, steps, codes));
  }
  return rows;
}

StatusOr<std::vector<ConformRow>> split_rows(const Json& c, const std::string& sidecar) {
  if (!c.contains("devices") || !c.contains("steps"))
    return invalid("{}: not the sidecar of a split graph (no 'devices', no 'steps')", sidecar);
  TARRY_ASSIGN(const GraphSpec graph, read_graph(beside(sidecar, c.at("file"))));
  std::vector<ConformRow> rows;
  for (const Json& step : c.at("steps")) {
    if (!step.value("stable", false)) continue;
    ConformRow& row = rows.emplace_back(ConformRow{c.at("name"), step.at("step")});
    TARRY_ASSIGN(const auto session, DirectSession::create(graph, cpus(count_of_devices(c)), {.soft_placement = true}));
    StepRequest request{.feeds = {}, .fetches = step.at("fetches"), .targets = step.at("targets")};
    for (const Json& feed : step.at("feeds")) request.feeds[feed.get<std::string>()] = nullptr;
    const auto ours = session->partitions(request);
    if (!ours.ok()) row.note("cut", std::string(text_of(ours.status())));
    if (!ours.ok()) continue;
    TARRY_ASSIGN(const std::string d, compare_cut(*ours, step.at("partitions"), sidecar));
    row.note("cut", d);
  }
  return rows;
}

nlohmann::json to_json(const std::vector<ConformRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const ConformRow& r : rows) all.push_back({r.name, r.variant, r.agreed, r.total, r.differences});
  return all;
}

// What `rows_of` makes of a sidecar, in a child process.
StatusOr<std::vector<ConformRow>> rows_apart(
    const std::string& sidecar, const std::function<StatusOr<std::vector<ConformRow>>(const Json& c)>& rows_of,
    int seconds = kProcessorSeconds) {
  TARRY_ASSIGN(const Json c, read_json(sidecar));
  const auto judged = judge_apart(
      [&]() -> StatusOr<nlohmann::json> {
        TARRY_ASSIGN(const std::vector<ConformRow> rows, refused(sidecar, [&] { return rows_of(c); }));
        return to_json(rows);
      },
      seconds);
  if (!judged.ok()) return judged.status();
  std::vector<ConformRow> rows;
  for (const nlohmann::json& r : *judged)
    rows.push_back({r.at(0), r.at(1), r.at(2).get<int>(), r.at(3).get<int>(), r.at(4)});
  return rows;
}

}  // namespace

StatusOr<std::vector<ConformRow>> conform_executor(const std::string& sidecar, int random_splits) {
  return rows_apart(
      sidecar, [&](const Json& c) { return executor_rows(c, sidecar, random_splits); },
      kProcessorSeconds * (1 + random_splits));
}

StatusOr<std::vector<ConformRow>> conform_split(const std::string& sidecar) {
  return rows_apart(sidecar, [&](const Json& c) { return split_rows(c, sidecar); });
}

}  // namespace tarry
