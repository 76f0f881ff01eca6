#include "sim/read_platform.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "sim/flow_module.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr std::string_view kRefusal = "refused ";

// What SimGrid prints before it gives up is of its own sources.
void say_nothing() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int out : {STDOUT_FILENO, STDERR_FILENO}) (void)dup2(nowhere, out);
}

// SimGrid begins with the file and the line where it knows them, and tells the states of its scanner.
std::string in_our_words(const std::string& file, std::string text) {
  static const std::regex kScanner(R"( ?\(XML input line \d+, state \d+\))");
  constexpr std::string_view kPlace = "Parse error at ";
  text = std::regex_replace(text.substr(0, text.find('\n')), kScanner, "");
  return text.starts_with(kPlace) ? text.substr(kPlace.size()) : file + ": " + text;
}

// What SimGrid would apply in the course of a run, and tarry does not.
Status no_changes_in_time(const std::string& file) {
  static const std::regex kVaries(
      R"((bandwidth_file|latency_file|state_file|availability_file|speed_file)(?=\s*=)|<trace(?=[\s>_]))");
  std::ifstream in(file);
  std::string line;
  std::smatch found;
  for (int number = 1; std::getline(in, line); ++number)
    if (std::regex_search(line, found, kVaries))
      return invalid("{}:{}: '{}' makes the platform vary in time, which is not taken; see faults", file, number,
                     found.str());
  return {};
}

// Lines of words: "host NAME", "link BANDWIDTH FATPIPE NAME", "route LATENCY LINK ...", in the order of their numbers.
ReadPlatform from_lines(const std::string& text, std::size_t wanted) {
  ReadPlatform read;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "host") {
      read.hosts.push_back(line.substr(kind.size() + 1));
    } else if (kind == "link") {
      PlatformLink& link = read.platform.links.emplace_back();
      words >> link.bandwidth >> link.is_fatpipe >> std::ws;
      std::getline(words, link.name);
    } else if (kind == "route") {
      PlatformRoute& route = read.platform.routes.emplace_back();
      words >> route.latency;
      for (std::uint32_t link = 0; words >> link;) route.links.push_back(link);
    }
  }
  if (!read.platform.routes.empty()) read.platform.places = static_cast<std::uint32_t>(wanted);
  for (std::uint32_t p = 0; p < read.platform.places; ++p) read.platform.place_of.push_back(p);
  return read;
}

}  // namespace

StatusOr<ReadPlatform> read_platform(const std::string& file, const std::vector<std::string>& wanted) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return invalid("{}: no such file", file);
  // SimGrid loads a file of another name as code.
  if (!file.ends_with(".xml")) return invalid("{}: expected a file whose name ends in .xml", file);
  TARRY_RETURN_IF_ERROR(no_changes_in_time(file));
  const auto answer = run_in_child([&] {
    say_nothing();
    const auto module = open_flow_module();
    if (!module.ok()) throw Refused(std::string(text_of(module.status())));
    return (*module)->read_platform(file, wanted);
  });
  if (!answer.ok() && answer.status().code() == Code::kInternal)
    return invalid("{}: SimGrid gives up reading it; expected a platform file without actors", file);
  if (!answer.ok()) return answer.status();
  if (answer->starts_with(kRefusal)) return invalid("{}", in_our_words(file, answer->substr(kRefusal.size())));
  return from_lines(*answer, wanted.size());
}

}  // namespace tarry
