#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "properties/conform/sync.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Files as given; of a folder, the recorded runs in it, by name.
StatusOr<std::vector<std::string>> expand(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code none;
    if (!fs::exists(path, none)) return error(Code::kNotFound, "{}: no such file or folder", path);
    if (!fs::is_directory(path, none)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path, none)) {
      const std::string name = entry.path().filename();
      if ((name.ends_with(".json") || name.ends_with(".json.zst")) && !name.starts_with("unit_facts")) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

int conform_sync_files(const ConformArguments& a, const Home& home) {
  const auto files = expand(a.files);
  if (!files.ok()) return refuse(files.status());
  int agreed = 0, compared = 0, not_yet = 0;
  Json rows = Json::array();
  for (const std::string& file : *files) {
    const auto result = conform_sync(file, home.graphs());
    if (!result.ok()) return refuse(result.status());
    for (const SyncRow& row : *result) {
      if (a.json) rows.push_back(to_string(row));
      else fmt::print("{}\n", to_string(row));
      if (row.verdict == SyncRow::Verdict::not_yet) {
        ++not_yet;
        continue;
      }
      ++compared;
      agreed += row.verdict == SyncRow::Verdict::agrees ? 1 : 0;
    }
  }
  if (a.json) fmt::print("{}\n", Json{{"agree", agreed}, {"of", compared}, {"not_yet", not_yet}, {"rows", rows}}.dump(1));
  else fmt::print("{} not yet: no recorded graph fits\nagree {} of {}\n", not_yet, agreed, compared);
  return agreed == compared ? kOk : kExpectationFailed;
}

}  // namespace

void add_conform(CommandLine& line) {
  CLI::App* c = add_command(line, "conform", "Compare with recorded answers of real TensorFlow.", "tarry conform sync properties/conform/data/sync");
  c->require_subcommand(1);
  auto a = std::make_shared<ConformArguments>();
  CLI::App* sync = c->add_subcommand("sync", "Recorded synchronous and asynchronous training runs: simulated, and replayed.");
  sync->add_option("files", a->files, "Recorded runs (JSON, perhaps .zst), or folders of them")->required();
  sync->add_flag("--json", a->json, "JSON on stdout");
  sync->callback([a, &line] { line.exit_code = conform_sync_files(*a, line.home); });
  add_conform_executor(line, *c);
}

}  // namespace tarry
