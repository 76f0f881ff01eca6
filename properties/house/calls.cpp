#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <string_view>

#include "properties/house/rules.hpp"

namespace tarry::house {
namespace {

struct Ban {
  std::array<std::string_view, 5> words;  // a line with none of them is not looked at: regular expressions are slow
  std::string_view pattern;
  std::string_view why;
};

bool has_any(std::string_view line, const Ban& ban) {
  return std::ranges::any_of(ban.words, [&](std::string_view w) { return !w.empty() && line.find(w) != line.npos; });
}

// What the rules can't tell from a mistake.
struct Exception {
  std::string_view path;
  std::string_view words;
  std::string_view why;
};
constexpr Exception kExceptions[] = {
    {"sim/simgrid/engine.cpp", "set<sg::Activity*>", "SimGrid asks for this type; it is never read"},
    {"scenarios/cli/program.cpp", "app.exit(e)", "CLI11's exit prints the message and returns a code"},
};

bool is_excepted(const Source& f, std::string_view line) {
  return std::ranges::any_of(kExceptions,
                             [&](const Exception& e) { return e.path == f.path && line.find(e.words) != line.npos; });
}

void search(const Source& f, std::string_view text, const Ban& ban, Offences& out) {
  const std::regex pattern{std::string(ban.pattern)};
  for (const Line& l : lines(text)) {
    std::match_results<std::string_view::const_iterator> m;
    if (has_any(l.text, ban) && !is_excepted(f, l.text) &&
        std::regex_search(l.text.begin(), l.text.end(), m, pattern)) {
      out.push_back(at(f, l.number) + ": '" + m.str() + "': " + std::string(ban.why));
    }
  }
}

bool is_outside_a_run(std::string_view path) {
  return path.find("/cli/") != path.npos || path.find("/bench/") != path.npos;
}

constexpr Ban kOutsideWorld[] = {
    {{"clock", "time"},
     R"(\b(system_clock|steady_clock|high_resolution_clock|gettimeofday|clock_gettime)\b)"
     R"(|\btime\s*\(\s*(nullptr|NULL|0)\s*\))",
     "a run knows no wall clock, ask Env::now"},
    {{"getenv"}, R"(\bgetenv\b)", "a run does not depend on the environment"},
};
constexpr Ban kChance[] = {
    {{"rand", "mt19937", "engine"},
     R"(\bs?rand\s*\(|\brandom_device\b|\bmt19937|\bdefault_random_engine\b|#\s*include\s*<random>)",
     "use placer/core/random.hpp"},
    {{"unordered"},
     R"(\bunordered_(multi)?(map|set)\b)",
     "its order differs between libraries; absl::flat_hash_* for look-ups, std::map to iterate"},
    {{"thread", "async", "future"},
     R"(\bstd::(thread|jthread|async)\b|\bpthread_create\b|#\s*include\s*<(thread|future)>)",
     "a run has one thread"},
    {{"map<", "set<"}, R"(\b(map|set)<\s*(const\s+)?[\w:]+(\s+const)?\s*\*)", "a pointer as a key orders by address"},
};

}  // namespace

Offences chance(const Sources& files) {
  Offences out;
  for (const Source& f : files) {
    for (const Ban& ban : kChance) search(f, f.code, ban, out);
    if (is_outside_a_run(f.path)) continue;
    for (const Ban& ban : kOutsideWorld) search(f, f.code, ban, out);
  }
  return out;
}

void note_iterations(const Source& f, const std::string& table, Offences& out) {
  const std::string pattern = ":\\s*" + table + "\\)|\\b" + table + "\\.(begin|cbegin)\\(";
  search(f, f.code, {{table}, pattern, "a hash table's order differs between builds"}, out);
}

// The same for x.hpp and x.cpp.
std::string stem(const Source& f) { return f.path.substr(0, f.path.rfind('.')); }

Offences iterated_hash_tables(const Sources& files) {
  static const std::regex table(R"(\bflat_hash_(map|set)<.*>\s*(\w+)\s*[;{=(])");
  std::multimap<std::string, std::string> tables;  // stem, name
  for (const Source& f : files)
    for (const Line& l : lines(f.code))
      if (std::match_results<std::string_view::const_iterator> m;
          l.text.find("flat_hash_") != l.text.npos && std::regex_search(l.text.begin(), l.text.end(), m, table))
        tables.emplace(stem(f), m[2]);
  Offences out;
  for (const Source& f : files)
    for (auto [it, end] = tables.equal_range(stem(f)); it != end; ++it) note_iterations(f, it->second, out);
  return out;
}

Offences refused_by_a_compiler(const Sources& files) {
  constexpr Ban kNewer{
      {"ranges::", "views::"},
      R"(\bstd::(views|ranges::views)::|\branges::(contains|fold_left|starts_with|ends_with|find_last|find_end|search|)"
      R"(equal_range|partition|stable_partition|remove|remove_if|rotate|unique)\s*\()",
      "Clang 14 does not compile it; there is one in <algorithm>, or a loop"};
  Offences out;
  for (const Source& f : files) search(f, f.code, kNewer, out);
  return out;
}

Offences exits(const Sources& files) {
  Offences out;
  for (const Source& f : files) {
    if (!f.path.ends_with("/main.cpp"))
      search(f, f.code, {{"exit"}, R"(\b(exit|quick_exit)\s*\()", "only main ends the process"}, out);
    if (!f.path.starts_with("sim/"))
      search(f, f.code, {{"_exit", "_Exit"}, R"(\b_[eE]xit\s*\()", "only the forked child of a run leaves so"}, out);
  }
  return out;
}

Offences temporary_files(const Sources& files) {
  constexpr Ban kAnywhere{{"temp", "tmp", "TempDir"},
                          R"(\b(TempDir|temp_directory_path|mk[ds]?temp|tmpnam|tmpfile|tempnam)\s*\()",
                          "a test's files are in a Folder (placer/core/folder_test.hpp), which goes with the test"};
  Offences out;
  for (const Source& f : files)
    if (f.path != "placer/core/folder_test.hpp") search(f, f.code, kAnywhere, out);
  return out;
}

Offences outside_paths(const Sources& files) {
  const std::string_view paths[] = {
      "../"
      "shared",
      "/"
      "work/"};  // apart, or this file would break its own rule
  Offences out;
  for (const Source& f : files)
    for (const std::string_view path : paths)
      if (f.text.find(path) != f.text.npos)
        for (const Line& l : lines(f.text))
          if (l.text.find(path) != l.text.npos)
            out.push_back(at(f, l.number) + ": a path of a developer's machine: " + std::string(path));
  return out;
}

}  // namespace tarry::house
