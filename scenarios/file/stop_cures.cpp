// Cures of workers that leave before others: another stop, and data for all.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/file/cure_edits.hpp"

namespace tarry {
namespace {

using i128 = __int128;

// That an aggregate takes; 0 where nothing is aggregated.
std::int64_t required_gradients(const Ward& w, const Scenario& s) {
  if (s.build && s.build->plan.protocol == Protocol::synchronous)
    return s.build->plan.replicas.value_or(s.build->plan.workers);
  return w.contributions.accumulators.empty() ? 0 : w.contributions.accumulators.front().required;
}

// Every file then has as many records as the longest. False where all workers find the same, or some find bytes.
bool share_files(Scenario& s) {
  const auto is_of_one = [](const InputFileSpec& f) { return f.file.task.valid(); };
  const auto has_bytes = [](const InputFileSpec& f) { return !f.from.empty(); };
  if (std::ranges::none_of(s.input_files, is_of_one) || std::ranges::any_of(s.input_files, has_bytes)) return false;
  const auto records = [](const InputFileSpec& f) { return f.file.records; };
  s.input_files = {*std::ranges::max_element(s.input_files, {}, records)};
  s.input_files[0].file.name = "*";
  s.input_files[0].file.task = TaskId();
  return true;
}

}  // namespace

Status train_on(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  bool did = std::erase_if(s.faults, [](const Fault& f) { return std::holds_alternative<Leave>(f.what); }) > 0;
  for (auto& [task, client] : s.training.workers) {
    did = did || client.steps || client.global_step;
    client.steps.reset(), client.global_step.reset();
  }
  did |= share_files(s);
  cured.keys = "training.workers.T.steps, training.workers.T.global_step; feeds.files; faults";
  return did ? Status() : invalid("no key and no fault of the scenario makes a worker leave before the others");
}

namespace {

// As `stop` tells all workers, or as each is told for itself; 0 where nothing does.
std::int64_t steps_of_each(const Scenario& s) {
  std::int64_t steps = s.stop.steps.value_or(0);
  for (const auto& [task, client] : s.training.workers) steps = std::max(steps, client.steps.value_or(0));
  return steps;
}

}  // namespace

Status stop_at_global_step(const Ward& w, const Verdict& v, Scenario& s, CuredJob& cured) {
  const std::int64_t each = steps_of_each(s);
  if (each == 0) return invalid("the scenario does not stop at so many steps of each worker");
  const i128 clients = std::ssize(w.patient.job.clients), steps = i128{each} * clients;
  const std::int64_t required = required_gradients(w, s);
  constexpr i128 kMost = std::numeric_limits<std::int64_t>::max();
  s.stop.global_step = static_cast<std::int64_t>(
      std::clamp<i128>(required > 0 ? steps / std::max(clients, i128{required}) : steps, 1, kMost));
  s.stop.steps.reset();
  bool had_own = false;
  for (auto& [task, client] : s.training.workers) had_own |= client.steps.has_value(), client.steps.reset();
  cured.keys = fmt::format("stop.global_step: {}; stop.steps: ~{}", *s.stop.global_step,
                           had_own ? "; training.workers.T.steps" : "");
  if (v.text.find(" for all together, and without any fault") == v.text.npos) return {};
  s.faults.clear();
  cured.advice += ", and without any fault", cured.keys += "; faults";
  return {};
}

Status endless_files(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  const auto leaves = std::erase_if(s.faults, [](const Fault& f) { return std::holds_alternative<Leave>(f.what); });
  if (s.input_files.empty() && leaves == 0) return invalid("the scenario says nothing of files");
  cured.keys = s.input_files.empty() ? "faults" : leaves == 0 ? "feeds.files: []" : "feeds.files: []; faults";
  s.input_files.clear();
  return {};
}

}  // namespace tarry
