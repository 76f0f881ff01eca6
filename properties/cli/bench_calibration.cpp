// `tarry bench calibration`: published throughput of real clusters beside what tarry predicts.

#include <filesystem>
#include <regex>

#include "placer/graph/read.hpp"
#include "properties/bench/calibration.hpp"
#include "properties/cli/bench.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kSteps = 3;  // the first begins with empty copies; the others are alike

std::string published_file(const Home& home, const std::string& machine) {
  return fmt::format("{}/{}/published.csv", home.cases(), machine);
}

std::vector<std::string> machines(const Home& home) {
  std::vector<std::string> all = case_names(home.cases());
  std::erase_if(all, [&](const std::string& name) { return !std::filesystem::exists(published_file(home, name)); });
  return all;
}

StatusOr<Predicted> predict(const Home& home, const std::string& machine, const Published& row) {
  ScenarioChoice choice{.name = machine, .set = keys_of(row), .workers = {}};
  choice.set.push_back(fmt::format("stop.steps={}", kSteps));
  TARRY_ASSIGN(const Scenario scenario, open_scenario(choice, home));
  TARRY_ASSIGN(const Job job, make_job(scenario, {.graphs_folder = home.graphs()}));
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  TARRY_ASSIGN(const double images, images_per_second(row, read_contributions(outcome.log)));
  return Predicted{machine, row, images};
}

class Calibration {
 public:
  Calibration(const Home& home, const std::string& filter)
      : home_(home), wanted_(filter.empty() ? ".*" : filter, std::regex::extended) {}

  Status run() {
    for (const std::string& machine : machines(home_)) TARRY_RETURN_IF_ERROR(run_machine(machine));
    if (all_.empty()) return error(Code::kNotFound, "--filter: no published figure has such a name");
    fmt::print("\n");
    for (const auto& [machine, rows] : by_machine_) fmt::print("{}", calibration_summary(machine, rows));
    fmt::print("{}", calibration_summary("all", all_));
    return {};
  }
  [[nodiscard]] const std::vector<Predicted>& all() const { return all_; }

 private:
  Status run_machine(const std::string& machine) {
    const std::string file = published_file(home_, machine);
    TARRY_ASSIGN(const std::string text, read_file(file));
    TARRY_ASSIGN(const std::vector<Published> rows, read_published(text, file));
    for (const Published& row : rows)  // of each, what --filter looks at
      if (std::regex_search(fmt::format("{} {} {}", machine, row.graph, row.gpus * row.workers), wanted_))
        TARRY_RETURN_IF_ERROR(add(machine, row));
    return {};
  }

  Status add(const std::string& machine, const Published& row) {
    if (all_.empty()) fmt::print("{}", calibration_head());
    TARRY_ASSIGN(const Predicted predicted, predict(home_, machine, row));
    fmt::print("{}", calibration_line(predicted));
    std::fflush(stdout);
    all_.push_back(predicted);
    by_machine_[machine].push_back(predicted);
    return {};
  }

  const Home& home_;
  std::regex wanted_;
  std::vector<Predicted> all_;
  std::map<std::string, std::vector<Predicted>> by_machine_;
};

Status calibrate(const Home& home, const BenchArguments& a) {
  if (a.against || !a.out.empty())
    return invalid("calibration has neither --against nor --out: its figures are no times");
  if (a.save && !a.filter.empty()) return invalid("--save keeps the whole table: expected no --filter beside it");
  const std::string file = home.folder + "/results/calibration.csv";
  if (a.save) TARRY_RETURN_IF_ERROR(check_outputs({{"--save", file}}, {}));
  Calibration calibration(home, a.filter);
  TARRY_RETURN_IF_ERROR(calibration.run());
  if (!a.save) return {};
  TARRY_RETURN_IF_ERROR(write_file(file, calibration_csv(calibration.all())));
  fmt::print("{} points written to {}\n", calibration.all().size(), file);
  return {};
}

}  // namespace

int bench_calibration(const Home& home, const BenchArguments& a) {
  const Status s = calibrate(home, a);
  return s.ok() ? kOk : refuse(s);
}

}  // namespace tarry
