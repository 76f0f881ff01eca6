// `tarry faults`: what a scenario can let happen, for people and machines.

#include "scenarios/file/faults.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

constexpr const char* kWhen =
    "A fault says what happens, as below, and when: `at: 2s`, or `after: {pushed: worker/2, count: 10, delay: 1ms}`\n"
    "(also token_taken and session_ready).\n\n";

void print_faults(bool as_json) {
  if (!as_json) fmt::print("{}", kWhen);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const FaultKindText& f : fault_kinds()) {
    all.push_back({{"key", f.key}, {"meaning", f.meaning}, {"fields", f.fields}, {"example", f.example}});
    if (!as_json) fmt::print("{:<12} {}\n{:<12} {}\n{:<12} {}\n", f.key, f.meaning, "", f.fields, "", f.example);
  }
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
