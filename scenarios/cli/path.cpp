// `tarry path`: the critical path of a run, of an aggregate, or of a step.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "results/critical_path.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/step_option.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRows = 15;

struct PathArguments {
  ScenarioChoice scenario;
  std::string step;
  std::optional<std::int64_t> aggregate;
  std::optional<std::uint64_t> seed;
  bool parts = false, json = false;
};

struct PathAnswer {
  std::string title, what;  // "the run", "aggregate 3", "step 7 of worker 1"
  Outcome outcome;
  CriticalPath path;
};

// ---- what is asked for ----

StatusOr<PathEnds> or_none(const std::optional<PathEnds>& ends, const std::string& what) {
  if (!ends) return invalid("{} did not end in this run", what);
  return *ends;
}

bool asks_for_aggregates(const EventLog& log) {
  return std::ranges::any_of(log.events(),
                             [](const LoggedEvent& e) { return std::holds_alternative<TakeIssued>(e.event); });
}

StatusOr<PathEnds> find_ends(const PathArguments& a, const Job& job, PathAnswer& answer) {
  const EventLog& log = answer.outcome.log;
  if (a.aggregate) {
    answer.what = fmt::format("aggregate {}", *a.aggregate);
    if (!asks_for_aggregates(log))
      return invalid(
          "nothing is aggregated in this run; --step TASK:NUMBER asks for a step, such as --step worker/0:1");
    return or_none(ends_of_aggregate(log, *a.aggregate), answer.what);
  }
  if (a.step.empty()) {
    answer.what = "the run";
    const std::optional<PathEnds> ends = ends_of_run(log);
    if (!ends)
      return invalid("no step ended in this run: there is no path to follow. `tarry run` says what it waits for");
    return *ends;
  }
  TARRY_ASSIGN(const NumberedStep step, parse_step(a.step, job.cluster));
  answer.what = fmt::format("step {} of {}", step.number, answer.outcome.tasks.show(step.task));
  if (std::ranges::find(job.clients, step.task, &ClientJob::task) == job.clients.end())
    return invalid("{} has no client, and so no steps; expected a task that trains, such as {}",
                   answer.outcome.tasks.show(step.task), answer.outcome.tasks.show(job.clients.front().task));
  return or_none(ends_of_step(log, step.task, step.number), answer.what);
}

// ---- in words ----

double share_of(Nanos time, const CriticalPath& path) {
  return path.to == path.from ? 0 : static_cast<double>(time) / static_cast<double>(path.to - path.from);
}

std::string table_of_path(const PathAnswer& a) {
  std::string out;
  const std::vector<PathSum> all = sums(a.path, a.outcome.log, a.outcome.tasks);
  const std::size_t shown = std::min(all.size(), kRows);
  Nanos rest = 0;
  for (std::size_t i = shown; i < all.size(); ++i) rest += all[i].time;
  for (std::size_t i = 0; i < shown; ++i)
    out += fmt::format("{:>12.6f} s {:>5.1f} %  {:<12}  {}\n", in_seconds(all[i].time),
                       100 * share_of(all[i].time, a.path), row_of(all[i].kind).name,
                       all[i].who.empty() ? row_of(all[i].kind).meaning : all[i].who);
  if (rest > 0)
    out += fmt::format("{:>12.6f} s {:>5.1f} %  {} more\n", in_seconds(rest), 100 * share_of(rest, a.path),
                       all.size() - shown);
  return out + fmt::format("{:>12.6f} s in all\n", in_seconds(a.path.to - a.path.from));
}

// "Of 30 aggregates on the path, worker 2 pushed last to 28, worker 0 to 2; 3 were ties."
std::string pushes_in_words(const PathAnswer& a) {
  if (a.path.pushes.empty()) return "";
  std::map<TaskId, std::size_t> last;
  std::size_t ties = 0;
  for (const LastPush& p : a.path.pushes) ++last[p.task], ties += p.tied.empty() ? 0 : 1;
  std::vector<std::pair<TaskId, std::size_t>> most(last.begin(), last.end());
  std::ranges::stable_sort(most, std::greater(), &std::pair<TaskId, std::size_t>::second);
  std::string who;
  for (const auto& [task, n] : most)
    who += fmt::format("{}{} {}", who.empty() ? "" : ", ", a.outcome.tasks.show(task), n);
  return fmt::format("\nWho pushed the last gradient of the {} aggregates on the path: {}.{}\n", a.path.pushes.size(),
                     who, ties == 0 ? "" : fmt::format(" Ties, decided by the order of messages: {}.", ties));
}

std::string list_of_parts(const PathAnswer& a) {
  std::string out = "\nPart by part, since the start:\n";
  const Nanos start = a.outcome.log.started_at;
  for (const PathPart& p : a.path.parts) {
    const auto* k = p.entry == kNoEntry ? nullptr : std::get_if<KernelRan>(&a.outcome.log.events()[p.entry].event);
    out += fmt::format("{:>12.6f} s {:>12.6f} s  {:<12}  {}{}\n", in_seconds(p.from - start), in_seconds(p.to - p.from),
                       row_of(p.kind).name, who(p, a.outcome.log, a.outcome.tasks),
                       k == nullptr ? "" : fmt::format(" ({})", a.outcome.log.name(k->node)));
  }
  return out;
}

std::string text_of_path(const PathAnswer& a, bool with_parts) {
  const Nanos start = a.outcome.log.started_at;
  return fmt::format("{}\nThe critical path of {}, from {:.6f} s to {:.6f} s:\n\n{}{}{}", a.title, a.what,
                     in_seconds(a.path.from - start), in_seconds(a.path.to - start), table_of_path(a),
                     pushes_in_words(a), with_parts ? list_of_parts(a) : "");
}

// ---- as JSON ----

Json json_of_push(const LastPush& p, const PathAnswer& a) {
  Json tied = Json::array();
  for (const TaskId t : p.tied) tied.push_back(a.outcome.tasks.show(t));
  return {{"accumulator", a.outcome.log.name(p.accumulator)},
          {"aggregate", p.aggregate},
          {"by", a.outcome.tasks.show(p.task)},
          {"tied", tied}};
}

Json json_of_path(const PathAnswer& a) {
  const EventLog& log = a.outcome.log;
  const TaskNames& tasks = a.outcome.tasks;
  Json j{{"title", a.title},
         {"of", a.what},
         {"from_ns", a.path.from - log.started_at},
         {"to_ns", a.path.to - log.started_at},
         {"sums", Json::array()},
         {"last_pushes", Json::array()},
         {"parts", Json::array()}};
  for (const PathSum& s : sums(a.path, log, tasks))
    j["sums"].push_back({{"kind", row_of(s.kind).name}, {"who", s.who}, {"time_ns", s.time}});
  for (const LastPush& p : a.path.pushes) j["last_pushes"].push_back(json_of_push(p, a));
  for (const PathPart& p : a.path.parts)
    j["parts"].push_back({{"from_ns", p.from - log.started_at},
                          {"to_ns", p.to - log.started_at},
                          {"kind", row_of(p.kind).name},
                          {"who", who(p, log, tasks)}});
  return j;
}

StatusOr<PathAnswer> find_path(const PathArguments& a, const Home& home) {
  if (a.aggregate == 0) return invalid("--aggregate: the first one is 1");
  if (a.aggregate && !a.step.empty()) return invalid("--aggregate and --step: give one of them");
  TARRY_ASSIGN(const Scenario scenario, open_scenario(a.scenario, home));
  TARRY_ASSIGN(Job job, make_job(scenario, {home.graphs(), true, a.seed}));
  job.keep_causes = true;
  TARRY_ASSIGN(Outcome outcome, run_apart(job));
  PathAnswer out{scenario.title, "", std::move(outcome), {}};
  TARRY_ASSIGN(const PathEnds ends, find_ends(a, job, out));
  out.path = critical_path(out.outcome.log, out.outcome.causes, ends);
  return out;
}

int show_path(const PathArguments& a, const Home& home) {
  const auto found = find_path(a, home);
  if (!found.ok()) return refuse(found.status());
  fmt::print("{}", a.json ? json_text(json_of_path(*found), 1) + "\n" : text_of_path(*found, a.parts));
  return kOk;
}

}  // namespace

void add_path(CommandLine& line) {
  auto a = std::make_shared<PathArguments>();
  CLI::App* c = &line.command;
  add_options(*c, a->scenario);
  c->add_option("--aggregate", a->aggregate, "The path of this aggregate, from 1, since the one before")
      ->check(whole_number());
  c->add_option("--step", a->step, "The path of a training step: worker/1:7 is the seventh of worker 1")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() ? std::string("needs a task, such as worker/1:7") : std::string();
          },
          ""));
  c->add_option("--seed", a->seed, "In place of the scenario's seed");
  c->add_flag("--parts", a->parts, "Also list the path part by part");
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = show_path(*a, line.home); });
}

}  // namespace tarry
