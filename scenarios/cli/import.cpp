// `tarry import straggler`: what stragglers cost a pipeline-parallel job, which tarry does not simulate.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "placer/graph/read.hpp"
#include "results/evidence.hpp"
#include "results/json_text.hpp"
#include "results/pipeline/pipeline_stragglers.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/progress.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ImportArguments {
  std::string path;
  bool json = false;
};

struct ImportedTrace {
  std::string file;
  std::size_t stages = 0, replicas = 0, steps = 0;
  Stragglers found;
};

bool is_trace(const std::string& name) {
  return name.starts_with("timeline-") && (name.ends_with(".json") || name.ends_with(".json.gz"));
}

// The time lines of a folder, in the order of their names; or the file itself.
StatusOr<std::vector<std::string>> traces_in(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return std::vector{path};
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
    if (is_trace(at->path().filename().string())) files.push_back(at->path().string());
  if (failed) return invalid("{}: {}", path, failed.message());
  std::ranges::sort(files);
  if (files.empty()) return invalid("{}: expected files named timeline-NAME.json or timeline-NAME.json.gz", path);
  return files;
}

StatusOr<ImportedTrace> import_trace(const std::string& file) {
  TARRY_ASSIGN(const std::string text, read_file(file));
  TARRY_ASSIGN(const PipelineTrace trace, parse_pipeline_trace(text, file));
  auto found = stragglers_of(trace);
  if (!found.ok()) return with_prefix(found.status(), file + ": ");
  return ImportedTrace{file, trace.stages, trace.replicas.size(), trace.steps.size(), *std::move(found)};
}

// ---- as text ----

constexpr std::ptrdiff_t kShown = 3;  // of each list

std::string list_of(const std::vector<SlowdownOf>& all) {
  std::string out;
  for (const SlowdownOf& s : std::span(all).first(std::min<std::size_t>(kShown, all.size())))
    out += fmt::format("{}{} {:.3f}", out.empty() ? "" : ", ", s.what, s.slowdown);
  if (std::ssize(all) > kShown) out += fmt::format(", and {} more", std::ssize(all) - kShown);
  return out;
}

std::string line_of(const StragglerEffect& e, std::string_view who) {
  return fmt::format("    {:<15}  add {:6.1f} %  rem {:6.1f} %  {}\n", who, 100 * e.add, 100 * e.rem, e.what);
}

std::string text_of(const ImportedTrace& t) {
  const Stragglers& s = t.found;
  const auto count = [](std::size_t n, const char* one, const char* many) {
    return counted(static_cast<std::int64_t>(n), one, many);
  };
  std::string out = fmt::format(
      "{}: {}, {}, {}\n"
      "  A step takes {:.4f} s, and {:.4f} s when every op takes its usual time: a slowdown of {:.4f}.\n"
      "  The slowdown when only these ops take the times that they took:\n"
      "    ops        {}\n    replicas   {}\n    stages     {}\n",
      t.file, count(t.stages, "stage", "stages"), count(t.replicas, "replica", "replicas"),
      count(t.steps, "step", "steps"), s.step, s.ideal, s.slowdown, list_of(s.by_op), list_of(s.by_replica),
      list_of(s.by_stage));
  if (s.step <= s.ideal) return out;
  return out +
         fmt::format(
             "  Of the {:.4f} s that a step loses, this share is lost if only these keep their own times (add), and\n"
             "  this share is saved if only these take their usual times (rem):\n",
             s.step - s.ideal) +
         line_of(s.slowest_workers, "slowest workers") + line_of(s.last_stage, "last stage");
}

// ---- as JSON ----

Json json_of(const std::vector<SlowdownOf>& all) {
  Json j = Json::object();
  for (const SlowdownOf& s : all) j[s.what] = s.slowdown;
  return j;
}

Json json_of(const StragglerEffect& e) { return {{"what", e.what}, {"add", e.add}, {"rem", e.rem}}; }

Json json_of(const ImportedTrace& t) {
  const Stragglers& s = t.found;
  return {{"file", t.file},
          {"stages", t.stages},
          {"replicas", t.replicas},
          {"steps", t.steps},
          {"step_s", s.step},
          {"ideal_step_s", s.ideal},
          {"slowdown", s.slowdown},
          {"slowdown_by_op", json_of(s.by_op)},
          {"slowdown_by_replica", json_of(s.by_replica)},
          {"slowdown_by_stage", json_of(s.by_stage)},
          {"slowest_workers", json_of(s.slowest_workers)},
          {"last_stage", json_of(s.last_stage)}};
}

// What cannot be read is refused at the end: the others are told.
int import_stragglers(const ImportArguments& a) {
  const auto files = traces_in(a.path);
  if (!files.ok()) return refuse(files.status());
  ProgressLine progress;
  Json all = Json::array();
  std::vector<Status> refused;
  for (const std::string& file : *files) {
    progress.show([&](double) { return fmt::format("{} of {} traces", all.size(), files->size()); });
    const auto trace = import_trace(file);
    if (!trace.ok()) {
      refused.push_back(trace.status());
      continue;
    }
    if (!a.json) fmt::print("{}{}", all.empty() ? "" : "\n", text_of(*trace));
    all.push_back(json_of(*trace));
  }
  if (a.json && refused.empty()) fmt::print("{}\n", json_text(all, 1));
  int exit_code = kOk;
  for (const Status& s : refused) exit_code = refuse(s);
  return exit_code;
}

}  // namespace

void add_import(CommandLine& line) {
  auto a = std::make_shared<ImportArguments>();
  line.command.require_subcommand(1);
  CLI::App* c =
      line.command.add_subcommand("straggler", "Say what stragglers cost a pipeline-parallel job, from its time line");
  c->add_option(
       "path", a->path,
       "A time line in Chrome's format, or a folder with files named timeline-NAME.json or timeline-NAME.json.gz")
      ->required();
  c->add_flag("--json", a->json, "Print one JSON array");
  c->callback([a, &line] { line.exit_code = import_stragglers(*a); });
}

}  // namespace tarry
