#include "scenarios/cli/page_of_run.hpp"

#include "placer/core/text.hpp"
#include "results/critical_path.hpp"
#include "results/page/page.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {

std::string page_of_run(const Scenario& scenario, const Report& report, const Outcome& outcome,
                        const std::string& command) {
  const auto ends = outcome.causes.noted_in.empty() ? std::nullopt : ends_of_run(outcome.log);
  std::optional<CriticalPath> path;
  if (ends) path = critical_path(outcome.log, outcome.causes, *ends);
  const auto text = read_scenario(scenario.file);
  return to_page(
      {report, outcome.log, path ? &*path : nullptr, command, first_line_of_version(), text.ok() ? text->text : ""});
}

}  // namespace tarry
