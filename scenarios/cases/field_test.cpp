// Jobs of many kinds, as users wrote them, and what was said of each: whoever changes a rule sees here what it changes.
//
// `field/jobs.txt.zst` holds the scenarios, `field/told.txt` what is said; both begin each job with a line `= NAME`.

#include <gtest/gtest.h>

#include <boost/algorithm/string/replace.hpp>
#include <fstream>

#include "placer/core/hash.hpp"
#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "results/json_text.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

const std::string kTold = kCases + "/field/told.txt";
constexpr std::string_view kMark = "= ";

struct Part {
  std::string name, text;
};

std::vector<Part> parts_of(const std::string& file) {
  std::vector<Part> parts;
  const std::string all = read_file(file).value();
  for (const std::string_view line : split(all, '\n')) {
    if (line.starts_with(kMark))
      parts.push_back({std::string(line.substr(kMark.size())), ""});
    else if (!parts.empty() && !line.empty())
      parts.back().text += std::string(line) + "\n";
  }
  return parts;
}

const std::vector<Part>& jobs() {
  static const std::vector<Part> all = parts_of(kCases + "/field/jobs.txt.zst");
  return all;
}

std::string digest_of(const std::string& text) { return to_string(hash_of(text)).substr(0, 16); }

// Of every fourth job: it takes as long as all the rest.
std::string why_in_words(Job job, std::size_t number) {
  if (number % 4 != 0) return "";
  job.keep_kernels = true;
  const Why w = why(job, run_apart(job).value(), {}).value();
  std::string out;
  for (const WhyCause& c : w.causes) out += fmt::format("{:.3f} {}: {}\n", c.proof.gain, c.proof.instead, c.proof.what);
  return out;
}

// Without the release of SimGrid, which is not the same on every Debian.
std::string digest_of(Report report) {
  if (report.flow_engine.starts_with("simgrid")) report.flow_engine = "simgrid";
  return digest_of(to_text(report) + json_text(to_json(report), 1));
}

// The run's hash, a digest of the report and of what `tarry why` finds, and the verdicts, without empty lines.
std::string told_of(const std::string& scenario, std::size_t number) {
  const Scenario s = parse_scenario(scenario, "job.yaml").value();
  const Job job = job_for(s).value();
  const Outcome outcome = run_apart(job).value();
  auto designs = likely_designs(s, {.graphs_folder = kGraphs, .keep_kernels = false}).value();
  const Report report = make_report(s, job, outcome, prove(job, outcome, {}, std::move(designs)).value());
  std::string out =
      fmt::format("run {}, report {}, why {}\n", report.hash, digest_of(report), digest_of(why_in_words(job, number)));
  for (const Verdict& v : report.verdicts) out += fmt::format("{}: {}\n", v.kind, v.text);
  while (out.find("\n\n") != out.npos) boost::replace_all(out, "\n\n", "\n");
  return out;
}

std::string recorded(const std::string& name) {
  for (const Part& p : parts_of(kTold))
    if (p.name == name) return p.text;
  return "";
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Part& p : jobs()) all.push_back(p.name);
  return all;
}

class FieldJob : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Named, FieldJob, ::testing::ValuesIn(names()), [](const auto& info) { return info.param; });

TEST_P(FieldJob, is_told_as_recorded) {
  const auto job = std::ranges::find(jobs(), GetParam(), &Part::name);
  EXPECT_EQ(told_of(job->text, static_cast<std::size_t>(job - jobs().begin())), recorded(job->name))
      << "Where the change is meant, this writes told.txt anew:\n"
      << "tarry_field_test --gtest_also_run_disabled_tests --gtest_filter='*written_anew'\n"
      << job->text;
}

TEST(FieldJobs, DISABLED_are_written_anew) {
  std::ofstream out(kTold);
  for (std::size_t i = 0; i < jobs().size(); ++i)
    out << kMark << jobs()[i].name << "\n" << told_of(jobs()[i].text, i) << "\n" << std::flush;
}

}  // namespace
}  // namespace tarry
