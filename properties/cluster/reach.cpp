#include "properties/cluster/reach.hpp"

#include <algorithm>
#include <set>

namespace tarry {
namespace {

std::string protocol_of(const DrawnCluster& c) {
  if (c.protocol == Protocol::asynchronous) return "async";
  if (c.protocol == Protocol::stale_synchronous) return "stale_sync";
  const auto workers = static_cast<std::int64_t>(c.workers.size());
  return c.replicas.value_or(workers) < workers ? "sync with backup workers" : "sync";
}

std::string beside(std::int64_t value, std::int64_t other) {
  return value < other ? "below" : value == other ? "equal" : "above";
}

std::string hosts_of(const DrawnCluster& c) {
  const std::size_t tasks = c.ps.size() + c.workers.size();
  return c.hosts == tasks ? "own" : c.hosts == 1 ? "one" : "shared";
}

std::string law_of(const Amount& amount) {
  constexpr std::string_view kLaws[] = {"constant", "normal", "lognormal", "exponential", "uniform",
                                        "list",     "pareto", "weibull",   "gamma",       "percentiles"};
  static_assert(std::size(kLaws) == std::variant_size_v<Amount>);
  return std::string(kLaws[amount.index()]);
}

std::string stop_of(const StopSpec& s) {
  return s.aggregates ? "aggregates" : s.global_step ? "global_step" : s.steps ? "steps" : "time";
}

std::set<std::string> clients_of(const DrawnCluster& c) {
  std::set<std::string> all;
  for (const DrawnWorker& w : c.workers) {
    if (w.client.absent) all.insert("absent");
    if (w.client.start_after > 0 || w.client.first_step_after > 0) all.insert("late");
    if (w.client.steps) all.insert("leaves early");
    if (w.client.poll_first) all.insert("looks first");
    if (w.cost) all.insert("own costs");
  }
  return all;
}

std::set<std::string> options_of(const DrawnCluster& c) {
  std::set<std::string> all;
  if (c.training.queue_runner == QueueRunnerEra::closes_dummy_queue) all.insert("old queue runner");
  if (!c.training.device_filters) all.insert("no device filters");
  if (!c.training.fail_fast) all.insert("calls wait for tasks");
  if (saves_checkpoints(c)) all.insert("checkpoints");
  if (c.nic > 0) all.insert("links shared by flows");
  if (c.gpus > 0) all.insert("GPUs");
  if (c.gpu_memory > 0) all.insert("GPU memory");
  if (c.threads > 0) all.insert("few threads");
  return all;
}

}  // namespace

std::span<const ReachGroup> reach_groups() {
  static constexpr ReachGroup kGroups[] = {{"workers", "workers"},
                                           {"ps", "parameter servers"},
                                           {"hosts", "hosts of tasks"},
                                           {"protocol", "protocol"},
                                           {"replicas", "gradients to aggregate, beside workers"},
                                           {"tokens", "initial tokens, beside these gradients"},
                                           {"start", "start"},
                                           {"costs", "law of costs"},
                                           {"stop", "ends by"},
                                           {"clients", "workers that are"},
                                           {"options", "with"},
                                           {"graph", "graph"},
                                           {"faults", "runs with a fault"},
                                           {"verdicts", "runs with a verdict"}};
  return kGroups;
}

void Reach::note(const DrawnCluster& c) {
  ++groups["workers"][std::to_string(c.workers.size())];
  ++groups["ps"][std::to_string(c.ps.size())];
  ++groups["hosts"][hosts_of(c)];
  ++groups["protocol"][protocol_of(c)];
  if (c.protocol == Protocol::synchronous) {
    const auto workers = static_cast<std::int64_t>(c.workers.size()), replicas = c.replicas.value_or(workers);
    ++groups["replicas"][beside(replicas, workers)];
    ++groups["tokens"][c.num_tokens == 0 ? "none" : beside(c.num_tokens.value_or(replicas), replicas)];
  }
  ++groups["start"][c.training.start == Start::natural ? "natural" : "together"];
  ++groups["costs"][law_of(c.cost)];
  ++groups["stop"][stop_of(c.stop)];
  for (const std::string& what : clients_of(c)) ++groups["clients"][what];
  for (const std::string& what : options_of(c)) ++groups["options"][what];
  ++groups["graph"][c.graph];
}

void Reach::note(const Schedule& schedule) {
  std::set<std::string> kinds;
  for (const Fault& f : schedule.faults)
    kinds.insert(std::visit([]<class K>(const K&) { return std::string(K::kKey); }, f.what));
  for (const std::string& kind : kinds) ++groups["faults"][kind];
}

void Reach::note(std::span<const Verdict> verdicts) {
  std::set<std::string> kinds;
  for (const Verdict& v : verdicts) kinds.insert(v.kind);
  for (const std::string& kind : kinds) ++groups["verdicts"][kind];
}

void Reach::add(const Reach& other) {
  for (const auto& [group, buckets] : other.groups)
    for (const auto& [bucket, count] : buckets) groups[group][bucket] += count;
}

}  // namespace tarry
