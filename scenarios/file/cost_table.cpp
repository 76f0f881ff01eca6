// Every key of what kernels take in a scenario file (table.cpp has the rest).

#include <limits>

#include "scenarios/file/raw.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMostExecutions = std::numeric_limits<std::int64_t>::max();

template <class Law>
Type<Amount> spread_law(const std::string& name, const std::string& doc) {
  return converted<Amount>(Section<Law>(name, doc)
                               .required("mean", &Law::mean, time_type(), "of the time")
                               .required("sd", &Law::sd, time_type(), "standard deviation of the time")
                               .type(),
                           [](Law l) { return Amount{l}; });
}

Type<Pareto> pareto_type() {
  return Section<Pareto>("pareto", "A law with a heavy tail: more than k times `least` with probability k^-shape.")
      .required("least", &Pareto::least, time_type(), "the least")
      .required("shape", &Pareto::shape, number_type(kOneShape / 2, 1000 * kOneShape),
                "the smaller, the heavier the tail; at 1 and below there is no mean")
      .type();
}

Type<Weibull> weibull_type() {
  return Section<Weibull>("weibull", "More than k times `scale` with probability exp(-k^shape).")
      .required("scale", &Weibull::scale, time_type(), "63 % of all times are below it")
      .required("shape", &Weibull::shape, number_type(kOneShape / 10, 1000 * kOneShape),
                "1 is an exponential law, below 1 the tail is heavier, above 1 lighter")
      .type();
}

Type<Amount> amount_type() {
  const auto constant = converted<Amount>(time_type(), [](Nanos t) { return Amount{Constant{t}}; });
  const auto exponential = Section<Exponential>("exponential", "An exponential law.")
                               .required("mean", &Exponential::mean, time_type(), "of the time")
                               .type();
  const auto uniform = Section<Uniform>("uniform", "All whole nanoseconds between two times, equally likely.")
                           .required("low", &Uniform::low, time_type(), "the least")
                           .required("high", &Uniform::high, time_type(), "the most")
                           .type();
  const auto as_amount = [](auto law) { return Amount{law}; };
  return word_or_map(constant,
                     one_key_of<Amount>({{"normal", spread_law<Normal>("normal", "A normal law; below 0 counts as 0.")},
                                         {"lognormal", spread_law<Lognormal>("lognormal", "A lognormal law.")},
                                         {"exponential", converted<Amount>(exponential, as_amount)},
                                         {"uniform", converted<Amount>(uniform, as_amount)},
                                         {"pareto", converted<Amount>(pareto_type(), as_amount)},
                                         {"weibull", converted<Amount>(weibull_type(), as_amount)}}));
}

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
          .key("executions", &RawCost::executions, list_of(integer_type(0, kMostExecutions)),
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

}  // namespace tarry
