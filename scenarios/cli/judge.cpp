#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "results/json_text.hpp"
#include "results/stored_run.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/screen.hpp"

namespace tarry {
namespace {

int judge_log(const std::string& file, bool as_json) {
  const auto bytes = read_file(file);
  if (!bytes.ok()) return refuse(bytes.status());
  const auto run = stored_run(*bytes);
  if (!run.ok()) return refuse(with_prefix(run.status(), file + ": "));
  const std::vector<Verdict> verdicts =
      judge(run->log, read_contributions(run->log), run->tasks, run->proofs, broken_laws(run->log, {}, run->tasks));
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Verdict& v : verdicts) all.push_back({{"kind", v.kind}, {"text", v.text}});
  if (as_json)
    fmt::print("{}\n", json_text({{"title", run->title}, {"hash", to_string(run->log.hash())}, {"verdicts", all}}, 1));
  else
    for (const Verdict& v : verdicts) fmt::print("{}", to_text(v, shown_here()));
  return exit_code_of(verdicts);
}

}  // namespace

void add_judge(CommandLine& line) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* c = &line.command;
  c->add_option("log", *file, "The log that `tarry run --log` wrote")->required();
  c->add_flag("--json", *json, "Print one JSON object");
  c->callback([file, json, &line] { line.exit_code = judge_log(*file, *json); });
}

}  // namespace tarry
