#include "properties/cli/conform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/place/rules.hpp"
#include "properties/conform/explained.hpp"
#include "properties/conform/partition.hpp"
#include "properties/conform/placer.hpp"
#include "properties/conform/sync.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

int conform_sync_files(const ConformArguments& a, const Home& home) {
  const auto files = recorded_files(a.files);
  if (!files.ok()) return refuse(files.status());
  int agreed = 0, compared = 0;
  Json rows = Json::array();
  ProgressLine progress;
  for (const std::string& file : *files) {
    progress.show([&](double) { return file; });
    const auto result = conform_sync(file, home.graphs());
    progress.erase();
    if (!result.ok()) return refuse(result.status());
    for (const SyncRow& row : *result) {
      if (a.json)
        rows.push_back(to_string(row));
      else
        fmt::print("{}\n", to_string(row));
      ++compared;
      agreed += row.verdict == SyncRow::Verdict::agrees ? 1 : 0;
    }
  }
  if (a.json)
    fmt::print("{}\n", Json{{"agree", agreed}, {"of", compared}, {"rows", rows}}.dump(1));
  else
    fmt::print("agree {} of {}\n", agreed, compared);
  return conformed(agreed, compared);
}

// ---- placements and device names ----

// "2.15.1", "1.15.0", ...: each once.
std::vector<std::string> recorded_releases() {
  std::vector<std::string> all;
  for (const ReleaseRules& r : releases())
    if (std::ranges::find(all, r.recorded) == all.end()) all.emplace_back(r.recorded);
  return all;
}

using OfRelease = StatusOr<Agreement> (*)(const std::string& folder, const std::string& tables,
                                          std::string_view release);
struct Recorded {  // a kind of file in a folder, and who judges it
  const char* file;
  OfRelease judge;
};

// The answers that are there, release by release.
StatusOr<std::vector<Agreement>> conform_folder(const std::string& folder, const Home& home,
                                                const std::vector<Recorded>& kinds) {
  std::vector<Agreement> found;
  ProgressLine progress;
  for (const std::string& release : recorded_releases())
    for (const Recorded& kind : kinds) {
      if (!fs::exists(recorded_file(folder, fmt::format("{}-{}.jsonl", kind.file, release)))) continue;
      progress.show([&](double) { return fmt::format("{}: {} of {}", folder, kind.file, release); });
      TARRY_ASSIGN(Agreement a, kind.judge(folder, home.recordings(), release));
      found.push_back(std::move(a));
    }
  if (found.empty())
    return error(Code::kNotFound, "{}: has no {}-RELEASE.jsonl of a release that tarry knows ({})", folder,
                 kinds[0].file, join(recorded_releases(), ", "));
  return found;
}

StatusOr<std::vector<Agreement>> conform_placer_folder(const std::string& folder, const Home& home) {
  return conform_folder(folder, home, {{"outcomes", conform_placer}, {"vectors", conform_placer_vectors}});
}
StatusOr<std::vector<Agreement>> conform_explained_folder(const std::string& folder, const Home& home) {
  return conform_folder(folder, home, {{"outcomes", conform_explanations}, {"vectors", conform_vector_explanations}});
}
StatusOr<std::vector<Agreement>> conform_partition_folder(const std::string& folder, const Home& home) {
  return conform_folder(folder, home, {{"outcomes", conform_partition}});
}

// names-1.12.0.jsonl.zst -> 1.12.0
StatusOr<std::vector<Agreement>> conform_names_file(const std::string& file, const Home&) {
  const std::string name = fs::path(file).filename();
  for (const std::string& release : recorded_releases())
    if (name.find(release) != std::string::npos) {
      TARRY_ASSIGN(Agreement a, conform_names(file, release));
      return std::vector{std::move(a)};
    }
  return invalid("{}: the name tells no release; expected names-RELEASE.jsonl ({})", file,
                 join(recorded_releases(), ", "));
}

Json to_json(const Agreement& a) {
  return {{"what", a.what}, {"agree", a.agreed}, {"of", a.total}, {"differences", a.differences}};
}

using Judged = StatusOr<std::vector<Agreement>> (*)(const std::string& path, const Home& home);

int conform_all(const ConformArguments& a, const Home& home, Judged judge) {
  int agreed = 0, total = 0;
  Json rows = Json::array();
  for (const std::string& path : a.files) {
    const auto found = judge(path, home);
    if (!found.ok()) return refuse(found.status());
    for (const Agreement& one : *found) {
      agreed += one.agreed;
      total += one.total;
      if (a.json)
        rows.push_back(to_json(one));
      else
        fmt::print("{}", to_string(one));
    }
  }
  if (a.json)
    fmt::print("{}\n", Json{{"agree", agreed}, {"of", total}, {"rows", rows}}.dump(1));
  else
    fmt::print("agree {} of {}\n", agreed, total);
  return conformed(agreed, total);
}

void add_kind(CommandLine& line, CLI::App* parent, const char* name, const char* what, const char* files,
              const char* example, Judged judge, Judged explained = nullptr) {
  auto a = std::make_shared<ConformArguments>();
  CLI::App* c = parent->add_subcommand(name, what);
  c->footer(fmt::format("Example:\n  tarry conform {} {}", name, example));
  c->add_option("files", a->files, files)->required();
  c->add_flag("--json", a->json, "Print JSON");
  if (explained != nullptr)
    c->add_flag(
        "--explain", a->explain,
        "Instead, whether each recorded error has an explanation and a conflict that is minimal, proved by removal");
  c->callback(
      [a, judge, explained, &line] { line.exit_code = conform_all(*a, line.home, a->explain ? explained : judge); });
}

}  // namespace

void add_conform(CommandLine& line) {
  CLI::App* c = &line.command;
  c->require_subcommand(1);
  auto a = std::make_shared<ConformArguments>();
  CLI::App* sync =
      c->add_subcommand("sync", "Recorded synchronous and asynchronous training runs: simulated, and replayed.");
  sync->add_option("files", a->files, "Recorded runs (JSON, perhaps .zst), or folders of them")->required();
  sync->add_flag("--json", a->json, "Print JSON");
  sync->callback([a, &line] { line.exit_code = conform_sync_files(*a, line.home); });
  add_kind(line, c, "placer", "Recorded placements of TensorFlow 2.15, 1.15, 1.12 and 0.12: devices and error texts.",
           "Folders with cases.jsonl and outcomes-RELEASE.jsonl, or vectors-RELEASE.jsonl (each perhaps .zst or .gz)",
           "properties/conform/data", conform_placer_folder, conform_explained_folder);
  add_kind(line, c, "partition",
           "Recorded partitions of TensorFlow 2.15, 1.15, 1.12 and 0.12: nodes, edges, names, keys and attributes, by "
           "task and by device.",
           "Folders with cases.jsonl and outcomes-RELEASE.jsonl (each perhaps .zst or .gz)",
           "properties/conform/data/partition", conform_partition_folder);
  add_kind(line, c, "names", "Recorded parsing, printing, comparing and merging of device names.",
           "Files names-RELEASE.jsonl (perhaps .zst or .gz)", "properties/conform/data/names-2.15.1.jsonl.zst",
           conform_names_file);
  add_conform_executor(line, *c);
  add_conform_rpc(line, *c);
}

}  // namespace tarry
