// Drawn clusters as a scenario's file has them.

#include "placer/core/text.hpp"
#include "properties/cluster/drawn.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

using Parts = std::vector<std::string>;

// "{a: 1, b: 2}".
std::string section(const Parts& parts) { return "{" + join(parts, ", ") + "}"; }

// A key with its value, unless that is what the language takes without the key.
template <class Value>
void add(Parts& parts, std::string_view key, const std::optional<Value>& value) {
  if (value) parts.push_back(fmt::format("{}: {}", key, *value));
}
void add_time(Parts& parts, std::string_view key, Nanos time) {
  if (time != 0) parts.push_back(fmt::format("{}: {}", key, format_time(time)));
}
void add_word(Parts& parts, bool is_there, std::string_view word) {
  if (is_there) parts.emplace_back(word);
}

// ---- the cluster ----

std::string host(std::size_t number) { return fmt::format("host{}", number); }

std::string task(const DrawnCluster& c, std::size_t at, std::int64_t gpus) {
  if (gpus == 0 && c.threads == 0) return host(at);
  Parts parts{"host: " + host(at)};
  if (gpus > 0) add(parts, "gpus", std::optional(gpus));
  if (gpus > 0 && c.gpu_memory > 0) parts.push_back("gpu_memory: " + format_size(c.gpu_memory));
  if (c.threads > 0) add(parts, "inter_op_threads", std::optional(c.threads));
  return section(parts);
}

std::string tasks(const DrawnCluster& c) {
  Parts parts;
  for (std::size_t i = 0; i < c.ps.size(); ++i) parts.push_back(fmt::format("ps/{}: {}", i, task(c, c.ps[i], 0)));
  for (std::size_t i = 0; i < c.workers.size(); ++i)
    parts.push_back(fmt::format("worker/{}: {}", i, task(c, c.workers[i].host, c.gpus)));
  return section(parts);
}

std::string network(const DrawnCluster& c) {
  Parts parts, links;
  add_time(parts, "latency", c.latency);
  if (c.same_host > 0) parts.push_back(fmt::format("same_host: {{latency: {}}}", format_time(c.same_host)));
  if (c.nic > 0) parts.push_back(fmt::format("nic: {}, small_message: 1KiB", format_bandwidth(c.nic)));
  for (const LinkSpec& l : c.links)
    links.push_back(fmt::format("{{between: [{}, {}], latency: {}}}", host(l.a.index()), host(l.b.index()),
                                format_time(l.path.latency)));
  if (!links.empty()) parts.push_back("links: [" + join(links, ", ") + "]");
  return section(parts);
}

std::string cluster(const DrawnCluster& c) {
  Parts hosts;
  for (std::size_t h = 0; h < c.hosts; ++h) hosts.push_back(host(h));
  return fmt::format("cluster:\n  hosts: [{}]\n  tasks: {}\n  network: {}\n", join(hosts, ", "), tasks(c), network(c));
}

// ---- the job ----

std::string build(const DrawnCluster& c) {
  Parts parts{"graph: " + c.graph};
  add_word(parts, c.protocol == Protocol::asynchronous, "protocol: async");
  add_word(parts, c.protocol == Protocol::synchronous, "protocol: sync");
  if (c.protocol == Protocol::stale_synchronous)
    parts.push_back(fmt::format("protocol: stale_sync, staleness: {}", c.staleness));
  add(parts, "replicas_to_aggregate", c.replicas);
  add(parts, "num_tokens", c.num_tokens);
  add_word(parts, c.strategy == PsStrategy::greedy, "ps_strategy: greedy");
  return section(parts);
}

std::string law(std::string_view name, std::string_view first, Nanos a, std::string_view second, Nanos b) {
  const std::string more = second.empty() ? "" : fmt::format(", {}: {}", second, format_time(b));
  return fmt::format("time: {{{}: {{{}: {}{}}}}}", name, first, format_time(a), more);
}
std::string text(const Constant& a) { return "time: " + format_time(a.time); }
std::string text(const Uniform& a) { return law("uniform", "low", a.low, "high", a.high); }
std::string text(const Normal& a) { return law("normal", "mean", a.mean, "sd", a.sd); }
std::string text(const Lognormal& a) { return law("lognormal", "mean", a.mean, "sd", a.sd); }
std::string text(const Exponential& a) { return law("exponential", "mean", a.mean, "", 0); }
std::string law(std::string_view name, std::string_view first, Nanos a, std::int64_t shape) {
  return fmt::format("time: {{{}: {{{}: {}, shape: {}}}}}", name, first, format_time(a), format_number(shape));
}
std::string text(const Pareto& a) { return law("pareto", "least", a.least, a.shape); }
std::string text(const Gamma& a) { return law("gamma", "mean", a.mean, a.shape); }
std::string text(const Weibull& a) { return law("weibull", "scale", a.scale, a.shape); }
std::string text(const Percentiles& a) {
  Parts points;
  for (const auto& p : a.points) points.push_back(fmt::format("{}: {}", format_number(p.share), format_time(p.value)));
  return "time: {percentiles: {" + join(points, ", ") + "}}";
}
std::string text(const Listed& a) {
  Parts times;
  for (const Nanos t : a.times) times.push_back(format_time(t));
  return "times: [" + join(times, ", ") + "]";
}

// The op's time is that of a step: it is once in each.
std::string cost(const std::string& whose, const Amount& amount) {
  return fmt::format("  - {{op: SparseSoftmaxCrossEntropyWithLogits, {}, {}}}\n", whose,
                     std::visit([](const auto& a) { return text(a); }, amount));
}

std::string costs(const DrawnCluster& c) {
  std::string all = "costs:\n";
  for (std::size_t i = 0; i < c.workers.size(); ++i)
    if (c.workers[i].cost) all += cost(fmt::format("task: worker/{}", i), *c.workers[i].cost);
  all += cost("job: worker", c.cost);
  if (c.assign_cost > 0) all += fmt::format("  - {{node: \"*/Assign\", time: {}}}\n", format_time(c.assign_cost));
  if (c.ps_cost > 0) all += fmt::format("  - {{job: ps, time: {}}}\n", format_time(c.ps_cost));
  return all;
}

// ---- training ----

std::string client(const ClientSpec& client) {
  Parts parts;
  add_word(parts, client.absent, "absent: true");
  add_time(parts, "start_after", client.start_after);
  add_time(parts, "first_step_after", client.first_step_after);
  add(parts, "steps", client.steps);
  add_word(parts, client.poll_first, "poll_first: true");
  return parts.empty() ? "" : section(parts);
}

std::string training(const DrawnCluster& c) {
  const TrainingSpec& t = c.training;
  Parts parts, workers;
  add_word(parts, t.start == Start::natural, "start: natural");
  add_word(parts, t.queue_runner == QueueRunnerEra::closes_dummy_queue, "queue_runner: old");
  add_word(parts, c.gpus > 0, "soft_placement: true");
  add_word(parts, !t.device_filters, "device_filters: false");
  add_word(parts, !t.fail_fast, "fail_fast: false");
  add(parts, "save_steps", t.save_steps);
  add_time(parts, "save_every", t.save_every.value_or(0));
  for (std::size_t i = 0; i < c.workers.size(); ++i)
    if (const std::string own = client(c.workers[i].client); !own.empty())
      workers.push_back(fmt::format("worker/{}: {}", i, own));
  if (!workers.empty()) parts.push_back("workers: " + section(workers));
  return parts.empty() ? "" : "training: " + section(parts) + "\n";
}

std::string stop(const StopSpec& s) {
  Parts parts;
  add(parts, "aggregates", s.aggregates);
  add(parts, "global_step", s.global_step);
  add(parts, "steps", s.steps);
  add_time(parts, "time", s.time.value_or(0));
  return "stop: " + section(parts) + "\n";
}

}  // namespace

std::string scenario_text(const DrawnCluster& c, const std::string& title) {
  return fmt::format("title: '{}'\nseed: {}\n{}build: {}\nfeeds: {{batch: 4}}\n{}{}{}", title, c.seed, cluster(c),
                     build(c), costs(c), training(c), stop(c.stop));
}

}  // namespace tarry
