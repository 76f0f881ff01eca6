#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "placer/graph/op_def.hpp"
#include "placer/place/rules.hpp"
#include "results/evidence.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/job/programs.hpp"
#include "sim/flow_engine.hpp"
#include "sim/flow_module.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {
namespace {

int doctor(const Home& home) {
  const std::size_t graphs = list_graphs(home.graphs()).size();
  fmt::print("tarry {} at {}\n", TARRY_VERSION, home.folder);
  fmt::print("network flows by {}\n", flow_engine_name());
  fmt::print("{} ops and {} kernels registered by TensorFlow 2.15.1; {} ops computed\n", ops_of_tf215().all().size(),
             kernels_of_tf215().size(), kernel_table().rows().size());
  fmt::print("{} recorded graphs in {}\n", graphs, home.graphs());
  if (const auto module = open_flow_module(); !module.ok()) return refuse(module.status());
  if (graphs > 0) fmt::print("nothing is missing\n");
  if (graphs > 0) return kOk;
  return refuse(
      invalid("{}: no recorded graphs there; run ./tarry from a whole clone, or set TARRY_HOME to one", home.graphs()));
}

struct DoctorArguments {
  std::string tensorflow;
  bool remove = false;
};

// One release's program, wheel and unpacked files.
int remove_tensorflow(const std::string& version, const std::filesystem::path& work) {
  std::error_code failed;
  std::int64_t removed = 0;
  for (const char* folder : {"bin", "wheels", "x", "package", "missing"}) {
    if (!std::filesystem::is_directory(work / folder, failed)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(work / folder, failed))
      if (entry.path().filename().string().find(version) != std::string::npos)
        removed += static_cast<std::int64_t>(std::filesystem::remove_all(entry.path(), failed));
  }
  if (removed == 0)
    fmt::print("TensorFlow {}: nothing to remove from {}\n", version, work.string());
  else
    fmt::print("TensorFlow {}: {} removed from {}\n", version, counted(removed, "file or folder", "files and folders"),
               work.string());
  return kOk;
}

int build_tensorflow(const std::string& version, const Home& home, const std::filesystem::path& work) {
  complain(fmt::format(
      "fetching TensorFlow {} from PyPI and building a program that asks its placer (some minutes, up to 1.7 GB)\n",
      version));
  const std::string command =
      fmt::format("ulimit -S -v \"$(ulimit -H -v)\"; sh '{}/properties/tensorflow/build.sh' '{}' '{}'", home.folder,
                  work.string(), version);  // what pip and g++ take is no part of tarry's budget
  if (std::system(command.c_str()) != 0)
    return refuse(error(
        Code::kUnavailable,
        "TensorFlow {} could not be built; needed are g++, binutils with ld.gold, python3 with pip, unzip, and PyPI",
        version));
  const ReleaseRules* release = find_release(version);
  const std::string rules = release == nullptr ? "" : fmt::format(" --rules {}", release->name);
  fmt::print("now: tarry hunt placement same_as --placer tensorflow:{}{}\n", version, rules);
  return kOk;
}

int run_doctor(const DoctorArguments& a, const Home& home) {
  if (a.tensorflow.empty()) return doctor(home);
  const std::filesystem::path work = tensorflow_folder(home);
  return a.remove ? remove_tensorflow(a.tensorflow, work) : build_tensorflow(a.tensorflow, home, work);
}

}  // namespace

void add_doctor(CommandLine& line) {
  CLI::App* c = &line.command;
  auto a = std::make_shared<DoctorArguments>();
  c->add_option("--with-tensorflow", a->tensorflow,
                "Make a real TensorFlow's placer a program to hunt with (properties/tensorflow/README.md)")
      ->check(CLI::IsMember({"0.12.0", "1.12.0", "1.15.0", "2.15.1"}));
  c->add_flag("--remove", a->remove, "With --with-tensorflow: remove it again");
  c->callback([a, &line] { line.exit_code = run_doctor(*a, line.home); });
}

}  // namespace tarry
