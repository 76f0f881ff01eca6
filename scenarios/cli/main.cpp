#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "placer/core/check.hpp"
#include "placer/core/text.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

// "" when the first word names a command or is an option.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(c->get_name());
  if (std::ranges::find(names, argv[1]) != names.end()) return "";
  return fmt::format("unknown command '{}'{}; expected one of {}", argv[1], did_you_mean(argv[1], names), join(names, ", "));
}

int run_program(int argc, char** argv) {
  CLI::App app{"tarry: the real logic of a TensorFlow parameter-server cluster, over simulated hosts.\nTry: tarry run scenarios/10_uneven_ps"};
  app.name("tarry");
  app.require_subcommand(1);
  app.set_version_flag("--version", TARRY_VERSION);
  const char* home = std::getenv("TARRY_HOME");  // the launcher says where it stands
  const Home where{home != nullptr ? home : TARRY_SOURCE_DIR};
  int exit_code = kOk;
  CommandLine line{app, where, exit_code};
  for (const auto add : {add_run, add_list, add_place, add_partition, add_conform, add_exec, add_kernels, add_hunt, add_schema, add_bench, add_doctor, add_test}) add(line);
  if (const std::string unknown = unknown_command(app, argc, argv); !unknown.empty()) return refuse(invalid("{}", unknown));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kBadInput;
  }
  return exit_code;
}

}  // namespace
}  // namespace tarry

int main(int argc, char** argv) {
  try {
    return tarry::run_program(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "tarry: internal error: {}\nThis is a defect of tarry, not of your input.\n", e.what());
    return tarry::kInternal;
  }
}
