#include "placer/partition/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "placer/partition/replicate_constants.hpp"
#include "properties/cli/placed.hpp"
#include "results/evidence.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct PartCounts {
  std::uint64_t nodes = 0, sends = 0, receives = 0;
};

PartCounts count(const GraphSpec& g) {
  PartCounts c;
  for (const NodeSpec& n : g.nodes) {
    ++c.nodes;
    c.sends += n.op == "_Send" || n.op == "_HostSend" ? 1 : 0;
    c.receives += n.op == "_Recv" || n.op == "_HostRecv" ? 1 : 0;
  }
  return c;
}

// "/job:ps/replica:0/task:0" -> "job_ps_replica_0_task_0.pbtxt"
std::string file_name(std::string location) {
  std::ranges::replace_if(
      location, [](char c) { return c == '/' || c == ':'; }, '_');
  return location.substr(1) + ".pbtxt";
}

Status write_parts(const std::vector<Partition>& parts, const PlaceArguments& a) {
  if (a.out.empty()) return {};
  std::error_code failed;
  std::filesystem::create_directories(a.out, failed);
  std::vector<NamedFile> files;
  for (const Partition& p : parts) files.push_back({"--out", std::filesystem::path(a.out) / file_name(p.location)});
  TARRY_RETURN_IF_ERROR(check_outputs(files, {{"the graph", a.graph}}));
  for (std::size_t i = 0; i < parts.size(); ++i)
    TARRY_RETURN_IF_ERROR(write_file(files[i].path, to_text(parts[i].graph)));
  say_written((std::filesystem::path(a.out) / "*.pbtxt").string());
  return {};
}

// By task as the master cuts, which copies small constants first (2.15), or in one go by device; as the release that
// placed the graph.
PartitionOptions cut_options(const PlaceArguments& a, const Placed& placed, std::uint64_t& counter) {
  PartitionOptions options;
  options.rules = placed.rules;
  options.cut = partition_rules_of(placed.rules);
  if (placed.release) {
    options.kernels = &placed.release->tables.kernels;
    options.ops = &placed.release->tables.ops;
  }
  options.by = a.by == "task" ? CutBy::task : CutBy::device;
  options.new_name = [&counter](std::string_view prefix) { return fmt::format("{}_S{}", prefix, ++counter); };
  options.incarnation = [](std::string_view) { return std::uint64_t{1}; };
  return options;
}

void print_parts(const std::vector<Partition>& parts, bool as_json) {
  Json j = Json::array();
  for (const Partition& p : parts) {
    const PartCounts c = count(p.graph);
    if (as_json)
      j.push_back({{"location", p.location}, {"nodes", c.nodes}, {"sends", c.sends}, {"receives", c.receives}});
    else
      fmt::print("{:<46} {:>7} nodes {:>6} sends {:>6} receives\n", p.location, c.nodes, c.sends, c.receives);
  }
  if (as_json) fmt::print("{}\n", j.dump(1));
}

bool calls_functions(const Graph& g, NodeId n) {
  const auto is_function = [&](std::string_view name) {
    return std::ranges::any_of(g.functions, [&](const FunctionSpec& f) { return f.signature.name == name; });
  };
  return is_function(g.op_name(n)) || std::ranges::any_of(g.node(n).attrs, [&](const AttrEntry& attr) {
           const auto* one = attr.second.get<FuncRef>();
           const auto* list = attr.second.get<AttrList>();
           return (one != nullptr && is_function(one->name)) ||
                  (list != nullptr && std::ranges::any_of(list->func, is_function, &FuncRef::name));
         });
}

// A session would take their functions into its graph before it is placed.
void print_what_is_left_whole(const Graph& g) {
  const auto whole = std::ranges::count_if(g.op_nodes(), [&](NodeId n) { return calls_functions(g, n); });
  if (whole > 0)
    fmt::print(
        "{} with functions {} left whole: a session takes functions into its graph first, and cuts what is in them, "
        "too.\n",
        counted(whole, "node", "nodes"), whole == 1 ? "is" : "are");
}

int run_partition(const PlaceArguments& a, const Home& home) {
  auto placed = place_graph(a, home);
  if (!placed.ok()) return refuse(placed.status());
  if (!placed->status.ok()) return refuse(placed->status);
  std::uint64_t counter = 0;
  if (a.by == "task" && placed->release == nullptr) replicate_constants(placed->graph, placed->devices);
  const auto parts = partition(placed->graph, placed->devices, cut_options(a, *placed, counter));
  if (!parts.ok()) return refuse(parts.status());
  if (const Status s = write_parts(*parts, a); !s.ok()) return refuse(s);
  print_parts(*parts, a.json);
  if (!a.json) print_what_is_left_whole(placed->graph);
  return kOk;
}

}  // namespace

void add_partition(CommandLine& line) {
  auto a = std::make_shared<PlaceArguments>();
  CLI::App* c = &line.command;
  add_graph_options(c, a);
  c->add_option("--out", a->out, "Write each partition to this folder (.pbtxt)")->check([](const std::string& folder) {
    return folder.empty() ? "needs the name of a folder" : "";
  });
  c->add_option("--by", a->by, "task or device")->capture_default_str()->check(CLI::IsMember({"task", "device"}));
  c->callback([a, &line] { line.exit_code = run_partition(*a, line.home); });
}

}  // namespace tarry
