#include "properties/programs/hunt.hpp"

#include "workers/rendezvous/key.hpp"

namespace tarry {
namespace {

struct Violation {
  const ProgramProperty* property;
  std::string wrong;
};

void count(const OracleAnswer& answer, ProgramReport& report) {
  ++report.cases;
  if (!answer.not_a_program.empty())
    ++report.discarded;
  else if (answer.steps.back().errors.empty())
    ++report.ended_well;
}

std::optional<Violation> first_violation(const Program& p, const ProgramHunt& hunt, ProgramReport& report) {
  ProgramTrial trial(p, schedule_of(p), hunt.planted);
  count(trial.oracle(), report);
  if (!trial.oracle().not_a_program.empty()) return std::nullopt;
  for (const ProgramProperty* property : hunt.properties) {
    ++report.judgements;
    if (property->violation(trial))
      if (const auto wrong = violation_of(*property, p, schedule_of(p), hunt.planted))
        return Violation{property, *wrong};
  }
  return std::nullopt;
}

// Of a planted bug: it, and nothing else, is what is wrong.
bool breaks(const ProgramProperty& property, const Program& p, std::uint64_t schedule, PlantedRuntimeBug planted) {
  if (!violation_of(property, p, schedule, planted)) return false;
  return planted == PlantedRuntimeBug::none || !violation_of(property, p, schedule);
}

bool ends_well(const Program& p) {
  const OracleAnswer answer = interpret(p, schedule_of(p));
  return answer.not_a_program.empty() && answer.steps.back().errors.empty();
}

// A program that should end well is shrunk to one that should, too: not to one that no client would build.
ProgramCounterexample shrunk_counterexample(const Violation& v, const Program& p, std::uint64_t number,
                                            const ProgramHunt& hunt) {
  const std::uint64_t schedule = schedule_of(p);
  ProgramCounterexample q{v.property, number, p, {}, v.wrong};
  const bool well = ends_well(p);
  const auto fails = [&](const Program& smaller) {
    return breaks(*v.property, smaller, schedule, hunt.planted) && (!well || ends_well(smaller));
  };
  q.shrunk = shrink(p, watched(fails, hunt.watch, number), hunt.most_shrinks);
  q.wrong = violation_of(*v.property, q.shrunk.smallest, schedule, hunt.planted).value_or(v.wrong);
  return q;
}

constexpr FurtherSearch kLook{.small = 12, .cases = 200, .counterexamples = 4};

void search_further(const ProgramHunt& hunt, ProgramCounterexample& best) {
  ProgramHunt same = hunt;
  same.properties = {best.property};
  ProgramReport uncounted;
  search_for_smaller(best, kLook, [&](std::uint64_t number) -> std::optional<ProgramCounterexample> {
    const Program p = numbered_program(hunt, number);
    const auto v = first_violation(p, same, uncounted);
    return v ? std::optional(shrunk_counterexample(*v, p, number, hunt)) : std::nullopt;
  });
}

}  // namespace

Program numbered_program(const ProgramHunt& hunt, std::uint64_t number) {
  Random random = random_of_case(hunt.seed, number);
  Program p = generate_program(hunt.generate, random);
  p.id = id_of_case(hunt.seed, number);
  return p;
}

std::uint64_t schedule_of(const Program& p) { return frame_name_hash(p.id); }

ProgramReport hunt(const ProgramHunt& hunt, const Progress& progress) {
  ProgramReport report;
  search(hunt.cases, progress, [&](std::uint64_t number) {
    const Program p = numbered_program(hunt, number);
    const auto v = first_violation(p, hunt, report);
    return v && note_broken(report, v->property->name, number, hunt.keep_going,
                            [&] { return shrunk_counterexample(*v, p, number, hunt); });
  });
  if (report.counterexample) search_further(hunt, *report.counterexample);
  return report;
}

ProgramReport audit(const ProgramHunt& hunt) {
  ProgramReport report;
  for (const std::string& b : program_buckets()) report.buckets[b] = 0;
  for (std::uint64_t i = 0; i < hunt.cases; ++i) {
    const Program p = numbered_program(hunt, i);
    count(interpret(p, schedule_of(p)), report);
    for (const std::string& b : buckets_of(p)) ++report.buckets[b];
  }
  return report;
}

}  // namespace tarry
