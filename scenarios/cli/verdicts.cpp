// `tarry verdicts`: the table of verdicts, for people and machines.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_text.hpp"
#include "results/verdict.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

std::string shown(const VerdictKind& v) { return v.shown_by.empty() ? "" : fmt::format(" See {}.", v.shown_by); }

void print_verdicts(bool as_json) {
  if (!as_json) fmt::print("{:<18} exit code, meaning, and a scenario that shows it\n", "kind");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const VerdictKind& v : verdict_table()) {
    all.push_back({{"kind", v.kind}, {"meaning", v.meaning}, {"exit_code", int{v.exit_code}}, {"case", v.shown_by}});
    if (!as_json) fmt::print("{:<18} {}  {}{}\n", v.kind, int{v.exit_code}, v.meaning, shown(v));
  }
  if (as_json) fmt::print("{}\n", json_text(all, 1));
}

}  // namespace

void add_verdicts(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  line.command.add_flag("--json", *json, "Print a JSON list");
  line.command.callback([json, &line] {
    print_verdicts(*json);
    line.exit_code = kOk;
  });
}

}  // namespace tarry
