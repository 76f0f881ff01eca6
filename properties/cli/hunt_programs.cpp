#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/programs/hunt.hpp"
#include "properties/programs/saved.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFamily = "programs.";

StatusOr<std::vector<const ProgramProperty*>> chosen(const std::string& what) {
  std::vector<const ProgramProperty*> found;
  std::vector<std::string> names = {"programs.*"};
  for (const ProgramProperty& p : program_properties()) {
    names.push_back(std::string(kFamily) + p.name);
    if (what == names[0] || what == names.back()) found.push_back(&p);
  }
  if (found.empty())
    return invalid("nothing to hunt is called '{}'{}; expected one of {}", what, did_you_mean(what, names),
                   join(names, ", "));
  return found;
}

std::string in_words(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& [what, times] : tally) parts.push_back(fmt::format("{} {}", times, what));
  return parts.empty() ? "" : fmt::format(" ({})", join(parts, ", "));
}

Json report_json(const HuntArguments& a, const ProgramReport& r, const std::string& saved, const Tally& tally) {
  Json j = {{"what", a.what},
            {"seed", a.seed},
            {"cases", r.cases},
            {"discarded", r.discarded},
            {"ended_well", r.ended_well},
            {"judgements", r.judgements}};
  for (const auto& [what, times] : tally) j["comparisons"][what] = times;
  if (!r.counterexample) return j;
  const ProgramCounterexample& q = *r.counterexample;
  j["found"] = {{"property", q.property->name},
                {"case", q.number},
                {"nodes_found", q.found.nodes.size()},
                {"nodes", q.shrunk.smallest.nodes.size()},
                {"wrong", q.wrong},
                {"smallest", to_text(q.shrunk.smallest)}};
  if (!saved.empty()) j["found"]["saved"] = saved;
  return j;
}

void print_counterexample(const HuntArguments& a, const ProgramCounterexample& q, const std::string& saved) {
  fmt::print("program {} breaks {}.{}: {}\n", q.number, a.what.substr(0, a.what.find('.')), q.property->name,
             q.property->says);
  fmt::print("{} nodes, shrunk to {} in {} steps ({} tries):\n\n", q.found.nodes.size(), q.shrunk.smallest.nodes.size(),
             q.shrunk.steps, q.shrunk.tried);
  fmt::print("{}\n{}\n", to_text(q.shrunk.smallest), q.wrong);
  if (!saved.empty()) fmt::print("\nReplay it: {}\n", replay_line(a, saved));
}

int run_audit(const HuntArguments& a, const ProgramHunt& hunt) {
  const ProgramReport r = audit(hunt);
  Json j = {{"cases", r.cases}, {"discarded", r.discarded}, {"ended_well", r.ended_well}};
  const std::string summary = fmt::format("{} programs, {} discarded; {} end well, {} with an error", r.cases,
                                          r.discarded, r.ended_well, r.cases - r.discarded - r.ended_well);
  const int reached = report_audit(a.json, program_buckets(), r.buckets, r.cases, std::move(j), summary);
  return r.discarded * 20 < r.cases ? reached : kExpectationFailed;
}

// What a replay, an audit and a hunt have use for.
Status check_program_options(const HuntArguments& a) {
  if (!a.replay.empty()) return uses_only(a, "a replayed program", {"--replay"});
  if (a.audit)
    return uses_only(a, "an audit of programs", {"what", "--audit", "--cases", "--seed", "--max-nodes", "--json"});
  return uses_only(a, "a hunt of programs", {"what", "--cases", "--seed", "--max-nodes", "--save", "--json"});
}

int run_replay(const HuntArguments& a) {
  const auto saved = load_program(a.replay);
  if (!saved.ok()) return refuse(saved.status());
  const auto properties = chosen(std::string(kFamily) + saved->property);
  if (!properties.ok()) return refuse(properties.status());
  fmt::print("{}", to_text(saved->program));
  const auto wrong = violation_of(*properties->front(), saved->program, schedule_of(saved->program));
  fmt::print("{}\n", wrong ? *wrong : fmt::format("programs.{} holds", saved->property));
  return wrong ? kSafety : kOk;
}

}  // namespace

int search_programs(const HuntArguments& a, const ProgramHunt& what, const std::function<Tally()>& more) {
  const ProgramReport r = hunt(what, HuntProgress(a.cases));
  std::string saved;
  if (r.counterexample && !a.save.empty()) {
    const auto file = save_program({r.counterexample->property->name, r.counterexample->shrunk.smallest}, a.save,
                                   fmt::format("{}_{}", r.counterexample->property->name, r.counterexample->found.id));
    if (!file.ok()) return refuse(file.status());
    saved = *file;
  }
  if (a.json)
    fmt::print("{}\n", report_json(a, r, saved, more()).dump(1));
  else if (r.counterexample)
    print_counterexample(a, *r.counterexample, saved);
  else
    fmt::print("{} programs ({} end well, {} discarded), {} judgements{}, seed {}: nothing found\n", r.cases,
               r.ended_well, r.discarded, r.judgements, in_words(more()), a.seed);
  return r.counterexample ? kSafety : kOk;
}

bool hunts_programs(const HuntArguments& a) {
  if (a.replay.empty()) return a.what.starts_with(kFamily);
  const auto is_program = is_saved_program(a.replay);
  return is_program.ok() && *is_program;
}

int hunt_programs(const HuntArguments& a) {
  if (const Status s = check_program_options(a); !s.ok()) return refuse(s);
  if (!a.replay.empty()) return run_replay(a);
  const auto properties = chosen(a.what);
  if (!properties.ok()) return refuse(properties.status());
  const ProgramHunt what{
      .properties = *properties, .seed = a.seed, .cases = a.cases, .generate = {.max_statements = a.max_nodes}};
  return a.audit ? run_audit(a, what) : search_programs(a, what, [] { return Tally(); });
}

}  // namespace tarry
