#include <fmt/format.h>

#include <filesystem>

#include "placer/graph/op_def.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/programs.hpp"
#include "sim/flow_engine.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {
namespace {

int doctor(const Home& home) {
  const std::size_t graphs = list_graphs(home.graphs()).size();
  fmt::print("tarry {} at {}\n", TARRY_VERSION, home.folder);
  fmt::print("flows by {}\n", flow_engine_name());
  fmt::print("{} ops and {} kernels registered by TensorFlow 2.15.1; {} ops computed\n", ops_of_tf215().all().size(), kernels_of_tf215().size(), kernel_table().rows().size());
  fmt::print("{} recorded graphs in {}\n", graphs, home.graphs());
  if (graphs > 0) return kOk;
  return refuse(invalid("{}: no recorded graphs there; run ./tarry from a whole clone, or set TARRY_HOME to one", home.graphs()));
}

}  // namespace

void add_doctor(CommandLine& line) {
  CLI::App* c = add_command(line, "doctor", "What this tarry is made of, and whether all of it is there.", "tarry doctor");
  c->callback([&line] { line.exit_code = doctor(line.home); });
}

}  // namespace tarry
