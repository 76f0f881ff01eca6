#include "scenarios/cli/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/cases/find_case.hpp"
#include "scenarios/cli/program.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

// ---- completion ----

void add_names_of_commands(const CLI::App& app, std::vector<std::string>& out) {
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; })) out.push_back(c->get_name());
}

// What a positional argument may be, by its name.
void add_values(const CLI::App& command, const Home& home, std::vector<std::string>& out) {
  for (const CLI::Option* o : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    std::vector<std::string> names;
    if (o->get_name() == "scenario") names = case_names(home.cases());
    if (o->get_name() == "graph") names = list_graphs(home.graphs());
    out.insert(out.end(), names.begin(), names.end());
  }
}

void add_options(const CLI::App& command, std::vector<std::string>& out) {
  for (const CLI::Option* o : command.get_options())
    for (const std::string& name : o->get_lnames()) out.push_back("--" + name);
}

const CLI::App* subcommand(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// ---- the manual page ----

// A leading dot or quote, and a backslash, mean something to roff.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    out += c;
  }
  return out;
}

std::string option_text(const CLI::Option& o) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(o.get_name(false, true)), roff(o.get_description()));
}

std::string command_text(const CLI::App& command, const std::string& path) {
  std::string out = fmt::format(".SS {}\n{}\n", roff(path), roff(command.get_description()));
  for (const CLI::Option* o : command.get_options())
    if (o->get_name() != "--help") out += option_text(*o);
  for (const CLI::App* c : command.get_subcommands([](const CLI::App*) { return true; }))
    out += command_text(*c, path + " " + c->get_name());
  return out;
}

constexpr const char* kHead = R"(.TH TARRY 1 "" "tarry {}" "User Commands"
.SH NAME
tarry \- replays TensorFlow parameter\-server clusters, and tells what went wrong
.SH SYNOPSIS
.B tarry
.I COMMAND
[\fIOPTION\fR...]
.SH DESCRIPTION
tarry runs the real logic of a TensorFlow parameter\-server cluster (placer, graph partitioner, executor, worker
service, master session, synchronous replicas) over simulated hosts, in one deterministic process.
.SH COMMANDS
)";

constexpr const char* kTail = R"(.SH EXIT STATUS
0 success, and a scenario's expected outcome; 1 another outcome than expected; 2 bad input or usage; 3 a safety rule is
broken; 4 a deadlock; 5 a run that is not deterministic; 6 a defect of tarry.
.SH ENVIRONMENT
.TP
.B TARRY_HOME
The folder of what ships with tarry, in place of the installed one.
.SH SEE ALSO
The manual, docs/manual.md of the source tree, or manual.md of the installed documents.
)";

void print_commands(std::string_view program, const CLI::App& app) {
  for (const Command& c : command_table())
    if (c.program == program)
      fmt::print("{}", command_text(*subcommand(app, std::string(c.name)), std::string(c.name)));
}

// The other program prints its own commands and the end.
int print_manual_page(std::string_view program, const CLI::App& app) {
  fmt::print(kHead, TARRY_VERSION);
  print_commands(program, app);
  return refuse(hand_on("tarry_judge", {"--man-commands"}));
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const Home& home, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (const CLI::App* next = subcommand(*at, words[i])) at = next;
  const std::string last = words.empty() ? "" : words.back();
  std::vector<std::string> all;
  if (last.starts_with('-')) {
    add_options(*at, all);
  } else {
    add_names_of_commands(*at, all);
    add_values(*at, home, all);
  }
  std::erase_if(all, [&](const std::string& word) { return !word.starts_with(last); });
  return all;
}

std::optional<int> answer_about_commands(std::string_view program, const CLI::App& app, const Home& home,
                                         const std::vector<std::string>& words) {
  const std::string question = words.empty() ? "" : words[0];
  if (question == "--program-of" && words.size() == 2) {
    const Command* c = find_command(words[1]);
    fmt::print("{}\n", c != nullptr ? c->program : "tarry");
    return kOk;
  }
  if (question == "--complete") {
    const Command* c = words.size() > 2 ? find_command(words[1]) : nullptr;
    if (c != nullptr && c->program != program) return refuse(hand_on(c->program, words));
    for (const std::string& word : completions(app, home, {words.begin() + 1, words.end()})) fmt::print("{}\n", word);
    return kOk;
  }
  if (question == "--man") return print_manual_page(program, app);
  if (question != "--man-commands") return std::nullopt;
  print_commands(program, app);
  fmt::print("{}", kTail);
  return kOk;
}

}  // namespace tarry
