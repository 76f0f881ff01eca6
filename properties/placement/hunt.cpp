#include "properties/placement/hunt.hpp"

#include "placer/core/check.hpp"

namespace tarry {
namespace {

struct Violation {
  const PlacementProperty* property;
  std::string wrong;
};

std::optional<Violation> first_violation(const PlacementCase& c, const PlacementWorld& world, const AskPlacer& ask,
                                         const HuntOptions& options, HuntReport& report) {
  auto g = import_case(c, world);
  check(g.ok(), "a generated case cannot be imported");
  const StatusOr<PlacementAnswer> answer = ask(c, *g);
  if (!answer.ok())
    return Violation{options.properties.front(),
                     fmt::format("the placer gave no answer: {}", text_of(answer.status()))};
  report.placed += answer->code == Code::kOk ? 1 : 0;
  const Judgement judgement{c, *g, *answer, world, ask};
  for (const PlacementProperty* p : options.properties) {
    ++report.judgements;
    if (const auto wrong = p->violation(judgement)) return Violation{p, *wrong};
  }
  return std::nullopt;
}

Counterexample shrunk_counterexample(const Violation& v, const PlacementCase& c, std::uint64_t number,
                                     const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options) {
  Counterexample q{v.property, number, c, {}, v.wrong};
  const auto fails = [&](const PlacementCase& smaller) {
    return violation_of(*v.property, smaller, world, ask).has_value();
  };
  q.shrunk = shrink(c, watched(fails, options.watch, number), options.most_shrinks);
  q.wrong = violation_of(*v.property, q.shrunk.smallest, world, ask).value_or(v.wrong);
  return q;
}

constexpr FurtherSearch kLook{.small = 4, .cases = 5'000, .counterexamples = 8};

void search_further(const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options,
                    const Alphabet& alphabet, Counterexample& best) {
  HuntOptions same = options;
  same.properties = {best.property};
  HuntReport uncounted;
  search_for_smaller(best, kLook, [&](std::uint64_t number) -> std::optional<Counterexample> {
    const PlacementCase c = numbered_case(alphabet, options, number);
    const auto v = first_violation(c, world, ask, same, uncounted);
    return v ? std::optional(shrunk_counterexample(*v, c, number, world, ask, same)) : std::nullopt;
  });
}

}  // namespace

PlacementCase numbered_case(const Alphabet& alphabet, const HuntOptions& options, std::uint64_t number) {
  Random random = random_of_case(options.seed, number);
  PlacementCase c = generate_case(alphabet, options.generate, random);
  c.id = id_of_case(options.seed, number);
  return c;
}

HuntReport hunt(const PlacementWorld& world, const AskPlacer& ask, const HuntOptions& options,
                const Progress& progress) {
  const Alphabet alphabet(world.tables.ops);
  HuntReport report;
  search(options.cases, progress, [&](std::uint64_t number) {
    const PlacementCase c = numbered_case(alphabet, options, number);
    ++report.cases;
    const auto v = first_violation(c, world, ask, options, report);
    return v && note_broken(report, v->property->name, number, options.keep_going,
                            [&] { return shrunk_counterexample(*v, c, number, world, ask, options); });
  });
  if (report.counterexample) search_further(world, ask, options, alphabet, *report.counterexample);
  return report;
}

HuntReport audit(const PlacementWorld& world, const HuntOptions& options) {
  const Alphabet alphabet(world.tables.ops);
  HuntReport report;
  for (const std::string& b : buckets()) report.buckets[b] = 0;
  for (std::uint64_t i = 0; i < options.cases; ++i) {
    const PlacementCase c = numbered_case(alphabet, options, i);
    ++report.cases;
    for (const std::string& b : buckets_of(c)) ++report.buckets[b];
    const StatusOr<PlacementAnswer> answer = place_case(c, world);
    report.placed += answer.ok() && answer->code == Code::kOk ? 1 : 0;
  }
  return report;
}

}  // namespace tarry
