// `tarry hunt programs`: random programs for the executor and the partitioner, judged by a serial interpreter.

#include <fmt/format.h>

#include <utility>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/programs/saved.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

StatusOr<std::vector<const ProgramProperty*>> chosen_programs(const std::string& asked) {
  const std::string what = without_family(asked, "programs");
  std::vector<const ProgramProperty*> found;
  std::vector<std::string> names = {"*"};
  for (const ProgramProperty& p : program_properties()) {
    names.push_back(p.name);
    if (what == "*" || what == p.name) found.push_back(&p);
  }
  if (!found.empty()) return found;
  return invalid("no property of programs is called '{}'{}; expected one of {}", asked, did_you_mean(what, names),
                 join(names, ", "));
}

std::string in_words(const Tally& tally) {
  std::vector<std::string> parts;
  for (const auto& [what, times] : tally) parts.push_back(fmt::format("{} {}", times, what));
  return parts.empty() ? "" : fmt::format(" ({})", join(parts, ", "));
}

Json counterexample_json(const ProgramCounterexample& q, const std::string& saved) {
  Json j = {{"property", q.property->name},
            {"case", q.number},
            {"nodes_found", q.found.nodes.size()},
            {"nodes", q.shrunk.smallest.nodes.size()},
            {"wrong", q.wrong},
            {"smallest", to_text(q.shrunk.smallest)}};
  if (!saved.empty()) j["saved"] = saved;
  return j;
}

Json report_json(const CaseOptions& o, const ProgramReport& r, const std::string& saved, const Tally& tally) {
  Json j = {{"seed", o.seed},
            {"cases", r.cases},
            {"discarded", r.discarded},
            {"ended_well", r.ended_well},
            {"judgements", r.judgements}};
  for (const auto& [what, times] : tally) j["comparisons"][what] = times;
  if (o.keep_going) j["broken"] = r.broken;
  if (r.counterexample) j["found"] = counterexample_json(*r.counterexample, saved);
  return j;
}

std::string in_words(std::string_view family, const ProgramCounterexample& q) {
  return fmt::format("program {} breaks {}.{}: {}\n{} nodes, shrunk to {} in {} steps ({} tries):\n\n{}\n{}\n",
                     q.number, family, q.property->name, q.property->says, q.found.nodes.size(),
                     q.shrunk.smallest.nodes.size(), q.shrunk.steps, q.shrunk.tried, to_text(q.shrunk.smallest),
                     q.wrong);
}

StatusOr<std::string> saved_at(const CaseOptions& o, const ProgramReport& r) {
  if (!r.counterexample || o.save.empty()) return std::string();
  const ProgramCounterexample& q = *r.counterexample;
  return save_program({q.property->name, q.shrunk.smallest}, o.save,
                      fmt::format("{}_{}", q.property->name, q.found.id));
}

int hunt_programs(const CaseOptions& o, const std::string& property) {
  const auto properties = chosen_programs(property);
  if (!properties.ok()) return refuse(properties.status());
  ProgramHunt what{.properties = *properties,
                   .seed = o.seed,
                   .cases = o.cases,
                   .generate = {.max_statements = o.max_nodes},
                   .keep_going = o.keep_going};
  return search_programs(o, "programs", std::move(what), {}, [] { return Tally(); });
}

}  // namespace

void add_hunt_programs(CommandLine& line, CLI::App& hunt) {
  struct Asked : CaseOptions {
    std::string property = "*";
  };
  auto a = std::make_shared<Asked>();
  CLI::App* c = hunt.add_subcommand("programs", "Put random cyclic programs to the executor and the partitioner.");
  c->footer("Example:\n  tarry hunt programs --cases 500");
  c->add_option("property", a->property, "One property, or * for all")->capture_default_str();
  add_case_options(*c, *a);
  add_search_options(*c, *a);
  c->callback([a, &line] { line.exit_code = hunt_programs(*a, a->property); });
}

int search_programs(const CaseOptions& o, std::string_view family, ProgramHunt what, const OtherProgram& other,
                    const std::function<Tally()>& more) {
  if (const Status s = check_outputs({{"--junit", o.junit}}, {}); !s.ok()) return refuse(s);
  const HuntProgress progress(o.cases);
  what.watch = progress.watch();
  const ProgramReport r = hunt(what, progress);
  const auto saved = saved_at(o, r);
  if (!saved.ok()) return refuse(saved.status());
  const std::string words = r.counterexample ? in_words(family, *r.counterexample) : "";
  if (o.json) {
    fmt::print("{}\n", report_json(o, r, *saved, more()).dump(1));
  } else if (r.counterexample) {
    fmt::print("{}", words);
    if (o.keep_going) fmt::print("\n{}\n", all_broken(r.broken, r.cases));
    if (!saved->empty()) fmt::print("\nReplay it: {}\n", replay_line(*saved, other));
  } else {
    fmt::print("{} programs ({} end well, {} discarded), {} judgements{}, seed {}: nothing found\n", r.cases,
               r.ended_well, r.discarded, r.judgements, in_words(more()), o.seed);
  }
  if (const Status s = write_junit(o, family, what.properties, r, words); !s.ok()) return refuse(s);
  return r.counterexample ? kSafety : kOk;
}

int replay_program(const Replay& replay) {
  const auto saved = load_program(replay.file);
  if (!saved.ok()) return refuse(saved.status());
  if (!replay.other.asked.empty() || !replay.rules.empty())
    return refuse(invalid("{}: a program is run by tarry alone; leave --placer and --rules out", replay.file));
  const auto properties = chosen_programs(saved->property);
  if (!properties.ok()) return refuse(properties.status());
  fmt::print("{}", to_text(saved->program));
  const auto wrong = violation_of(*properties->front(), saved->program, schedule_of(saved->program));
  fmt::print("{}\n", wrong ? *wrong : fmt::format("programs.{} holds", saved->property));
  return wrong ? kSafety : kOk;
}

int audit_programs(const CaseOptions& o) {
  const ProgramReport r = audit({.properties = *chosen_programs("*"),
                                 .seed = o.seed,
                                 .cases = o.cases,
                                 .generate = {.max_statements = o.max_nodes}});
  Json j = {{"cases", r.cases}, {"discarded", r.discarded}, {"ended_well", r.ended_well}};
  const std::string summary = fmt::format("{} programs, {} discarded; {} end well, {} with an error", r.cases,
                                          r.discarded, r.ended_well, r.cases - r.discarded - r.ended_well);
  const int reached = report_audit(o.json, program_buckets(), r.buckets, r.cases, std::move(j), summary);
  return r.discarded * 20 < r.cases ? reached : kExpectationFailed;
}

}  // namespace tarry
