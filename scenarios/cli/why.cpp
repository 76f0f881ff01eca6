// `tarry why`: what the time of a scenario's run goes to, by runs without each of its causes.

#include "scenarios/job/why.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/file/keys.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct WhyArguments {
  ScenarioChoice scenario;
  std::optional<std::string> faults;
  std::optional<std::uint64_t> seed;
  bool json = false;
};

struct WhyAnswer {
  Scenario scenario;
  std::uint64_t seed = 0;
  TaskNames tasks;
  bool aggregates = false;
  Nanos ended = 0;  // since the start
  Why why;
};

std::string lost_in_words(const WhyAnswer& a) {
  const std::int64_t lost = a.why.base.lost;
  if (lost == 0) return "";
  const char* more = a.why.base.done == 0 ? "" : " more";
  return fmt::format("; {}{} {} lost when the global step went back", lost, more, lost == 1 ? "was" : "were");
}

std::string first_line_of_none(const WhyAnswer& a) {
  const char* none = a.aggregates ? "aggregate" : "step";
  if (a.why.base.stands_still)
    return fmt::format(
        "The job stands still or has failed, with no {} to its end at {:.3f} s{}. What waits for what, `tarry run` "
        "says.\n",
        none, in_seconds(a.ended), lost_in_words(a));
  const char* is_not = a.why.base.lost > 0 ? "is left at" : a.aggregates ? "was complete by" : "had ended by";
  return fmt::format("No {} {} {:.3f} s, the end of the run{}.\n", none, is_not, in_seconds(a.ended), lost_in_words(a));
}

std::string first_line(const WhyAnswer& a) {
  const WorkDone& base = a.why.base;
  if (base.done == 0) return first_line_of_none(a);
  const std::string work =
      a.aggregates ? counted(base.done, "aggregate", "aggregates") : counted(base.done, "step", "steps");
  if (base.stands_still)
    return fmt::format(
        "{} by {:.3f} s, and then the job stands still or has failed, to its end at {:.3f} s{}. What waits for what, "
        "`tarry run` says.\n",
        work, in_seconds(base.progressed), in_seconds(a.ended), lost_in_words(a));
  return fmt::format("{} {} {:.3f} s{}.\n", work, base.done == 1 ? "takes" : "take", in_seconds(base.time),
                     lost_in_words(a));
}

std::string ideal_line(const Why& w) {
  if (!w.ideal) return "";
  const std::string without = "\nWithout all that can be taken away, the same work takes ";
  if (w.slowdown() < 1) return fmt::format("{}no less time ({:.3f} s).\n", without, in_seconds(*w.ideal));
  return fmt::format("{}{:.3f} s: the slowdown is {:.2f}.\n", without, in_seconds(*w.ideal), w.slowdown());
}

// A job that stands still all the same does so sooner, or after more work.
std::string sentence(const WhyCause& c) {
  const std::string gained = c.proof.goes_on     ? "the job goes on"
                             : c.proof.does_more ? times_as_much(c.proof)
                                                 : fmt::format("{:.1f} % less time", 100 * c.proof.gain);
  return fmt::format("{:>18}  {}: {}", gained, c.proof.instead, c.proof.what);
}

std::string lines_of(const std::vector<WhyCause>& causes, const WhyAnswer& a) {
  std::string out;
  for (const WhyCause& c : causes)
    out += fmt::format("{}\n{:>18}  keys: {}\n", sentence(c), "", keys_of(c.proof, a.tasks, a.scenario));
  return out;
}

// What would be left of the slowdown with nothing but the cause.
std::string lines_of_hidden(const WhyAnswer& a) {
  std::string out = fmt::format(
      "\n{}: something else then takes as long. So much of the slowdown each of these makes alone:\n",
      a.why.causes.empty() ? "Taking one thing away gains nothing" : "Taking one of these away gains nothing");
  for (const WhyCause& c : a.why.hidden)
    out += fmt::format("{:>10.1f} %  {}\n{:>12}  keys: {}\n", 100 * a.why.add(c).value_or(0), c.proof.what, "",
                       keys_of(c.proof, a.tasks, a.scenario));
  return out;
}

std::string text_of_answer(const WhyAnswer& a) {
  std::string out = a.scenario.title + "\n" + first_line(a);
  if (!a.why.causes.empty())
    out += fmt::format("\nThe same work again (same seed{}):\n",
                       a.why.base.stands_still ? "; it stands still again, unless it goes on" : "") +
           lines_of(a.why.causes, a);
  else if (a.why.hidden.empty())
    out += "\nNothing that can be taken away gains a hundredth of the time.\n";
  if (!a.why.hidden.empty()) out += lines_of_hidden(a);
  if (!a.why.itself.empty()) out += "\nOf the job itself:\n" + lines_of(a.why.itself, a);
  return out + ideal_line(a.why);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const WhyAnswer& a, const WhyCause& c) {
  return {
      {"cause", c.proof.what},        {"instead", c.proof.instead},   {"keys", keys_of(c.proof, a.tasks, a.scenario)},
      {"gain", c.proof.gain},         {"goes_on", c.proof.goes_on},   {"time_ns", c.without},
      {"alone_ns", or_null(c.alone)}, {"add", or_null(a.why.add(c))}, {"rem", or_null(a.why.rem(c))}};
}

Json json_of(const WhyAnswer& a) {
  const Why& w = a.why;
  Json j{{"title", a.scenario.title},
         {"seed", a.seed},
         {"unit", a.aggregates ? "aggregates" : "steps"},
         {"done", w.base.done},
         {"lost", w.base.lost},
         {"stands_still", w.base.stands_still},
         {"time_ns", w.base.time},
         {"ideal_ns", or_null(w.ideal)},
         {"slowdown", w.ideal ? Json(w.slowdown()) : Json()},
         {"causes", Json::array()},
         {"hidden", Json::array()},
         {"itself", Json::array()}};
  for (const WhyCause& c : w.causes) j["causes"].push_back(json_of(a, c));
  for (const WhyCause& c : w.hidden) j["hidden"].push_back(json_of(a, c));
  for (const WhyCause& c : w.itself) j["itself"].push_back(json_of(a, c));
  return j;
}

ProofWatch watch_on(ProgressLine& line) {
  return [&line](const Proof& tried, Nanos now) {
    line.show([&](double) { return fmt::format("again {}: {:.1f} s simulated", tried.instead, in_seconds(now)); });
  };
}

StatusOr<WhyAnswer> answer(const WhyArguments& a, const Home& home) {
  TARRY_ASSIGN(Scenario scenario, open_scenario(a.scenario, home));
  TARRY_RETURN_IF_ERROR(use_faults(a.faults, scenario));
  const RunOptions options{home.graphs(), true, a.seed};
  TARRY_ASSIGN(const Job job, make_job(scenario, options));
  TARRY_ASSIGN(std::vector<WhatIf> designs, other_designs(scenario, options));
  ProgressLine progress;
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  WhyAnswer out{scenario,
                job.seed,
                outcome.tasks,
                !read_contributions(outcome.log).accumulators.empty(),
                outcome.log.ended_at - outcome.log.started_at,
                {}};
  TARRY_ASSIGN(out.why, why(job, outcome, std::move(designs), watch_on(progress)));
  return out;
}

int explain(const WhyArguments& a, const Home& home) {
  const auto found = answer(a, home);
  if (!found.ok()) return refuse(found.status());
  fmt::print("{}", a.json ? json_text(json_of(*found), 1) + "\n" : text_of_answer(*found));
  return kOk;
}

}  // namespace

void add_why(CommandLine& line) {
  auto a = std::make_shared<WhyArguments>();
  CLI::App* c = &line.command;
  add_options(*c, a->scenario);
  add_faults_option(*c, a->faults);
  c->add_option("--seed", a->seed, "In place of the scenario's seed");
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = explain(*a, line.home); });
}

}  // namespace tarry
