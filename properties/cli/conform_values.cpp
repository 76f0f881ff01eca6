// `tarry conform executor` and `tarry conform split`.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "properties/cli/conform.hpp"
#include "properties/conform/executor.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

// The sidecars meant: a folder's all, by name; of a graph the one beside it.
StatusOr<std::vector<std::string>> sidecars(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code none;
    if (!fs::exists(path, none)) return error(Code::kNotFound, "{}: no such file or folder", path);
    if (!fs::is_directory(path, none)) {
      const std::string name = path.substr(0, path.find(".pb"));
      files.push_back(name == path ? path : fs::exists(name + ".json", none) ? name + ".json" : name + ".json.zst");
      continue;
    }
    for (const auto& entry : fs::directory_iterator(path, none))
      if (const std::string name = entry.path(); name.ends_with(".json") || name.ends_with(".json.zst"))
        files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

OrderedJson json_of(const ConformRow& r) {
  return {
      {"name", r.name}, {"variant", r.variant}, {"agree", r.agreed}, {"of", r.total}, {"differences", r.differences}};
}

void print(const ConformRow& r) {
  for (const std::string& d : r.differences) fmt::print("{} ({}) {}\n", r.name, r.variant, d);
}

}  // namespace

int conformed(int agreed, int total) {
  if (total == 0) return refuse(invalid("nothing to compare: no recorded answer was found"));
  return agreed == total ? kOk : kExpectationFailed;
}

int conform_recorded(const ConformArguments& a, const ReadRows& rows_of) {
  const auto files = sidecars(a.files);
  if (!files.ok()) return refuse(files.status());
  int agreed = 0, total = 0;
  OrderedJson all = OrderedJson::array();
  ProgressLine progress;
  for (const std::string& file : *files) {
    progress.show([&](double) { return file; });
    const auto rows = rows_of(file);
    progress.erase();
    if (!rows.ok()) return refuse(rows.status());
    for (const ConformRow& r : *rows) {
      agreed += r.agreed;
      total += r.total;
      if (a.json)
        all.push_back(json_of(r));
      else
        print(r);
    }
  }
  if (a.json)
    fmt::print("{}\n", OrderedJson{{"graphs", files->size()}, {"agree", agreed}, {"of", total}, {"rows", all}}.dump(
                           1, ' ', false, OrderedJson::error_handler_t::replace));
  else
    fmt::print("{} graphs\nagree {} of {}\n", files->size(), agreed, total);
  return conformed(agreed, total);
}

void add_conform_executor(CommandLine& line, CLI::App& conform) {
  auto a = std::make_shared<ConformArguments>();
  CLI::App* executor = conform.add_subcommand(
      "executor",
      "Recorded sessions: every step's values and errors, on one device, on the recorded two, on random splits.");
  executor->footer("Example:\n  tarry conform executor properties/conform/data/values");
  executor->add_option("files", a->files, "Sidecars (NAME.json beside its graph), graphs, or folders of them")
      ->required();
  executor->add_option("--splits", a->splits, "Split each graph at random this many times over two devices")
      ->capture_default_str()
      ->check(whole_number());
  executor->add_flag("--json", a->json, "Print JSON");
  executor->callback([a, &line] {
    line.exit_code = conform_recorded(*a, [&](const std::string& file) { return conform_executor(file, a->splits); });
  });
  auto s = std::make_shared<ConformArguments>();
  CLI::App* split = conform.add_subcommand("split", "Recorded cuts of training graphs, compared as graphs.");
  split->footer("Example:\n  tarry conform split FOLDER");
  split->add_option("files", s->files, "Sidecars, graphs, or folders of them")->required();
  split->add_flag("--json", s->json, "Print JSON");
  split->callback([s, &line] { line.exit_code = conform_recorded(*s, conform_split); });
}

}  // namespace tarry
