// Every key of what kernels take in a scenario file (table.cpp has the rest).

#include <limits>

#include "scenarios/file/filled_list.hpp"
#include "scenarios/file/raw.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMostExecutions = std::numeric_limits<std::int64_t>::max();

// What a law is about: a time, or a factor.
struct Quantity {
  Type<std::int64_t> type;
  std::string noun;  // "time"
};

template <class Law>
Type<Amount> spread_law(const Quantity& q, const std::string& name, const std::string& doc) {
  return converted<Amount>(Section<Law>(name, doc)
                               .required("mean", &Law::mean, q.type, "of the " + q.noun)
                               .required("sd", &Law::sd, q.type, "standard deviation of the " + q.noun)
                               .type(),
                           [](Law l) { return Amount{l}; });
}

// There is none whose mean is 0.
Type<Amount> lognormal_type(const Quantity& q) {
  Type<Amount> type = spread_law<Lognormal>(q, "lognormal", "A lognormal law.");
  type.read = [read = type.read](Reader& in, const YAML::Node& node, Amount& out) {
    read(in, node, out);
    if (in.ok() && std::get<Lognormal>(out).mean == 0) in.fail(node["mean"], "expected a mean above 0");
  };
  return type;
}

Type<Pareto> pareto_type(const Quantity& q) {
  return Section<Pareto>("pareto", "A law with a heavy tail: more than k times `least` with probability k^-shape.")
      .required("least", &Pareto::least, q.type, "the least")
      .required("shape", &Pareto::shape, number_type(kOneShape / 2, 1000 * kOneShape),
                "the smaller, the heavier the tail; at 1 and below there is no mean")
      .type();
}

Type<Weibull> weibull_type(const Quantity& q) {
  return Section<Weibull>("weibull", "More than k times `scale` with probability exp(-k^shape).")
      .required("scale", &Weibull::scale, q.type, "63 % of all draws are below it")
      .required("shape", &Weibull::shape, number_type(kOneShape / 10, 1000 * kOneShape),
                "1 is an exponential law, below 1 the tail is heavier, above 1 lighter")
      .type();
}

Type<Gamma> gamma_type(const Quantity& q) {
  return Section<Gamma>("gamma", "A gamma law.")
      .required("mean", &Gamma::mean, q.type, "of the " + q.noun)
      .required("shape", &Gamma::shape, number_type(kOneShape / 10, 1000 * kOneShape),
                "1 is an exponential law; the larger, the nearer to the mean")
      .type();
}

using Measured = std::vector<std::pair<std::int64_t, Nanos>>;

// The first thing that is wrong with measured percentiles: where, and what. Empty where they make a law.
std::pair<Position, std::string> fault_of(const std::vector<std::pair<Named, std::int64_t>>& entries,
                                          const Measured& measured, Position map) {
  if (entries.size() < 2) return {map, "expected two percentiles or more, such as {0: 1s, 50: 1.5s, 99: 4s}"};
  if (measured[0].first != 0) return {entries[0].first.at, "the first percentile has to be 0, the least of all"};
  if (measured[0].second == 0) return {entries[0].first.at, "the least has to be above 0"};
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (measured[i].first <= measured[i - 1].first)
      return {entries[i].first.at, "percentiles have to grow from one to the next"};
    if (measured[i].second < measured[i - 1].second)
      return {entries[i].first.at, "a percentile cannot be below the one before it"};
  }
  return {};
}

// {0: 1.2s, 50: 1.5s, 99: 4s}
void read_percentiles(Reader& in, Position map, const std::vector<std::pair<Named, std::int64_t>>& entries,
                      Percentiles& out) {
  Measured measured;
  for (const auto& [percent, value] : entries) {
    const auto share = parse_number(percent.text);
    if (!share.ok() || *share < 0 || *share >= kAllShares)
      return in.fail(percent.at, fmt::format("expected a percentage from 0 to below 100, found '{}'", percent.text));
    measured.emplace_back(*share, value);
  }
  const auto [at, fault] = fault_of(entries, measured, map);
  if (!fault.empty()) return in.fail(at, fault);
  out = Percentiles::of(measured);
}

Type<Percentiles> percentiles_type(const Quantity& q) {
  const auto entries_type = map_of("percentages, such as 99.5, to what so many per cent of all take at most", q.type);
  const auto read = [entries_type](Reader& in, const YAML::Node& node, Percentiles& out) {
    std::vector<std::pair<Named, std::int64_t>> entries;
    entries_type.read(in, node, entries);
    if (in.ok()) read_percentiles(in, position_of(node), entries, out);
  };
  Json schema = entries_type.schema;
  schema["description"] =
      "So many per cent of all draws are at most that; between two the form is that of a pareto law, and nothing is "
      "above the last.";
  return {entries_type.expected, schema, read, {}};
}

std::vector<std::pair<std::string, Type<Amount>>> laws_of(const Quantity& q) {
  const auto exponential = Section<Exponential>("exponential", "An exponential law.")
                               .required("mean", &Exponential::mean, q.type, "of the " + q.noun)
                               .type();
  const auto uniform = Section<Uniform>("uniform", "All whole steps of the smallest unit between two, equally likely.")
                           .required("low", &Uniform::low, q.type, "the least")
                           .required("high", &Uniform::high, q.type, "the most")
                           .type();
  const auto as_amount = [](auto law) { return Amount{law}; };
  return {{"normal", spread_law<Normal>(q, "normal", "A normal law; below 0 counts as 0.")},
          {"lognormal", lognormal_type(q)},
          {"exponential", converted<Amount>(exponential, as_amount)},
          {"uniform", converted<Amount>(uniform, as_amount)},
          {"pareto", converted<Amount>(pareto_type(q), as_amount)},
          {"weibull", converted<Amount>(weibull_type(q), as_amount)},
          {"gamma", converted<Amount>(gamma_type(q), as_amount)},
          {"percentiles", converted<Amount>(percentiles_type(q), as_amount)}};
}

Type<Amount> amount_type() {
  const auto constant = converted<Amount>(time_type(), [](Nanos t) { return Amount{Constant{t}}; });
  return word_or_map(constant, one_key_of<Amount>(laws_of({time_type(), "time"})));
}

// ---- factors ----

Type<std::int64_t> factor_type() { return number_type(0, 1000 * kOneShape); }

// `draws`: what has a factor each.
Type<Switching> switching_type(const Type<std::int64_t>& factor, const std::string& draws) {
  const auto probability = number_type(0, kOneShape);
  return Section<Switching>(
             "switching",
             fmt::format("As usual in some {0}s, and slower or faster in others, for a while each.", draws))
      .required("factor", &Switching::factor, factor, fmt::format("in the other {}s", draws))
      .required("begins", &Switching::begins, probability,
                fmt::format("the probability, after a usual {}, that these begin", draws))
      .required("ends", &Switching::ends, probability, "the probability, after one of these, that they end")
      .type();
}

Type<FactorLaw> factor_law_of(const Type<std::int64_t>& factor, const std::string& draws) {
  const auto constant = converted<FactorLaw>(factor, [](std::int64_t f) { return Amount{Constant{f}}; });
  std::vector<std::pair<std::string, Type<FactorLaw>>> laws;
  for (const auto& [name, law] : laws_of({factor, "factor"}))
    laws.emplace_back(name, converted<FactorLaw>(law, [](Amount a) { return FactorLaw{std::move(a)}; }));
  laws.emplace_back("switching",
                    converted<FactorLaw>(switching_type(factor, draws), [](Switching s) { return FactorLaw{s}; }));
  return word_or_map(constant, one_key_of<FactorLaw>(laws));
}

// A factor of 0 would stop all that a card carries.
Type<std::int64_t> card_factor_type() { return number_type(kOneShape / 1000, 1000 * kOneShape); }

}  // namespace

Type<RawCost> cost_type() {
  return with_position(
      Section<RawCost>(
          "a cost rule",
          "What the kernels that it selects take; the first rule that fits wins. Without selectors it fits all.")
          .key("node", &RawCost::node, text_type(), "the node's name; * stands for any text")
          .key("op", &RawCost::op, text_type(), "the op's name; * stands for any text")
          .key("device", &RawCost::device, name_type("CPU or GPU"), "the type of device")
          .key("job", &RawCost::job, name_type("a job such as worker"), "the task's job")
          .key("task", &RawCost::task, name_type("a task such as /job:worker/task:0"), "the task")
          .key("executions", &RawCost::executions,
               filled(list_of(integer_type(0, kMostExecutions)), "without 'executions' it speaks of all"),
               "[first, last] executions of the node it speaks of, from 0")
          .key("time", &RawCost::time, optional_of(amount_type()), "a time, or a law")
          .key("times", &RawCost::times, list_of(time_type()), "one time for each execution, in a circle")
          .key("trace", &RawCost::trace, name_type("a CSV file"),
               "factors of that time by worker and step, in a circle; a file with the columns worker, step, factor "
               "beside the scenario")
          .type());
}

Type<RawInterference> interference_type() {
  return with_position(
      Section<RawInterference>("an interference", "Windows of time in which kernels that begin there take longer.")
          .key("task", &RawInterference::task, name_type("a task such as /job:worker/task:0"), "whose kernels")
          .key("host", &RawInterference::host, name_type("the name of a host"),
               "instead of task: the kernels of all its tasks, together")
          .key("first", &RawInterference::first, time_type(), "from the start of the run to the first window")
          .required("every", &RawInterference::every, time_type(), "from the beginning of a window to that of the next")
          .required("lasts", &RawInterference::lasts, time_type(), "of each window")
          .required("percent", &RawInterference::percent, integer_type(1, 1'000'000), "of their usual time")
          .key("one_in", &RawInterference::one_in, integer_type(1, 1'000'000),
               "only one window of so many counts, drawn")
          .type());
}

Type<RawVariation> variation_type() {
  using Shared = Variation::Shared;
  return with_position(
      Section<RawVariation>("a variation",
                            "A factor of all kernels' times, drawn for each training step of each worker.")
          .key("task", &RawVariation::task, name_type("a task such as /job:worker/task:0"), "whose kernels; else all")
          .key("job", &RawVariation::job, name_type("a job such as worker"), "the kernels of its tasks")
          .key("shared", &RawVariation::shared,
               word_type<Shared>({{"by_nobody", Shared::by_nobody},
                                  {"by_host", Shared::by_host},
                                  {"by_rack", Shared::by_rack},
                                  {"by_all", Shared::by_all}}),
               "who has the same factor in the n-th step: nobody else, or all tasks of a host, of a rack, or all")
          .key("factor", &RawVariation::factor, optional_of(factor_law_of(factor_type(), "step")), "a number, or a law")
          .key("factors", &RawVariation::factors, list_of(factor_type()), "one for each step, in a circle")
          .key("trace", &RawVariation::trace, name_type("a CSV file"),
               "factors by worker and step, in a circle; a file with the columns worker, step, factor beside the "
               "scenario")
          .type());
}

Type<RawCardVariation> card_variation_type() {
  using Shared = CardVariation::Shared;
  return with_position(
      Section<RawCardVariation>("a variation of cards",
                                "A factor of the bandwidth of network cards, drawn again and again.")
          .key("host", &RawCardVariation::host, name_type("the name of a host"), "whose cards; else all")
          .key("nic", &RawCardVariation::nic, optional_of(integer_type(0, kMostCards - 1)),
               "only the card of that number, from 0")
          .key("shared", &RawCardVariation::shared,
               word_type<Shared>({{"by_nobody", Shared::by_nobody},
                                  {"by_host", Shared::by_host},
                                  {"by_rack", Shared::by_rack},
                                  {"by_all", Shared::by_all}}),
               "which cards have the same factor at a time: none, those of a host, of a rack, or all")
          .required("every", &RawCardVariation::every, time_type(), "how long a factor lasts")
          .key("factor", &RawCardVariation::factor, optional_of(factor_law_of(card_factor_type(), "interval")),
               "a number, or a law")
          .key("factors", &RawCardVariation::factors, list_of(card_factor_type()), "one after the other, in a circle")
          .key("trace", &RawCardVariation::trace, name_type("a CSV file"),
               "factors by host and interval, in a circle; a file with the columns host, interval, factor beside the "
               "scenario")
          .type());
}

}  // namespace tarry
