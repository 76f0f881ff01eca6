#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/report.hpp"
#include "results/report_tables.hpp"
#include "results/text_table.hpp"
#include "results/to_do.hpp"

namespace tarry {
namespace {

constexpr std::size_t kNarrowest = 60, kWidestProse = 110;

// ---- prose ----

enum class Colour : std::uint8_t { red = 31, green = 32, yellow = 33 };  // as terminals number them

std::string bold(const std::string& text, std::optional<Colour> colour, const Shown& shown) {
  if (!shown.colour) return text;
  return fmt::format("\033[1{}m{}\033[0m", colour ? fmt::format(";{}", static_cast<int>(*colour)) : "", text);
}

std::string prose(std::string_view text, std::string_view indent, const Shown& shown) {
  return wrapped(text, indent, std::clamp(shown.width, kNarrowest, kWidestProse));
}

// Green where nothing is wrong.
Colour colour_of(const Verdict& v) {
  if (exit_code_of({&v, 1}) != kOk) return Colour::red;
  return to_do_in(v.text).empty() ? Colour::green : Colour::yellow;
}

// Why it happened, what shows it, and what to do begin lines of their own.
std::string in_lines(std::string text) {
  for (const std::string_view part : {std::string_view("The cause: "), std::string_view("Run again "), kToDo})
    for (std::size_t at = 0; (at = text.find(part, at + 1)) != text.npos;)
      if (text[at - 1] == ' ') text[at - 1] = '\n';
  return text;
}

// Four digits, or the whole number.
std::string in_digits(double x) { return x < 9999.5 ? fmt::format("{:.4g}", x) : fmt::format("{:.0f}", x); }

bool is_stuck(const Report& r) {
  return std::ranges::any_of(r.verdicts, [](const Verdict& v) { return v.kind == "stuck"; });
}

// "40 aggregates, 15.1 a second; 1520 examples a second."; "" without progress. Of a job that stands still for good a
// pace would say nothing.
std::string headline(const Report& r) {
  const Contributions& c = r.contributions;
  std::int64_t steps = 0;
  for (const WorkerStory& w : c.workers) steps += w.steps;
  const Nanos trained = training_time(c, r.time);
  if (trained <= 0 || steps == 0) return "";
  const bool is_synchronous = !c.accumulators.empty();
  const std::int64_t aggregates = is_synchronous ? std::ssize(c.accumulators.front().aggregates) : 0;
  const std::string work =
      is_synchronous ? counted(aggregates, "aggregate", "aggregates") : counted(steps, "step", "steps");
  if (is_stuck(r)) return work + ", then no more.\n";
  const auto a_second = [&](std::int64_t n) { return in_digits(static_cast<double>(n) / in_seconds(trained)); };
  const std::string examples =
      r.batch == 0
          ? ""
          : fmt::format("; {} examples a second", a_second((is_synchronous ? gradients_used(c) : steps) * r.batch));
  return fmt::format("{}, {} a second{}.\n", work, a_second(is_synchronous ? aggregates : steps), examples);
}

// Only where there is a choice: a scenario that says all its costs itself needs no table of it.
std::string costs_of(const Report& r) {
  if (r.costs[1] == 0 && r.costs[2] == 0) return "";
  return fmt::format(
      "\nOp executions by where their time comes from: {} scenario, {} measured, {} roofline, {} default\n", r.costs[0],
      r.costs[1], r.costs[2], r.costs[3]);
}

// ---- aggregates ----

constexpr std::size_t kRowsShown = 12;     // of runs of equal aggregates
constexpr std::size_t kPatternsShown = 8;  // where there are more rows
constexpr std::size_t kNamesShown = 8, kVariablesShown = 3;

// What aggregates that are told of together have in common.
struct Pattern {
  std::vector<std::int64_t> gradients;  // of each worker; or, whoever has them, the most first
  std::optional<std::size_t> alone;     // the worker that fills it alone, where the gradients name none
  bool is_alone = false;
  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};

class Aggregates {
 public:
  Aggregates(const Report& r, const Shown& shown)
      : r_(r), shown_(shown), tells_all_(shown.every_aggregate || shown.everything) {
    constexpr std::size_t kOfANumber = 3, kOfARow = 45;
    names_workers_ = tells_all_ || kOfANumber * r.contributions.workers.size() + kOfARow <= shown.width;
  }

  // Accumulators whose aggregates took the same workers share a table.
  [[nodiscard]] std::string text() const {
    std::string out;
    const auto& all = r_.contributions.accumulators;
    std::vector<bool> told(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (told[i]) continue;
      std::vector<std::string> names;
      Stories alike;
      for (std::size_t k = i; k < all.size(); ++k)
        if (same_story(all[i], all[k])) told[k] = true, names.push_back(all[k].variable), alike.push_back(&all[k]);
      out += "\n" + heading(names, all[i].required) + table_of(alike);
    }
    return out;
  }

 private:
  using Stories = std::vector<const AccumulatorStory*>;  // whose aggregates took the same workers
  // When aggregate `k` of all of them was complete.
  static Nanos complete_at(const Stories& alike, std::size_t k) {
    Nanos at = 0;
    for (const AccumulatorStory* a : alike) at = std::max(at, a->aggregates[k].at);
    return at;
  }
  static bool same_story(const AccumulatorStory& a, const AccumulatorStory& b) {
    return a.dropped == b.dropped &&
           std::ranges::equal(a.aggregates, b.aggregates, {}, &Aggregate::by_worker, &Aggregate::by_worker);
  }

  [[nodiscard]] std::string heading(std::vector<std::string> variables, std::int64_t required) const {
    const std::size_t more = tells_all_ || variables.size() <= kVariablesShown ? 0 : variables.size() - kVariablesShown;
    variables.resize(variables.size() - more);
    return prose(fmt::format("Gradients in each aggregate of {}{}{}{}:", join(variables, ", "),
                             more == 0 ? "" : fmt::format(" and {} more", more),
                             required == 0 ? "" : fmt::format(" (needs {})", required),
                             r_.contributions.workers.empty() ? "" : ", by " + worker_names()),
                 "", shown_);
  }

  [[nodiscard]] std::string worker_names() const {
    std::vector<std::string> names;
    for (const WorkerStory& w : r_.contributions.workers) names.push_back(r_.tasks.show(w.task));
    if (!names_workers_) return fmt::format("how many of the {} workers they come from", names.size());
    return names.size() <= kNamesShown || tells_all_ ? join(names, ", ") : names.front() + " to " + names.back();
  }

  [[nodiscard]] Pattern pattern_of(const Aggregate& a) const {
    Pattern p{a.by_worker, {}, a.is_lone()};
    if (names_workers_) return p;
    if (p.is_alone) p.alone = static_cast<std::size_t>(std::ranges::max_element(a.by_worker) - a.by_worker.begin());
    std::ranges::sort(p.gradients, std::greater());
    return p;
  }

  // "[1, 1, 0]"; or "1 from 60 workers, none from 4".
  [[nodiscard]] std::string in_words(const Pattern& p) const {
    if (names_workers_) return fmt::format("{}{}", p.gradients, p.is_alone ? "  alone" : "");
    if (p.alone) return fmt::format("{} from {} alone", p.gradients.front(), name_of(*p.alone));
    std::map<std::int64_t, std::int64_t, std::greater<>> workers;
    for (const std::int64_t n : p.gradients) ++workers[n];
    std::vector<std::string> parts;
    for (const auto& [gradients, count] : workers)
      parts.push_back(fmt::format("{} from {}", gradients == 0 ? "none" : std::to_string(gradients),
                                  parts.empty() ? counted_workers(count) : std::to_string(count)));
    return join(parts, ", ");
  }
  static std::string counted_workers(std::int64_t n) { return fmt::format("{} worker{}", n, n == 1 ? "" : "s"); }
  [[nodiscard]] std::string name_of(std::size_t w) const { return r_.tasks.show(r_.contributions.workers[w].task); }

  [[nodiscard]] std::string table_of(const Stories& alike) const {
    const std::vector<std::string> rows = rows_of(alike);
    if (rows.empty()) return "  none was complete\n";
    return tells_all_ || rows.size() <= kRowsShown ? join(rows, "") : patterns_of(*alike.front());
  }

  // A run of equal aggregates in each row: "2-40   [1, 1, 1]   at 0.159 s to 2.642 s".
  [[nodiscard]] std::vector<std::string> rows_of(const Stories& alike) const {
    const AccumulatorStory& a = *alike.front();
    std::vector<std::string> rows;
    for (std::size_t k = 0; k < a.aggregates.size();) {
      const Pattern pattern = pattern_of(a.aggregates[k]);
      std::size_t last = k;
      while (last + 1 < a.aggregates.size() && pattern_of(a.aggregates[last + 1]) == pattern) ++last;
      const std::string range = k == last ? fmt::format("{}", k + 1) : fmt::format("{}-{}", k + 1, last + 1);
      rows.push_back(fmt::format("  {:>9}   {}   at {}{}\n", range, in_words(pattern),
                                 to_the_millisecond(complete_at(alike, k)),
                                 k == last ? "" : " to " + to_the_millisecond(complete_at(alike, last))));
      k = last + 1;
    }
    return rows;
  }

  // How many aggregates are alike, most first: "  46 of 100   [1, 1, 1]".
  [[nodiscard]] std::string patterns_of(const AccumulatorStory& a) const {
    std::map<Pattern, std::size_t> counts;
    for (const Aggregate& g : a.aggregates) ++counts[pattern_of(g)];
    std::vector<std::pair<std::size_t, Pattern>> most;
    for (const auto& [pattern, count] : counts) most.emplace_back(count, pattern);
    std::ranges::stable_sort(most, std::greater(), &std::pair<std::size_t, Pattern>::first);
    const std::size_t n = std::min(most.size(), kPatternsShown);
    std::string out;
    std::size_t told = 0;
    for (std::size_t i = 0; i < n; told += most[i++].first)
      out += fmt::format("  {:>5} of {}   {}\n", most[i].first, a.aggregates.size(), in_words(most[i].second));
    if (most.size() > n)
      out += fmt::format("  {:>5} of {}   in {} other ways\n", a.aggregates.size() - told, a.aggregates.size(),
                         most.size() - n);
    return out + "  (--details lists every aggregate)\n";
  }

  const Report& r_;
  const Shown& shown_;
  const bool tells_all_;
  bool names_workers_ = true;
};

// ---- all of it ----

// A verdict that the job must not get has told all of it.
std::string breaches_of(const Report& r, const Shown& shown) {
  if (r.breaches && r.breaches->empty()) return "\nThe job kept to everything in `must`.\n";
  std::string out, told_last;
  for (const Breach& b : r.breaches.value_or(std::vector<Breach>())) {
    const bool is_told = std::ranges::find(r.verdicts, b.text, &Verdict::text) != r.verdicts.end();
    if (is_told && b.property == told_last) continue;
    told_last = is_told ? b.property : "";
    out += fmt::format("\n{}\n{}", bold("Broken: " + b.property, Colour::red, shown),
                       prose(is_told ? "The verdict above says why." : b.text, "  ", shown));
  }
  return out;
}

std::string engine_in_words(const Report& r) {
  return r.flow_engine == "shared" ? "tarry's own engine (shared)" : r.flow_engine;
}

std::string waits_of(const Report& r, const Shown& shown) {
  std::string out = r.waits.empty() ? "" : "\n";
  for (const std::string& w : r.waits) out += prose(shown.everything ? w : shortened(w), "  ", shown);
  return out;
}

}  // namespace

std::string to_prose(std::string_view text, const Shown& shown, std::string_view indent) {
  return prose(in_lines(std::string(text)), indent, shown);
}

std::string to_text(const Verdict& v, const Shown& shown) {
  std::string told = to_prose(v.text, shown, "  ");
  if (const std::size_t at = told.find("\n  " + std::string(kToDo)); at != told.npos)
    told.replace(at + 3, kToDo.size() - 1, bold("To do:", {}, shown));
  return fmt::format("{}\n{}", bold("Verdict: " + v.kind, colour_of(v), shown), told);
}

std::string to_text(const Report& r, const Shown& asked) {
  Shown shown = asked;
  shown.width = std::max(shown.width, kNarrowest);
  std::string out = bold(r.title, {}, shown) + "\n" + headline(r);
  for (const Verdict& v : r.verdicts) out += "\n" + to_text(v, shown);
  out += breaches_of(r, shown) + waits_of(r, shown) + Aggregates(r, shown).text() + table_of_workers(r, shown) +
         table_of_devices(r, shown) + costs_of(r) + table_of_links(r, shown);
  for (const std::string& n : r.notes) out += "\n" + prose("Note: " + n, "", shown);
  out += fmt::format("\n{} events in {} of simulated time, seed {}, hash {}\n", r.events, to_the_millisecond(r.time),
                     r.seed, r.hash);
  return r.flow_engine.empty() ? out : out + fmt::format("Bandwidth was shared by {}.\n", engine_in_words(r));
}

}  // namespace tarry
