// Kernels that take longer in some steps than in others, by what the scenario says of them.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/core/text.hpp"
#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

constexpr std::size_t kMostVariations = 4;  // of more only all together are tried

// As a scenario may say it: "0.000001", "99.999999".
std::string factor_in_words(std::int64_t millionths) {
  std::string text = fmt::format("{}.{:06}", millionths / kUsualPace, millionths % kUsualPace);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// "a lognormal law with mean 1 and sd 0.3".
struct LawInWords {
  static std::string of(const char* law, const char* first, std::int64_t a, const char* second, std::int64_t b) {
    return fmt::format("{} law with {} {} and {} {}", law, first, factor_in_words(a), second, factor_in_words(b));
  }
  std::string operator()(const Normal& l) const { return of("a normal", "mean", l.mean, "sd", l.sd); }
  std::string operator()(const Lognormal& l) const { return of("a lognormal", "mean", l.mean, "sd", l.sd); }
  std::string operator()(const Exponential& l) const {
    return "an exponential law with mean " + factor_in_words(l.mean);
  }
  std::string operator()(const Uniform& l) const { return of("a uniform", "low", l.low, "high", l.high); }
  std::string operator()(const Pareto& l) const { return of("a pareto", "least", l.least, "shape", l.shape); }
  std::string operator()(const Weibull& l) const { return of("a weibull", "scale", l.scale, "shape", l.shape); }
  std::string operator()(const Gamma& l) const { return of("a gamma", "mean", l.mean, "shape", l.shape); }
  std::string operator()(const Percentiles& l) const {
    std::vector<std::string> points;
    for (const auto& p : l.points)
      points.push_back(fmt::format("{}: {}", factor_in_words(p.share), factor_in_words(p.value)));
    return "a law with the percentiles " + join(points, ", ");
  }
  std::string operator()(const Constant& l) const { return factor_in_words(l.time); }
  std::string operator()(const Listed&) const { return "a list"; }
};

std::string listed_in_words(const Listed& list) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> factors;
  for (const Nanos f : list.times)
    if (factors.size() < kMost) factors.push_back(factor_in_words(f));
  return fmt::format("take {}{} times their usual time, one step after the other", join(factors, ", "),
                     list.times.size() > kMost ? ", ..." : "");
}

// "take 3 times their usual time in 40 % of the steps (switching: ...)".
std::string law_in_words(const FactorLaw& law) {
  if (const auto* s = std::get_if<Switching>(&law))
    return fmt::format(
        "take {} times their usual time in {:.3g} % of the steps (switching: after each step these begin with the "
        "probability {}, and end with {})",
        factor_in_words(s->factor), 100 * static_cast<double>(s->begins) / static_cast<double>(s->begins + s->ends),
        factor_in_words(s->begins), factor_in_words(s->ends));
  const auto& amount = std::get<Amount>(law);
  if (const auto* list = std::get_if<Listed>(&amount)) return listed_in_words(*list);
  if (const auto* constant = std::get_if<Constant>(&amount))
    return fmt::format("take {} times their usual time", factor_in_words(constant->time));
  return fmt::format("take their usual time by a factor that each step draws from {}",
                     std::visit(LawInWords{}, amount));
}

std::string whose(const Variation& v, const TaskNames& tasks) {
  if (v.task.valid()) return "the kernels of " + tasks.show(v.task);
  if (v.job.empty()) return "all kernels";
  return v.job == "worker" ? "the kernels of all workers"
         : v.job == "ps"   ? "the kernels of all parameter servers"
                           : "the kernels of all tasks of " + v.job;
}

std::string shared_in_words(const Variation& v) {
  if (v.task.valid()) return "";
  switch (v.shared) {
    case Variation::Shared::by_host:
      return "; the tasks of a host have the same factor";
    case Variation::Shared::by_rack:
      return "; the tasks of a rack have the same factor";
    case Variation::Shared::by_all:
      return "; all have the same factor";
    default:
      return "; each task has its own factor";
  }
}

WhatIf without_variations(const Job& job, std::string what) {
  WhatIf w{{.cause = Proof::Cause::variations, .what = std::move(what), .instead = "without variations"}, job};
  w.job.costs.variations.clear();
  return w;
}

// ---- costs that are drawn ----

// The name of a law; "" of what is no law.
struct LawName {
  std::string_view operator()(const Normal&) const { return "a normal law"; }
  std::string_view operator()(const Lognormal&) const { return "a lognormal law"; }
  std::string_view operator()(const Exponential&) const { return "an exponential law"; }
  std::string_view operator()(const Uniform&) const { return "a uniform law"; }
  std::string_view operator()(const Pareto&) const { return "a pareto law"; }
  std::string_view operator()(const Weibull&) const { return "a weibull law"; }
  std::string_view operator()(const Gamma&) const { return "a gamma law"; }
  std::string_view operator()(const Percentiles&) const { return "a law by percentiles"; }
  std::string_view operator()(const Constant&) const { return ""; }
  std::string_view operator()(const Listed&) const { return ""; }
};

// Whether a law now and then draws many times the usual time. A weibull or gamma law of shape 1 is exponential: one
// draw in ten thousand is thirteen times the median, which is what percentiles are judged by.
struct IsHeavy {
  bool operator()(const Lognormal& l) const { return l.sd > l.mean; }
  bool operator()(const Exponential&) const { return true; }
  bool operator()(const Pareto&) const { return true; }
  bool operator()(const Weibull& l) const { return l.shape <= kOneShape; }
  bool operator()(const Gamma& l) const { return l.shape <= kOneShape; }
  bool operator()(const Percentiles& l) const {
    return percentile(l, kAllShares / 10'000 * 9'999) / 13 >= percentile(l, kAllShares / 2);
  }
  template <class Law>
  bool operator()(const Law&) const {
    return false;
  }
};

// "MatMul", "each kernel".
std::string kernels_of(const CostRule& r) { return !r.op.empty() ? r.op : !r.node.empty() ? r.node : "each kernel"; }

// "what MatMul takes on worker 1 is drawn from a pareto law".
std::string drawn_in_words(const CostRule& r, const TaskNames& names) {
  const TaskId task = names.find(r.task);
  return fmt::format("what {} takes{} is drawn from {}", kernels_of(r), task.valid() ? " on " + names.show(task) : "",
                     std::visit(LawName(), r.amount));
}

// All such costs together: each step, and each worker, draws anew. Likely are those with a heavy tail.
void add_drawn_costs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope) {
  const TaskNames& names = outcome.tasks;
  WhatIf w{{.cause = Proof::Cause::variations, .instead = "with the mean of its law each time"}, job};
  std::vector<std::string> what;
  std::set<std::string> tasks;
  for (std::size_t i = 0; i < job.costs.rules.size(); ++i) {
    CostRule& r = w.job.costs.rules[i];
    if (!is_random(r.amount) || (scope == Scope::likely && !std::visit(IsHeavy(), r.amount))) continue;
    if (!is_of_servers(job.costs.rules[i], job, outcome)) w.proof.b = "apart";
    const std::string drawn = drawn_in_words(r, names);
    r.amount = Constant{mean_of(r.amount)};
    tasks.insert(r.task);
    if (std::ranges::find(what, drawn) == what.end()) what.push_back(drawn);
  }
  Amount& otherwise = w.job.costs.otherwise;
  if (scope == Scope::all && is_random(otherwise)) {
    what.push_back(fmt::format("what other kernels take is drawn from {}", std::visit(LawName(), otherwise)));
    otherwise = Constant{mean_of(otherwise)};
    w.proof.b = "apart";
    tasks.insert("");
  }
  if (what.empty()) return;
  if (tasks.size() == 1) w.proof.task = names.find(*tasks.begin());
  w.proof.what = join(what, ", and ");
  out.push_back(std::move(w));
}

bool are_equal(const std::vector<std::int64_t>& all) { return std::ranges::min(all) == std::ranges::max(all); }

// All costs with the factors of a trace, together: each worker has its own. Likely are factors that vary.
void add_traced_costs(std::vector<WhatIf>& out, const Job& job, const TaskNames& names, Scope scope) {
  WhatIf w{{.cause = Proof::Cause::variations, .b = "apart", .instead = "without the factors of the trace"}, job};
  std::vector<std::string> what;
  std::set<std::string> tasks;
  for (CostRule& r : w.job.costs.rules) {
    if (r.factors.empty() || (scope == Scope::likely && are_equal(r.factors))) continue;
    r.factors.clear();
    tasks.insert(r.task);
    if (std::ranges::count(what, kernels_of(r)) == 0) what.push_back(kernels_of(r));
  }
  if (what.empty()) return;
  w.proof.together = tasks.size() > 1;
  if (tasks.size() == 1) w.proof.task = names.find(*tasks.begin());
  const char* take = what.size() == 1 ? "takes" : "take";
  const std::string which = what.size() == 1 ? what.front() : listed(std::move(what));
  w.proof.what = fmt::format("what {} {} varies by the factors of a trace", which, take);
  out.push_back(std::move(w));
}

// Whether each draw is the same.
struct IsConstant {
  bool operator()(const Constant&) const { return true; }
  bool operator()(const Listed& l) const { return are_equal(l.times); }
  bool operator()(const Uniform& l) const { return l.low == l.high; }
  bool operator()(const Normal& l) const { return l.sd == 0; }
  bool operator()(const Lognormal& l) const { return l.sd == 0; }
  template <class Law>
  bool operator()(const Law&) const {
    return false;
  }
};

// It makes all kernels of these tasks longer, each time alike.
bool is_constant(const Variation& v) {
  const auto* amount = std::get_if<Amount>(&v.law);
  return amount != nullptr && std::visit(IsConstant(), *amount);
}

// "kernels vary from step to step, by 3 variations", "by the variations of 4 tasks".
std::string all_in_words(const std::vector<Variation>& all) {
  std::set<TaskId> tasks;
  for (const Variation& v : all) tasks.insert(v.task);
  const bool is_one_each = tasks.size() == all.size() && !tasks.contains(TaskId::none());
  return fmt::format(
      "kernels vary from step to step, by {}",
      is_one_each ? fmt::format("the variations of {} tasks", all.size()) : fmt::format("{} variations", all.size()));
}

void add_variation(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, std::size_t i) {
  const std::vector<Variation>& all = job.costs.variations;
  const Variation& v = all[i];
  const std::string who = whose(v, outcome.tasks);
  WhatIf& w =
      out.emplace_back(without_variations(job, fmt::format("{} {}{}", who, law_in_words(v.law), shared_in_words(v))));
  w.proof.task = v.task;
  if (!v.task.valid() && v.shared == Variation::Shared::by_nobody) w.proof.b = "apart";
  if (all.size() == 1) return;
  w.proof.instead = fmt::format("without the variation of {}", who);
  w.job.costs.variations = all;
  w.job.costs.variations.erase(w.job.costs.variations.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

void add_variation_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope) {
  add_drawn_costs(out, job, outcome, scope);
  add_traced_costs(out, job, outcome.tasks, scope);
  const std::vector<Variation>& all = job.costs.variations;
  // Of workers that one makes slow each time alike, that they are slow is told.
  const auto is_tried = [&](const Variation& v) { return scope == Scope::all || !is_constant(v); };
  std::vector<Variation> tried, others;
  for (const Variation& v : all) (is_tried(v) ? tried : others).push_back(v);
  for (std::size_t i = 0; i < all.size() && tried.size() <= kMostVariations; ++i)
    if (is_tried(all[i])) add_variation(out, job, outcome, i);
  if (tried.size() < 2) return;
  WhatIf& w = out.emplace_back(without_variations(job, all_in_words(tried)));
  w.job.costs.variations = std::move(others);
  w.proof.together = true;
}

}  // namespace tarry
