#include "properties/programs/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "placer/core/text.hpp"
#include "properties/hunting/hunting.hpp"

namespace tarry {
namespace {

using Wrong = std::optional<std::string>;

bool same(const TensorRef& a, const TensorRef& b) {
  if (!a || !b) return a == b;
  return a->dtype() == b->dtype() && a->shape() == b->shape() && a->has_data() && b->has_data() &&
         std::ranges::equal(a->raw(), b->raw());
}

std::string codes(const std::set<Code>& errors) {
  std::vector<std::string> names;
  for (const Code c : errors) names.push_back(code_name(c));
  return names.empty() ? "OK" : fmt::format("{}", fmt::join(names, " or "));
}

std::string shown(const TensorRef& t) {
  if (!t) return "nothing";
  std::string text = fmt::format("{} {}", type_name(t->dtype()), to_string(t->shape()));
  for (std::int64_t i = 0; t->has_data() && i < std::min<std::int64_t>(t->elements(), 4); ++i) {
    if (t->dtype() == DataType::kFloat) text += fmt::format(" {}", t->as<float>()[static_cast<std::size_t>(i)]);
    if (t->dtype() == DataType::kInt32) text += fmt::format(" {}", t->as<std::int32_t>()[static_cast<std::size_t>(i)]);
  }
  return text;
}

Wrong compare_step(const Program& p, const OracleStep& oracle, const CutStep& step, std::size_t number) {
  const bool fits = oracle.errors.empty() ? step.status.ok() : oracle.errors.contains(step.status.code());
  if (!fits)
    return fmt::format("step {} ends {} ({}), expected {}", number, code_name(step.status.code()), text_of(step.status),
                       codes(oracle.errors));
  for (std::size_t i = 0; step.status.ok() && i < p.fetches.size(); ++i)
    if (!same(oracle.values[i], step.values[i]))
      return fmt::format("step {}: {} is {}, expected {}", number, p.fetches[i], shown(step.values[i]),
                         shown(oracle.values[i]));
  return std::nullopt;
}

Wrong compare(const Program& p, const OracleAnswer& oracle, const StatusOr<CutAnswer>& cut) {
  if (!cut.ok()) return fmt::format("it cannot be run: {}", text_of(cut.status()));
  if (cut->has_lone_invariant) return std::nullopt;
  for (std::size_t i = 0; i < oracle.steps.size(); ++i) {
    if (i >= cut->steps.size()) return fmt::format("step {} was not run", i + 1);
    if (Wrong wrong = compare_step(p, oracle.steps[i], cut->steps[i], i + 1)) return wrong;
  }
  return std::nullopt;
}

// ---- the properties ----

Wrong direct_agrees(ProgramTrial& t) {
  const OracleAnswer& oracle = t.oracle();
  const auto direct = run_direct(t.program);
  if (!direct.ok()) return fmt::format("it cannot be run: {}", text_of(direct.status()));
  for (std::size_t i = 0; i < oracle.steps.size(); ++i) {
    if (i >= direct->steps.size()) return fmt::format("step {} was not run", i + 1);
    if (Wrong wrong = compare_step(t.program, oracle.steps[i], direct->steps[i], i + 1)) return wrong;
    const std::uint64_t expected = oracle.steps[i].fired + t.program.fetches.size();
    if (oracle.steps[i].errors.empty() && direct->nodes_run[i] != expected)
      return fmt::format("step {}: {} nodes run, expected {}", i + 1, direct->nodes_run[i], expected);
  }
  return std::nullopt;
}

Wrong cut_agrees(ProgramTrial& t) { return compare(t.program, t.oracle(), t.cut()); }

Wrong any_schedule(ProgramTrial& t) {
  for (std::uint64_t nth = 1; nth <= 3; ++nth)
    if (Wrong wrong = compare(t.program, t.oracle(), t.cut_again(t.program, nth))) return wrong;
  return std::nullopt;
}

Wrong any_parallel_iterations(ProgramTrial& t) {
  for (const std::int64_t parallel : {1, 2, 3, 7, 32}) {
    const Program p = with_parallel_iterations(t.program, parallel);
    if (Wrong wrong = compare(p, t.oracle(), t.cut_again(p, static_cast<std::uint64_t>(parallel))))
      return fmt::format("with {} parallel iterations: {}", parallel, *wrong);
  }
  return std::nullopt;
}

// Calls `look` with each step that ends well, here and there.
Wrong each_good_step(ProgramTrial& t, const std::function<Wrong(const OracleStep&, const CutStep&)>& look) {
  const OracleAnswer& oracle = t.oracle();
  const StatusOr<CutAnswer>& cut = t.cut();
  for (std::size_t i = 0; cut.ok() && i < std::min(oracle.steps.size(), cut->steps.size()); ++i) {
    if (!oracle.steps[i].errors.empty() || !cut->steps[i].status.ok()) continue;
    if (Wrong wrong = look(oracle.steps[i], cut->steps[i])) return wrong;
  }
  return std::nullopt;
}

int times(const Executions& all, const Execution& e) {
  const auto it = all.find(e);
  return it == all.end() ? 0 : it->second;
}

Wrong same_executions(ProgramTrial& t) {
  return each_good_step(t, [&t](const OracleStep& oracle, const CutStep& step) -> Wrong {
    Executions all = oracle.executions;
    all.insert(step.executions.begin(), step.executions.end());
    for (const auto& [e, n] : all)
      if (const int ran = times(step.executions, e), expected = times(oracle.executions, e); ran != expected)
        return fmt::format("{} in frame {} iteration {} ran {} times, expected {}", t.program.nodes[e.node].name,
                           e.frame, e.iteration, ran, expected);
    return std::nullopt;
  });
}

Wrong transfers_pair_up(ProgramTrial& t) {
  return each_good_step(
      t, [](const OracleStep&, const CutStep& step) { return step.transfers.empty() ? Wrong() : step.transfers[0]; });
}

Wrong frames_end(ProgramTrial& t) {
  return each_good_step(
      t, [](const OracleStep&, const CutStep& step) { return step.frames.empty() ? Wrong() : step.frames[0]; });
}

bool agree(const OracleAnswer& a, const OracleAnswer& b) {
  return std::ranges::equal(a.steps, b.steps, [](const OracleStep& x, const OracleStep& y) {
    return x.errors == y.errors && x.executions == y.executions && std::ranges::equal(x.values, y.values, same);
  });
}

}  // namespace

const OracleAnswer& ProgramTrial::oracle() {
  if (!oracle_) oracle_ = interpret(program, seed_);
  return *oracle_;
}

const StatusOr<CutAnswer>& ProgramTrial::cut() {
  if (!cut_) cut_ = cut_again(program, 0);
  return *cut_;
}

StatusOr<CutAnswer> ProgramTrial::cut_again(const Program& p, std::uint64_t nth) const {
  return run_cut(p, {.schedule = seed_ + nth, .planted = planted_});
}

const std::vector<ProgramProperty>& program_properties() {
  static const std::vector<ProgramProperty> all = {
      {"direct_agrees",
       "A direct session on one device gives the interpreter's values or one of its errors, and runs as many nodes.",
       direct_agrees},
      {"cut_agrees", "Cut over tasks and devices, a program gives the interpreter's values, or one of its errors.",
       cut_agrees},
      {"any_schedule", "Whatever takes how long, the answer stays.", any_schedule},
      {"any_parallel_iterations", "From 1 to 32 parallel iterations, the answer stays.", any_parallel_iterations},
      {"same_executions", "Every node runs in the iterations of the frames in which the interpreter runs it, as often.",
       same_executions},
      {"transfers_pair_up", "Every key is sent once and received once, and nothing is left in the rendezvous.",
       transfers_pair_up},
      {"frames_end", "Never more than parallel_iterations iterations of a frame at a time, and none is left behind.",
       frames_end},
  };
  return all;
}

const ProgramProperty* find_program_property(std::string_view name) { return find_named(program_properties(), name); }

std::optional<std::string> violation_of(const ProgramProperty& property, const Program& p, std::uint64_t seed,
                                        PlantedRuntimeBug planted) {
  ProgramTrial trial(p, seed, planted);
  if (!trial.oracle().not_a_program.empty()) return std::nullopt;
  Wrong wrong = property.violation(trial);
  if (!wrong) return std::nullopt;
  for (std::uint64_t other = 1; other <= 4; ++other)
    if (!agree(trial.oracle(), interpret(p, seed + other * 7919))) return std::nullopt;
  return wrong;
}

}  // namespace tarry
