#include "scenarios/file/cost_resolve.hpp"

#include <algorithm>
#include <cctype>

namespace tarry {
namespace {

std::string device_of(Reader& in, const ClusterSpec& cluster, const Named& device) {
  std::string type = device.text;
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (!type.empty() && type != "CPU" && type != "GPU")
    in.fail(device.at, fmt::format("unknown device '{}'; expected CPU or GPU", shown(device.text)));
  if (type == "GPU" && std::ranges::all_of(cluster.tasks, [](const TaskSpec& t) { return t.gpus.empty(); }))
    in.fail(device.at, "no task of the cluster has a GPU; 'gpus' of a task says how many");
  return type;
}

std::string job_of(Reader& in, const ClusterSpec& cluster, const Named& job) {
  const std::string prefix = fmt::format("/job:{}/", job.text);
  const bool known = std::ranges::any_of(cluster.tasks, [&](const TaskSpec& t) { return t.name.starts_with(prefix); });
  if (!job.text.empty() && !known)
    in.fail(job.at, fmt::format("unknown job '{}'; no task of the cluster has it", shown(job.text)));
  return job.text;
}

void set_executions(Reader& in, const RawCost& c, CostRule& rule) {
  if (c.executions.empty()) return;
  if (c.executions.size() != 2 || c.executions[0] > c.executions[1])
    return in.fail(c.at, "executions are [first, last], first no later than last");
  rule.first_execution = c.executions[0];
  rule.last_execution = c.executions[1];
}

// "" or what is wrong with a window.
std::string wrong_window(const RawInterference& i) {
  if (i.task.text.empty() == i.host.text.empty()) return "an interference needs either 'task' or 'host'";
  if (i.lasts == 0) return "'lasts' is 0s: it would never interfere";
  if (i.lasts > i.every) return "'lasts' is longer than 'every': a window ends before the next one begins";
  return "";
}

void check_law(Reader& in, Position at, const Amount& amount) {
  if (const auto* u = std::get_if<Uniform>(&amount); u != nullptr && u->low > u->high)
    in.fail(at, "a uniform law's low is above its high");
}

}  // namespace

void check_factor_law(Reader& in, Position at, const FactorLaw& law) {
  if (const auto* amount = std::get_if<Amount>(&law)) check_law(in, at, *amount);
  if (const auto* s = std::get_if<Switching>(&law); s != nullptr && s->begins + s->ends == 0)
    in.fail(at, "'begins' and 'ends' are both 0: it would never switch");
}

CostRule resolve_cost(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawCost& c) {
  if (c.time.has_value() == !c.times.empty()) in.fail(c.at, "a cost rule needs either 'time' or 'times'");
  CostRule rule{
      .node = c.node, .op = c.op, .device_type = device_of(in, cluster, c.device), .job = job_of(in, cluster, c.job)};
  if (!c.task.text.empty() && names.task_of(c.task).valid()) rule.task = names.task_name(c.task);
  if (!rule.job.empty() && !rule.task.empty() && !rule.task.starts_with(fmt::format("/job:{}/", rule.job)))
    in.fail(c.task.at, fmt::format("task '{}' is not of job '{}'", shown(c.task.text), shown(rule.job)));
  set_executions(in, c, rule);
  rule.amount = c.time ? *c.time : Amount{Listed{c.times}};
  check_law(in, c.at, rule.amount);
  return rule;
}

Variation resolve_variation(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawVariation& v) {
  if (v.factor.has_value() == !v.factors.empty())
    in.fail(v.at, "a variation needs one of 'factor', 'factors' and 'trace'");
  Variation out{.job = job_of(in, cluster, v.job), .shared = v.shared};
  if (!v.task.text.empty()) out.task = names.task_of(v.task);
  if (!v.task.text.empty() && !v.job.text.empty()) in.fail(v.at, "a variation has 'task' or 'job', not both");
  out.law = v.factor ? *v.factor : FactorLaw(Amount{Listed{v.factors}});
  check_factor_law(in, v.at, out.law);
  return out;
}

Interference resolve_interference(Reader& in, const Lookup& names, const RawInterference& i) {
  if (const std::string wrong = wrong_window(i); !wrong.empty()) in.fail(i.at, wrong);
  Interference out{.first = i.first, .every = i.every, .lasts = i.lasts, .percent = i.percent, .one_in = i.one_in};
  if (!i.task.text.empty()) out.task = names.task_of(i.task);
  if (!i.host.text.empty()) out.host = names.host_of(i.host);
  return out;
}

}  // namespace tarry
