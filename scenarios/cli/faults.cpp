// `tarry faults`: what a scenario can let happen, for people and machines.

#include "scenarios/file/faults.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/job/trigger.hpp"

namespace tarry {
namespace {

constexpr const char* kWhen =
    "A fault says what happens, as below, and when: `at: 2s`, or after a moment of a task's client, as in\n"
    "`after: {pushed: worker/2, count: 10, delay: 1ms}`. The moments:\n\n";

void print_moments() {
  fmt::print("{}", kWhen);
  for (const MomentText& m : kMoments) fmt::print("  {:<19} {}\n", m.key, m.meaning);
  fmt::print("\nWhat happens:\n");
}

void print_fault(const FaultKindText& f) {
  fmt::print("\n{}: {}\n", f.key, f.meaning);
  for (const std::string& field : f.field_lines) fmt::print("    {}\n", field);
  fmt::print("  {}\n", f.example);
}

void print_faults(bool as_json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!as_json) print_moments();
  for (const FaultKindText& f : fault_kinds())
    if (as_json)
      all.push_back({{"key", f.key}, {"meaning", f.meaning}, {"fields", f.fields}, {"example", f.example}});
    else
      print_fault(f);
  if (as_json) fmt::print("{}\n", json_text(all, 1));
}

}  // namespace

void add_faults(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  line.command.add_flag("--json", *json, "Print a JSON list");
  line.command.callback([json, &line] {
    print_faults(*json);
    line.exit_code = kOk;
  });
}

}  // namespace tarry
