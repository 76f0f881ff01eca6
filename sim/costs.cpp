#include "sim/costs.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

// "GPU" of "/job:w/replica:0/task:0/device:GPU:0".
std::string_view type_of_device(std::string_view device) {
  constexpr std::string_view kMark = "/device:";
  const std::size_t at = device.rfind(kMark);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = device.substr(at + kMark.size());
  return rest.substr(0, rest.find(':'));
}

bool is_of_job(std::string_view task, std::string_view job) {
  constexpr std::string_view kMark = "/job:";
  return task.starts_with(kMark) && task.substr(kMark.size()).starts_with(job) &&
         task.substr(kMark.size() + job.size()).starts_with('/');
}

bool covers_all(const CostRule& rule) {
  return rule.first_execution == 0 && rule.last_execution == std::numeric_limits<std::int64_t>::max();
}

// Of the n-th execution.
Nanos nth(const Amount& amount, const Keyed& draws, std::uint64_t n) {
  if (const auto* constant = std::get_if<Constant>(&amount)) return constant->time;
  Random random = draws.at(n);
  return draw(amount, n, random);
}

Nanos nth(const CostRule& rule, const Keyed& draws, std::uint64_t n) {
  const Nanos time = nth(rule.amount, draws, n);
  if (rule.factors.empty()) return time;
  return times_millionths(time, rule.factors[n % rule.factors.size()]);
}

bool is_free(const Amount& amount) {
  const auto* constant = std::get_if<Constant>(&amount);
  return constant != nullptr && constant->time == 0;
}

}  // namespace

bool applies_to(const CostRule& rule, const KernelSite& site, std::string_view task) {
  return (rule.node.empty() || matches_glob(site.node, rule.node)) &&
         (rule.op.empty() || matches_glob(site.op, rule.op)) &&
         (rule.device_type.empty() || type_of_device(site.device) == rule.device_type) &&
         (rule.task.empty() || task == rule.task) && (rule.job.empty() || is_of_job(task, rule.job));
}

bool matches_glob(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

DeviceRates rates_of(const DeviceRates& device, std::string_view op) {
  DeviceRates rates{.flops = device.flops, .bandwidth = device.bandwidth, .launch = device.launch};
  const auto fits =
      std::ranges::find_if(device.efficiency, [&](const Efficiency& e) { return matches_glob(op, e.op); });
  if (fits == device.efficiency.end()) return rates;
  for (std::uint64_t* peak : {&rates.flops, &rates.bandwidth})
    if (*peak > 0) *peak = std::max<std::uint64_t>(1, static_cast<unsigned __int128>(*peak) * fits->share / kOneShape);
  return rates;
}

Nanos roofline(const DeviceRates& rates, const Work& work) {
  const Nanos longest = std::max(transfer_time(work.flops, rates.flops), transfer_time(work.bytes, rates.bandwidth));
  return static_cast<Nanos>(std::min<__int128>(__int128{longest} + rates.launch, std::int64_t{1} << 62));
}

KernelCost CostTable::site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates) {
  key_.assign(site.node);
  key_ += '|';
  key_ += site.device;
  const auto [known, is_new] = known_.try_emplace(key_);
  if (is_new) known->second = add_site(site, task_name, rates);
  return known->second;
}

KernelCost CostTable::add_site(const KernelSite& site, std::string_view task_name, const DeviceRates& rates) {
  Site made{rules_for(site, task_name), {}, CostSource::otherwise, 0, rates_of(rates, site.op)};
  made.base = source_of(site, made);
  if (made.base == CostSource::measured) made.measured = *rules_.measured.find(site.node, site.device);
  KernelCost cost{.source = made.rules.empty() ? made.base : CostSource::scenario,
                  .by_work = made.base == CostSource::roofline};
  if (cost.source == CostSource::otherwise) ++unpriced_[std::string(site.op)];
  if (!costs(site, made)) return cost;
  cost.id = CostId{sites_.size()};
  made.draws = Keyed(streams_.fork(fmt::format("{}/{}", task_name, site.node)));
  sites_.push_back(std::move(made));
  return cost;
}

// Where a site's time comes from when no rule speaks.
CostSource CostTable::source_of(const KernelSite& site, const Site& made) const {
  if (rules_.measured.find(site.node, site.device)) return CostSource::measured;
  if (made.rates.is_known() && site.doing != Doing::unknown) return CostSource::roofline;
  return CostSource::otherwise;
}

// Whether any of its executions may take time.
bool CostTable::costs(const KernelSite& site, const Site& made) const {
  if (std::ranges::any_of(made.rules, [](const CostRule* r) { return !is_free(r->amount); })) return true;
  if (!made.rules.empty() && covers_all(*made.rules.back())) return false;
  if (made.base == CostSource::roofline) return site.doing == Doing::counted;
  return made.base == CostSource::measured ? made.measured > 0 : !is_free(rules_.otherwise);
}

std::vector<const CostRule*> CostTable::rules_for(const KernelSite& site, std::string_view task_name) const {
  std::vector<const CostRule*> found;
  for (const CostRule& rule : rules_.rules) {
    if (!applies_to(rule, site, task_name)) continue;
    found.push_back(&rule);
    if (covers_all(rule)) break;
  }
  return found;
}

const CostRule* CostTable::rule_now(const Site& site) const {
  for (const CostRule* rule : site.rules)
    if (std::cmp_less_equal(rule->first_execution, site.executions) &&
        std::cmp_less_equal(site.executions, rule->last_execution))
      return rule;
  return nullptr;
}

Nanos CostTable::without_rule(const Site& site, const Work& work) const {
  if (site.base == CostSource::roofline) return roofline(site.rates, work);
  if (site.base == CostSource::measured) return site.measured;
  return nth(rules_.otherwise, site.draws, site.executions);
}

Nanos CostTable::launch_of_next(CostId id) const {
  const Site& site = sites_[id.index()];
  return site.base == CostSource::roofline && rule_now(site) == nullptr ? site.rates.launch : 0;
}

Nanos CostTable::next(CostId id, const Work& work) {
  check(id.valid() && id.index() < sites_.size(), "a cost that no site has");
  Site& site = sites_[id.index()];
  const CostRule* rule = rule_now(site);
  const Nanos time = rule == nullptr ? without_rule(site, work) : nth(*rule, site.draws, site.executions);
  ++site.executions;
  return time;
}

std::int64_t CostTable::pace_of(const KernelSite& site, std::string_view task_name) const {
  const auto paces = rules_.node_paces.find(task_name);
  if (paces == rules_.node_paces.end()) return kUsualPace;
  const auto pace = paces->second.find(site.node);
  return pace == paces->second.end() ? kUsualPace : pace->second;
}

}  // namespace tarry
