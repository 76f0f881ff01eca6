#include "scenarios/cli/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>

#include "placer/core/text.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/describe.hpp"
#include "scenarios/cli/memory.hpp"
#include "scenarios/cli/new_files.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/file/yaml.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

// "" when the first word names a command or is an option.
std::string unknown_command(const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-') || find_command(words[0]) != nullptr) return "";
  std::vector<std::string> names;
  for (const Command& c : command_table()) names.emplace_back(c.name);
  return fmt::format("unknown command '{}'{}; expected one of {}", words[0], did_you_mean(words[0], names),
                     join(names, ", "));
}

// The program on whose command line a command's options are.
struct CommandLines {
  explicit CommandLines(std::string_view program) : program(program) {
    app.name("tarry");
    app.require_subcommand(1);
    app.set_version_flag("--version", version_text());
    app.footer(
        "`tarry COMMAND --help` shows a command's options and an example.\n"
        "`--memory SIZE` with any command: the most memory it may take (default: three quarters of the machine's).");
    for (const Command& c : command_table()) add(c);
  }

  void add(const Command& c) {
    CLI::App* command = app.add_subcommand(std::string(c.name), std::string(c.what));
    command->group(std::string(heading(c.group)));
    command->footer("Example:\n  " + std::string(c.example));
    if (c.program == program && c.add != nullptr) c.add(lines.emplace_back(CommandLine{*command, home, exit_code}));
  }

  std::string_view program;
  Home home = find_home();
  int exit_code = kOk;
  CLI::App app{
      "tarry runs the real logic of a TensorFlow parameter-server cluster over simulated hosts.\n"
      "Try: tarry run uneven_ps"};
  std::deque<CommandLine> lines;
};

// As this program was called: with --json, errors are JSON too.
bool asked_for_json() {
  std::ifstream line("/proc/self/cmdline");
  std::string word;
  while (std::getline(line, word, '\0'))
    if (word == "--json") return true;
  return false;
}

void tell_json(std::string_view error, int exit_code) {
  if (asked_for_json()) fmt::print("{}\n", json_text({{"error", std::string(error)}, {"exit_code", exit_code}}));
}

// Words that the command, or the one below it, does not know; "" where it knows them all.
std::string unknown_words(const CLI::App& app) {
  const CLI::App* command = &app;
  std::string path;
  for (; !command->get_subcommands().empty(); command = command->get_subcommands().front())
    path += command->get_subcommands().front()->get_name() + " ";
  std::vector<std::string> below, options;
  for (const CLI::App* c : command->get_subcommands([](const CLI::App*) { return true; }))
    below.push_back(c->get_name());
  for (const CLI::Option* o : command->get_options())
    for (const std::string& name : o->get_lnames()) options.push_back("--" + name);
  for (const std::string& word : path.empty() ? std::vector<std::string>() : command->remaining()) {
    if (word.starts_with("--"))
      return fmt::format("{}has no option '{}'{}; `tarry {}--help` shows those that it has", path, word,
                         did_you_mean(word, options), path);
    if (!below.empty())
      return fmt::format("{}has no '{}'{}; expected one of {}", path, word, did_you_mean(word, below),
                         join(below, ", "));
  }
  return "";
}

int parse_and_run(std::string_view program, std::vector<std::string> words) {
  if (const std::string unknown = unknown_command(words); !unknown.empty()) return refuse(invalid("{}", unknown));
  const Command* command = words.empty() ? nullptr : find_command(words[0]);
  if (command != nullptr && command->program != program) return refuse(hand_on(command->program, words));
  CommandLines all(program);
  if (const auto code = answer_about_commands(program, all.app, all.home, words)) return *code;
  try {
    std::ranges::reverse(words);  // as CLI11 wants them
    all.app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    const std::string unknown = e.get_exit_code() == 0 ? "" : unknown_words(all.app);
    if (!unknown.empty()) return refuse(invalid("{}", unknown));
    if (all.app.exit(e) == 0) return kOk;
    tell_json(e.what(), kBadInput);
    return kBadInput;
  }
  return all.exit_code;
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
  const auto place = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, none), none); };
  const fs::path at_a = place(a), at_b = place(b);
  return !at_a.empty() && at_a == at_b;  // a text that is too long for a path has no place
}

// The folder of a file; where that is to be made, the nearest one above that is there.
fs::path folder_of(const NamedFile& file) {
  std::error_code none;
  fs::path folder = fs::path(file.path).parent_path();
  while (file.makes_folder && !folder.empty() && !fs::exists(folder, none)) folder = folder.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Looked at before anything runs for long.
Status check_folder(const NamedFile& file) {
  if (file.path.empty()) return {};
  const std::string name = folder_of(file);
  std::error_code none;
  if (file.makes_folder && !fs::is_directory(name, none))
    return invalid("{}: {} needs a folder, and this is a file", name, file.name);
  if (fs::is_directory(file.path, none))
    return invalid("{}: {} needs a file, and this is a folder", file.path, file.name);
  if (!fs::is_directory(name, none)) return invalid("{}: {}: there is no folder {}", file.path, file.name, name);
  const bool is_device = fs::exists(file.path, none) && !fs::is_regular_file(file.path, none);
  const bool can = access(is_device ? file.path.c_str() : name.c_str(), W_OK) == 0;
  return can ? Status() : invalid("{}: {}: {}", file.path, file.name, std::strerror(errno));
}

int internal_error(const std::exception& e) {
  complain(fmt::format("tarry: internal error: {}\nThis is a defect of tarry, not of your input.\n", e.what()));
  tell_json(e.what(), kInternal);
  return kInternal;
}

}  // namespace

std::string tensorflow_folder(const Home& home) {
  std::error_code none;
  if (fs::exists(home.folder + "/CMakeLists.txt", none)) return home.folder + "/build/tensorflow";
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* user = std::getenv("HOME");
  return cache != nullptr ? std::string(cache) + "/tarry/tensorflow"
                          : std::string(user != nullptr ? user : "/tmp") + "/.cache/tarry/tensorflow";
}

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (failed == std::errc::result_out_of_range) return fmt::format("'{}' is larger than 2^64 - 1", text);
            const bool is_one = failed == std::errc() && end == text.data() + text.size();
            return is_one ? std::string() : fmt::format("'{}' is no whole number from 0", text);
          },
          "NUMBER"};
}

CLI::Validator new_file() {
  return {[](std::string& text) {
            if (text.empty()) return std::string("needs the name of a file");
            return text == "-" ? std::string("'-' is no file; for standard output say /dev/stdout") : std::string();
          },
          ""};
}

// Behind what was printed before, where both go to one file.
void complain(const std::string& text) {
  (void)std::fflush(stdout);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

namespace {

// A name in an error may be any bytes of a file or of the command line: a terminal obeys none of them.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += is_control_character(c) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return out;
}

}  // namespace

void say_written(std::string_view path) { complain(fmt::format("wrote {}\n", printable(path))); }

int refuse(const Status& why) {
  const int code = why.code() == Code::kInternal ? kInternal : kBadInput;
  complain(fmt::format("tarry: {}\n", printable(text_of(why))));
  tell_json(text_of(why), code);
  return code;
}

Status write_file(const std::string& path, const std::string& text) {
  NewFiles file;
  TARRY_RETURN_IF_ERROR(file.add(path, text));
  return file.replace();
}

Status write_and_say(const std::string& path, const std::string& text) {
  TARRY_RETURN_IF_ERROR(write_file(path, text));
  say_written(path);
  return {};
}

Status check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs) {
  for (const NamedFile& file : outputs) TARRY_RETURN_IF_ERROR(check_folder(file));
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

Home find_home() {
  if (const char* said = std::getenv("TARRY_HOME"); said != nullptr) return {said};
  std::error_code none;
  const fs::path installed = program_folder() / ".." / "share" / "tarry";
  if (fs::exists(installed / "scenarios" / "graphs", none)) return {fs::weakly_canonical(installed, none)};
  return {TARRY_SOURCE_DIR};
}

fs::path program_folder() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

Status hand_on(std::string_view program, const std::vector<std::string>& words) {
  const fs::path beside = program_folder() / program;
  std::vector<std::string> all = words;
  all.insert(all.begin(), beside);
  std::vector<char*> argv;
  for (std::string& w : all) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(beside.c_str(), argv.data());
  return error(Code::kNotFound, "'{}' is a command of {}, which is not built; ./tarry {} builds and runs it", words[0],
               beside.string(), words[0]);
}

int run_program(std::string_view program, std::vector<std::string> words) {
  try {
    if (const Status s = take_memory_budget(words); !s.ok()) return refuse(s);
    const int exit_code = parse_and_run(program, std::move(words));
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
