#include "scenarios/cli/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

#include "placer/core/text.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

// Everything that some program of tarry can do.
std::vector<std::string> all_commands(const CommandProgram& p, const CLI::App& app) {
  std::vector<std::string> names = p.others_commands;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(c->get_name());
  std::ranges::sort(names);
  return names;
}

// "" when the first word names a command or is an option.
std::string unknown_command(const CommandProgram& p, const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::vector<std::string> names = all_commands(p, app);
  if (std::ranges::find(names, argv[1]) != names.end()) return "";
  return fmt::format("unknown command '{}'{}; expected one of {}", argv[1], did_you_mean(argv[1], names),
                     join(names, ", "));
}

// Becomes the program beside this one; returns only when there is none.
Status hand_on(const CommandProgram& p, char** argv) {
  std::error_code failed;
  const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path() / p.other;
  execv(beside.c_str(), argv);
  return error(Code::kNotFound, "'{}' is a command of {}, which is not built; ./tarry {} builds and runs it", argv[1],
               beside.string(), argv[1]);
}

int parse_and_run(const CommandProgram& p, int argc, char** argv) {
  CLI::App app{
      "tarry: the real logic of a TensorFlow parameter-server cluster, over simulated hosts.\nTry: tarry run "
      "uneven_ps"};
  app.name("tarry");
  app.require_subcommand(1);
  app.set_version_flag("--version", TARRY_VERSION);
  app.footer(fmt::format("Also: {} (each has its own --help)", join(p.others_commands, ", ")));
  const char* home = std::getenv("TARRY_HOME");  // the launcher says where it stands
  const Home where{home != nullptr ? home : TARRY_SOURCE_DIR};
  int exit_code = kOk;
  CommandLine line{app, where, exit_code};
  for (const auto add : p.commands) add(line);
  if (argc > 1 && std::ranges::find(p.others_commands, argv[1]) != p.others_commands.end())
    return refuse(hand_on(p, argv));
  if (const std::string unknown = unknown_command(p, app, argc, argv); !unknown.empty())
    return refuse(invalid("{}", unknown));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kBadInput;
  }
  return exit_code;
}

// What was printed may wait in a buffer, and find no room only now.
Status check_printed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return invalid("standard output: cannot be written: {}", std::strerror(errno));
}

// Devices such as /dev/null may be written to by several.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (a.empty() || b.empty()) return false;
  if (fs::exists(a, none) && fs::exists(b, none)) return fs::is_regular_file(a, none) && fs::equivalent(a, b, none);
  return fs::weakly_canonical(fs::absolute(a, none), none) == fs::weakly_canonical(fs::absolute(b, none), none);
}

int internal_error(const std::exception& e) {
  fmt::print(stderr, "tarry: internal error: {}\nThis is a defect of tarry, not of your input.\n", e.what());
  return kInternal;
}

}  // namespace

int refuse(const Status& why) {
  fmt::print(stderr, "tarry: {}\n", text_of(why));
  return why.code() == Code::kInternal ? kInternal : kBadInput;
}

Status write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return out ? Status() : invalid("{}: cannot be written", path);
}

Status check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs) {
  outputs.push_back({"standard output", "/dev/stdout"});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(outputs[i].path, outputs[j].path))
        return invalid("{}: {} and {} would be written to one file; give each its own", outputs[j].path,
                       outputs[j].name, outputs[i].name);
    for (const NamedFile& read : inputs)
      if (is_same_file(outputs[i].path, read.path))
        return invalid("{}: {} would overwrite {}; give it a file of its own", outputs[i].path, outputs[i].name,
                       read.name);
  }
  return {};
}

CLI::App* add_command(CommandLine& line, const std::string& name, const std::string& what, const std::string& example) {
  CLI::App* command = line.app.add_subcommand(name, what);
  command->footer("Example:\n  " + example);
  return command;
}

int run_program(const CommandProgram& program, int argc, char** argv) {
  try {
    const int exit_code = parse_and_run(program, argc, argv);
    const Status printed = check_printed();
    return printed.ok() ? exit_code : refuse(printed);
  } catch (const std::bad_alloc&) {
    return refuse(out_of_memory());
  } catch (const std::system_error& e) {  // fmt's, when a buffer cannot be written
    const Status printed = check_printed();
    return printed.ok() ? internal_error(e) : refuse(printed);
  } catch (const std::exception& e) {
    return internal_error(e);
  }
}

}  // namespace tarry
