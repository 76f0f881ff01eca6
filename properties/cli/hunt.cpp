#include "properties/cli/hunt.hpp"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <span>
#include <sstream>

#include "placer/place/rules.hpp"
#include "properties/programs/saved.hpp"
#include "scenarios/cli/shell_word.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

bool is_saved_cut(const std::string& file) {
  const auto saved = load_program(file);
  return saved.ok() && saved->property == "same_as";
}

int replay(const Replay& r, const Home& home) {
  const auto is_program = is_saved_program(r.file);
  if (!is_program.ok()) return refuse(is_program.status());
  if (!*is_program) return replay_placement(r, home);
  return is_saved_cut(r.file) ? replay_partition(r, home) : replay_program(r);
}

std::string bucket_line(const std::string& name, double percent) {
  return fmt::format("{:<36} {:>6.1f} %{}\n", name, percent, percent < 1.0 ? "  below 1 %" : "");
}

}  // namespace

void add_hunt(CommandLine& line) {
  CLI::App& hunt = line.command;
  hunt.require_subcommand(1);
  for (const auto add : {add_hunt_cluster, add_hunt_placement, add_hunt_programs, add_hunt_partition,
                         add_hunt_exhaustive, add_hunt_replay, add_hunt_audit, add_hunt_planted})
    add(line, hunt);
}

// ---- options ----

void add_case_options(CLI::App& command, CaseOptions& o) {
  command.add_option("--cases", o.cases, "How many cases to try")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000'000}));
  command.add_option("--seed", o.seed, "The seed that the cases are drawn from")
      ->capture_default_str()
      ->check(whole_number());
  command.add_option("--max-nodes", o.max_nodes, "The size of the largest graphs")
      ->capture_default_str()
      ->check(CLI::Range(1, 300));
  command.add_flag("--json", o.json, "Print one JSON object");
}

void add_search_options(CLI::App& command, CaseOptions& o) {
  command.add_option("--save", o.save, "Keep a counterexample in this folder (.pbtxt and .yaml)");
  command.add_flag("--keep-going", o.keep_going,
                   "After the first counterexample, try all other cases and count those that break a property");
  command.add_option("--junit", o.junit, "Write a file of JUnit XML, a test case for each property")->check(new_file());
}

void add_rules_option(CLI::App& command, std::string& rules) {
  command.add_option("--rules", rules, "The release whose rules apply, one of " + release_names())
      ->capture_default_str();
}

CLI::Option* add_other_program(CLI::App& command, OtherProgram& other) {
  CLI::Option* placer = command.add_option(
      "--placer", other.asked,
      "A program that places, or cuts: JSON lines on stdin and stdout (properties/placement/README.md); or "
      "tensorflow:2.15.1, as made by `tarry doctor --with-tensorflow`");
  placer->check([](const std::string& asked) { return asked.empty() ? "expected a command" : std::string(); });
  command.add_option("--timeout-ms", other.timeout_ms, "How long that program may take for one case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(placer);
  return placer;
}

StatusOr<std::string> command_of(const OtherProgram& other, const Home& home) {
  constexpr std::string_view kReal = "tensorflow:";
  if (!other.asked.starts_with(kReal)) return other.asked;
  const std::string version = other.asked.substr(kReal.size()), work = tensorflow_folder(home);
  if (!std::filesystem::exists(fmt::format("{}/bin/oracle_place_{}", work, version)))
    return invalid("TensorFlow {} is not there; get it by: tarry doctor --with-tensorflow {}", version, version);
  return fmt::format("TF_SHIM_WORK='{}' python3 -B '{}/properties/tensorflow/ask.py' {}", work, home.folder, version);
}

std::string without_family(const std::string& property, std::string_view family) {
  const std::string prefix = std::string(family) + ".";
  return property.starts_with(prefix) ? property.substr(prefix.size()) : property;
}

// ---- counterexamples ----

void add_hunt_replay(CommandLine& line, CLI::App& hunt) {
  auto r = std::make_shared<Replay>();
  CLI::App* c = hunt.add_subcommand("replay", "Look at a saved counterexample again.");
  c->footer(
      "Example:\n  tarry hunt placement groups_together --rules 1.12 --save found\n"
      "  tarry hunt replay found/groups_together_1.12_s1n1378.yaml");
  c->add_option("file", r->file, "What `--save` wrote (.yaml)")->required();
  c->add_option("--rules", r->rules, "Another release's rules than those that it was found with");
  add_other_program(*c, r->other);
  c->callback([r, &line] { line.exit_code = replay(*r, line.home); });
}

std::string replay_line(const std::string& file, const OtherProgram& other) {
  return fmt::format("tarry hunt replay {}{}", shell_word(file),
                     other.asked.empty() ? "" : fmt::format(" --placer {}", shell_word(other.asked)));
}

// ---- what broke ----

std::string all_broken(const std::map<std::string, std::vector<std::uint64_t>>& broken, std::uint64_t cases) {
  std::string out;
  for (const auto& [property, numbers] : broken) {
    constexpr std::size_t kShown = 10;
    const std::span shown(numbers.data(), std::min(numbers.size(), kShown));
    out += fmt::format("{}{} of {} cases break {}: {}{}", out.empty() ? "" : "\n", numbers.size(), cases, property,
                       fmt::join(shown, ", "), numbers.size() > kShown ? ", ..." : "");
  }
  return out;
}

std::string junit_xml(std::string_view suite, const std::vector<JunitCase>& cases) {
  boost::property_tree::ptree all, tests;
  tests.put("<xmlattr>.name", suite);
  tests.put("<xmlattr>.tests", cases.size());
  tests.put("<xmlattr>.failures", std::ranges::count_if(cases, [](const JunitCase& c) { return !c.wrong.empty(); }));
  for (const JunitCase& c : cases) {
    boost::property_tree::ptree test;
    test.put("<xmlattr>.classname", suite);
    test.put("<xmlattr>.name", c.name);
    if (!c.wrong.empty()) {
      test.put("failure", c.details);
      test.put("failure.<xmlattr>.message", c.wrong);
    }
    tests.add_child("testcase", test);
  }
  all.add_child("testsuite", tests);
  std::ostringstream out;
  boost::property_tree::write_xml(out, all, boost::property_tree::xml_writer_make_settings<std::string>(' ', 1));
  return out.str();
}

// ---- audits ----

void add_hunt_audit(CommandLine& line, CLI::App& hunt) {
  struct Asked : CaseOptions {
    std::string family, rules = "2.15";
  };
  auto a = std::make_shared<Asked>();
  CLI::App* c = hunt.add_subcommand(
      "audit", "Count how many random cases have each feature (a bucket); exit 1 when one has less than 1 %.");
  c->footer("Example:\n  tarry hunt audit placement");
  c->add_option("family", a->family, "placement or programs")
      ->required()
      ->check(CLI::IsMember({"placement", "programs"}));
  add_rules_option(*c, a->rules);
  add_case_options(*c, *a);
  c->callback([a, &line] {
    line.exit_code = a->family == "programs" ? audit_programs(*a) : audit_placements(*a, a->rules, line.home);
  });
}

int report_audit(bool json, const std::vector<std::string>& names, const std::map<std::string, std::uint64_t>& held,
                 std::uint64_t cases, Json j, const std::string& summary) {
  bool all_reached = true;
  for (const std::string& name : names) {
    const double percent = 100.0 * static_cast<double>(held.at(name)) / static_cast<double>(cases);
    all_reached &= percent >= 1.0;
    j["buckets"][name] = held.at(name);
    if (!json) fmt::print("{}", bucket_line(name, percent));
  }
  fmt::print("{}\n", json ? j.dump(1) : summary);
  return all_reached ? kOk : kExpectationFailed;
}

void HuntProgress::operator()(std::uint64_t done) const {
  line_->show([&](double seconds) {
    return fmt::format("{} of {} {}s, {:.0f} a second", done, all_, word_, static_cast<double>(done) / seconds);
  });
}
ShrinkWatch HuntProgress::watch() const {
  return [line = line_, word = word_](std::uint64_t number, std::uint64_t tried) {
    line->show([&](double seconds) {
      return fmt::format("{} {} broke it; leaving out what is not needed: {} tries, {:.0f} s", word, number, tried,
                         seconds);
    });
  };
}

}  // namespace tarry
