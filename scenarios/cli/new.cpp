// `tarry new GRAPH`: a scenario for a graph that has none, with what its ops tell of it.

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/new_files.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/job/guess.hpp"
#include "scenarios/job/guess_feeds.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr int kBatch = 32;

struct NewArguments {
  std::string graph, out;
  bool json = false;
};

struct NewScenario {
  std::string name, folder, yaml;
  bool ships = false;  // the graph has its sidecar already, and its name will do
  GraphSpec graph;
  GuessedSidecar guessed;
};

std::string name_of(const std::string& graph) {
  std::string name = fs::path(graph).filename();
  for (const char* ending : {".zst", ".gz", ".pbtxt", ".pb", ".meta"})
    if (name.ends_with(ending)) name.erase(name.size() - std::string_view(ending).size());
  return name;
}

// A folder is no graph; some folders have one, or need none.
Status check_is_file(const std::string& graph) {
  std::error_code none;
  if (!fs::is_directory(graph, none)) return {};
  if (fs::exists(graph + "/scenario.yaml", none))
    return invalid("{}: is a scenario already: tarry run {}", graph, shell_word(graph));
  if (fs::exists(graph + "/saved_model.pb", none))
    return invalid(
        "{}: a SavedModel is for serving and has no training step; expected the graph of a training script, which "
        "tarry_export.py writes (docs/from_a_script.md)",
        graph);
  return invalid("{}: a folder; expected a GraphDef or MetaGraphDef (.pb, .pbtxt, .meta)", graph);
}

// ---- the scenario ----

bool can_be_built(const GuessedSidecar& g) {
  const auto& session = g.sidecar["session"];
  return g.servers > 0 && session.contains("saver") && session.contains("ready_for_local_init_op");
}

std::string protocol_text(const GuessedSidecar& g) {
  if (!g.sidecar.contains("sync")) return "async";
  return fmt::format("sync, replicas_to_aggregate: {}", g.sidecar["sync"]["replicas_to_aggregate"].dump());
}

// As many as the graph's own job had, and two at least, so that there is something to see.
std::size_t workers_of(const GuessedSidecar& g) {
  return g.sidecar.contains("sync") ? std::max<std::size_t>(2, g.sidecar["sync"]["total_num_replicas"]) : 2;
}

// The tasks that the graph's own devices name.
std::string tasks_of_graph(const GuessedSidecar& g, const std::string& gpus) {
  std::string hosts = "host0", tasks = fmt::format("    {}: {{host: host0{}}}\n", g.worker, gpus);
  if (g.workers > 1) {
    hosts = fmt::format("{{name: \"host{{index}}\", count: {}}}", g.workers);
    tasks = fmt::format("    worker: {{count: {}, host: \"host{{index}}\"{}}}\n", g.workers, gpus);
  }
  if (g.servers > 0) {
    hosts += fmt::format(", {{name: \"ps{{index}}\", count: {}}}", g.servers);
    tasks += fmt::format("    ps: {{count: {}, host: \"ps{{index}}\"}}\n", g.servers);
  }
  return fmt::format("cluster:\n  hosts: [{}]\n  tasks:\n{}", hosts, tasks);
}

std::string cluster_text(const GuessedSidecar& g) {
  const std::string gpus = g.gpus > 0 ? fmt::format(", gpus: {}", g.gpus) : "";
  if (!can_be_built(g)) return tasks_of_graph(g, gpus);
  return fmt::format(
      "cluster:\n"
      "  hosts:  # for 64 workers write count: 64 twice, or run with --workers 64\n"
      "    - {{name: \"ps{{index}}\", count: {0}}}\n"
      "    - {{name: \"host{{index}}\", count: {1}}}\n"
      "  tasks:\n"
      "    ps: {{count: {0}, host: \"ps{{index}}\"}}\n"
      "    worker: {{count: {1}, host: \"host{{index}}\"{2}}}\n",
      g.servers, workers_of(g), gpus);
}

std::string job_text(const GuessedSidecar& g, const std::string& graph) {
  if (!can_be_built(g))
    return fmt::format("# The graph as it is, for one client.\nprograms:\n  - {{task: {}, graph: {}}}\n", g.worker,
                       graph);
  return fmt::format(
      "# Every worker's graph is made from this one, with or without SyncReplicasOptimizer.\n"
      "build: {{graph: {}, protocol: {}}}\n",
      graph, protocol_text(g));
}

std::string devices_text(const GuessedSidecar& g) {
  const std::string cpu = "{flops: 100Gflop/s, memory_bandwidth: 20GB/s, launch: 5us}",
                    gpu = "{flops: 10Tflop/s, memory_bandwidth: 500GB/s, launch: 10us, copy_bandwidth: 10GB/s}";
  return fmt::format(
      "  # What a device can do at most. Put your machine's figures here: docs/manual.md, section 8.\n{}",
      g.gpus == 0 ? fmt::format("  devices: {{cpu: {}}}\n", cpu)
                  : fmt::format("  devices:\n    cpu: {}\n    gpu: {}\n", cpu, gpu));
}

std::string training_text(const GuessedSidecar& g, const FeedHints& feeds) {
  std::string keys;
  if (g.gpus > 0) keys += "  soft_placement: true  # ops go to a CPU where the graph's device has no kernel for them\n";
  if (!can_be_built(g) && g.workers > 1)
    keys += "  device_filters: false  # its ops are on other workers' tasks, too\n";
  if (!feeds.deciding.empty()) keys += "  values_up_to: all  # predicates depend on values\n";
  return keys.empty() ? "" : "training:\n" + keys;
}

// One value in each row: the first one of a sparse tensor's row.
std::string rows_of(std::int64_t rank) {
  std::string rows;
  for (int row = 0; row < kBatch; ++row) {
    rows += fmt::format("{}[{}", row == 0 ? "" : ", ", row);
    for (std::int64_t d = 1; d < rank; ++d) rows += ", 0";
    rows += "]";
  }
  return fmt::format("&rows{} [{}]", rank, rows);
}

std::string values_text(const FeedHints& feeds) {
  std::string out;
  std::set<std::int64_t> ranks;
  for (const SparseFeed& f : feeds.sparse)
    out += fmt::format("    \"{}\": {}\n", f.indices,
                       ranks.insert(f.rank).second ? rows_of(f.rank) : fmt::format("*rows{}", f.rank));
  for (const std::string& name : feeds.deciding)
    out += fmt::format("    \"{}\": {{normal: {{}}}}  # a predicate depends on it\n", name);
  return out.empty() ? "" : "  values:  # others are zeros\n" + out;
}

bool takes_batch(const GuessedSidecar& g) {
  return std::ranges::any_of(g.sidecar["feeds"], [](const auto& feed) {
    return std::ranges::any_of(feed["shape"], [](const auto& d) { return d.is_null(); });
  });
}

std::string feeds_text(const GuessedSidecar& g, const FeedHints& feeds) {
  const std::string values = values_text(feeds),
                    batch = fmt::format("  batch: {}  # what the graph leaves open in the shapes of feeds\n", kBatch);
  const std::string keys = (takes_batch(g) ? batch : "") + values;
  return keys.empty() ? "" : "feeds:\n" + keys;
}

std::string scenario_text(const NewScenario& s, const FeedHints& feeds) {
  const GuessedSidecar& g = s.guessed;
  return fmt::format(
      "title: {} as tarry new found it\n{}{}"
      "  network: {{latency: 100us, nic: 10Gbps}}\n{}{}{}"
      "stop: {{{}: 20}}\n",
      s.name, cluster_text(g), devices_text(g), job_text(g, s.ships ? s.name : s.name + ".pb"), training_text(g, feeds),
      feeds_text(g, feeds), g.sidecar.contains("sync") && can_be_built(g) ? "aggregates" : "steps");
}

// ---- what is written and said ----

StatusOr<NewScenario> make(const NewArguments& a, const Home& home) {
  TARRY_RETURN_IF_ERROR(check_is_file(a.graph));
  NewScenario out{.name = name_of(a.graph), .folder = a.out};
  if (out.folder.empty()) out.folder = out.name;
  std::error_code none;
  out.ships = !fs::exists(a.graph, none) && !is_graph_file(a.graph);
  GraphFiles files{a.graph, ""};
  if (out.ships) {
    TARRY_ASSIGN(files, find_graph(a.graph, home.graphs()));
  }
  TARRY_ASSIGN(out.graph, read_graph(files.graph));
  for (const std::string& file : {std::string("scenario.yaml"), out.name + ".json"})
    if (const std::string path = out.folder + "/" + file; fs::exists(path, none))
      return invalid("{}: is there already; expected a new folder: --out DIR", path);
  out.guessed = guess_sidecar(out.graph, out.name);
  out.yaml = scenario_text(out, guess_feeds(out.graph));
  TARRY_RETURN_IF_ERROR(parse_scenario(out.yaml, out.folder + "/scenario.yaml").status());
  return out;
}

Status write(const NewScenario& s) {
  std::error_code failed;
  fs::create_directories(s.folder, failed);
  if (failed) return invalid("{}: cannot be made: {}", s.folder, failed.message());
  NewFiles files;
  if (!s.ships) TARRY_RETURN_IF_ERROR(files.add(s.folder + "/" + s.name + ".pb", to_binary(s.graph)));
  if (!s.ships)
    TARRY_RETURN_IF_ERROR(files.add(s.folder + "/" + s.name + ".json", json_text(s.guessed.sidecar, 1) + "\n"));
  TARRY_RETURN_IF_ERROR(files.add(s.folder + "/scenario.yaml", s.yaml));
  return files.replace();
}

std::string in_words(const NewScenario& s) {
  std::string out = fmt::format("{} has a scenario, and what was found in the graph:\n", s.folder);
  for (const std::string& f : s.guessed.found) out += fmt::format("  {}\n", f);
  if (s.ships) return out + fmt::format("Now: tarry run {}\n", shell_word(s.folder));
  if (!s.guessed.missing.empty())
    out +=
        fmt::format("The graph does not tell (docs/manual.md, section 7; say it in {}/{}.json):\n", s.folder, s.name);
  for (const std::string& m : s.guessed.missing) out += fmt::format("  {}\n", m);
  return out + fmt::format("Now: tarry run {}\n", shell_word(s.folder));
}

int make_new(const NewArguments& a, const Home& home) {
  const auto made = make(a, home);
  if (!made.ok()) return refuse(made.status());
  if (const Status s = write(*made); !s.ok()) return refuse(s);
  const nlohmann::ordered_json j{
      {"folder", made->folder}, {"found", made->guessed.found}, {"missing", made->guessed.missing}};
  fmt::print("{}", a.json ? json_text(j, 1) + "\n" : in_words(*made));
  return kOk;
}

}  // namespace

void add_new(CommandLine& line) {
  auto a = std::make_shared<NewArguments>();
  CLI::App* c = &line.command;
  c->add_option(
       "graph", a->graph,
       "A training graph: GraphDef or MetaGraphDef (.pb, .pbtxt, .meta), perhaps compressed; or the name of one "
       "that ships (tarry list --graphs)")
      ->required();
  c->add_option("--out", a->out, "The folder that is made; the graph's name if it is not given");
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = make_new(*a, line.home); });
}

}  // namespace tarry
