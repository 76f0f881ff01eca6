// The parts that all hunts share: cases named by (seed, number), a greedy shrinker, and reports.
//
// A hunt's own header says what a case is, what its properties are and how a smaller case is made:
// `for_each_smaller(case, each)`, found beside the case's type, calls `each` with smaller cases in a fixed order until
// it returns true.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/core/random.hpp"

namespace tarry {

// ---- numbered cases ----

[[nodiscard]] inline Random random_of_case(std::uint64_t seed, std::uint64_t number) {
  return Random(seed + number * 0x9e3779b97f4a7c15);
}
[[nodiscard]] inline std::string id_of_case(std::uint64_t seed, std::uint64_t number) {
  return fmt::format("s{}n{}", seed, number);
}

using Progress = std::function<void(std::uint64_t done)>;

// Calls `found` with each number below `cases` until it returns true, and `progress` at intervals.
template <class Found>
void search(std::uint64_t cases, const Progress& progress, Found&& found) {
  constexpr std::uint64_t kBetweenReports = 16;
  for (std::uint64_t number = 0; number < cases && !found(number); ++number)
    if (progress && number % kBetweenReports == 0) progress(number);
}

// ---- shrinking ----

// Called now and then while what a case found is shrunk: the number of that case, and the tries so far.
using ShrinkWatch = std::function<void(std::uint64_t number, std::uint64_t tried)>;

// `fails`, with a call of `watch` before each of its own.
template <class Fails>
auto watched(Fails fails, ShrinkWatch watch, std::uint64_t number) {
  return [fails = std::move(fails), watch = std::move(watch), number, tried = std::uint64_t{0}](const auto& c) mutable {
    if (watch) watch(number, ++tried);
    return fails(c);
  };
}

template <class Case>
struct ShrunkTo {
  Case smallest;
  int steps = 0;  // successful shrinking steps
  std::uint64_t tried = 0;
};

// The first smaller case that still fails, if there is one. Adds its tries to `tried`; stops at `most`.
template <class Case, class Fails>
std::optional<Case> smaller_failing(const Case& failing, Fails&& fails, std::uint64_t most, std::uint64_t& tried) {
  std::optional<Case> found;
  for_each_smaller(failing, [&](const Case& smaller) {
    if (++tried > most) return true;
    if (fails(smaller)) found = smaller;
    return found.has_value();
  });
  return found;
}

// Greedy: takes the first smaller case that still fails, as long as there is one. PROMISES: no smaller case fails,
// unless `most` tries were not enough.
template <class Case, class Fails>
ShrunkTo<Case> shrink_greedily(Case failing, Fails&& fails, std::uint64_t most) {
  ShrunkTo<Case> out{std::move(failing)};
  while (out.tried < most) {
    std::optional<Case> smaller = smaller_failing(out.smallest, fails, most, out.tried);
    if (!smaller) break;
    out.smallest = *std::move(smaller);
    ++out.steps;
  }
  return out;
}

// ---- reports ----

template <class Property, class Case>
struct CounterexampleOf {
  const Property* property = nullptr;
  std::uint64_t number = 0;  // the number of the case
  Case found;
  ShrunkTo<Case> shrunk;
  std::string wrong;  // what is wrong with the smallest case
};

// When a counterexample does not shrink to `small` nodes, up to `cases` more cases are tried, until up to
// `counterexamples` more counterexamples are found.
struct FurtherSearch {
  std::size_t small;
  std::uint64_t cases;
  int counterexamples;
};

// Searches later cases for a counterexample to the same property that shrinks further. `bring(number)` gives the
// counterexample of that case, if there is one.
template <class Counterexample, class Bring>
void search_for_smaller(Counterexample& best, const FurtherSearch& look, Bring&& bring) {
  const auto size = [](const Counterexample& q) { return q.shrunk.smallest.nodes.size(); };
  int found = 0;
  for (std::uint64_t number = best.number + 1, end = number + look.cases;
       number < end && found < look.counterexamples && size(best) > look.small; ++number)
    if (std::optional<Counterexample> q = bring(number)) {
      ++found;
      if (size(*q) < size(best)) best = *std::move(q);
    }
}

template <class Property, class Case>
struct ReportOf {
  std::uint64_t cases = 0, judgements = 0;
  std::map<std::string, std::uint64_t> buckets;                    // filled by an audit only
  std::optional<CounterexampleOf<Property, Case>> counterexample;  // the first one found
  std::map<std::string, std::vector<std::uint64_t>> broken;  // by property: the numbers of the cases that break it
};

// A case breaks a property. The first such case is shrunk. Returns whether the search is over.
template <class Report, class Shrink>
bool note_broken(Report& report, const std::string& property, std::uint64_t number, bool keep_going, Shrink&& shrink) {
  report.broken[property].push_back(number);
  if (!report.counterexample) report.counterexample = shrink();
  return !keep_going;
}

// ---- names of properties and buckets ----

// The element of `all` with this name; nullptr when there is none.
template <class Named>
[[nodiscard]] const Named* find_named(const std::vector<Named>& all, std::string_view name) {
  const auto it = std::ranges::find(all, name, &Named::name);
  return it == all.end() ? nullptr : &*it;
}

// A feature that an audit of a distribution counts.
template <class Case>
struct Bucket {
  const char* name;
  bool (*holds)(const Case&);
};

template <class Buckets>
[[nodiscard]] std::vector<std::string> bucket_names(const Buckets& all) {
  std::vector<std::string> names;
  for (const auto& bucket : all) names.emplace_back(bucket.name);
  return names;
}

template <class Buckets, class Case>
[[nodiscard]] std::vector<std::string> buckets_that_hold(const Buckets& all, const Case& c) {
  std::vector<std::string> held;
  for (const auto& bucket : all)
    if (bucket.holds(c)) held.emplace_back(bucket.name);
  return held;
}

}  // namespace tarry
