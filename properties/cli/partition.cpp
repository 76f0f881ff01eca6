#include "placer/partition/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "properties/cli/placed.hpp"

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

// By task as the master cuts, or in one go by device; as the release that placed the graph.
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

int run_partition(const PlaceArguments& a, const Home& home) {
  auto placed = place_graph(a, home);
  if (!placed.ok()) return refuse(placed.status());
  if (!placed->status.ok()) return refuse(placed->status);
  std::uint64_t counter = 0;
  const auto parts = partition(placed->graph, placed->devices, cut_options(a, *placed, counter));
  if (!parts.ok()) return refuse(parts.status());
  if (const Status s = write_parts(*parts, a); !s.ok()) return refuse(s);
  print_parts(*parts, a.json);
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
