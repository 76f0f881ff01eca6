#include "properties/cluster/no_effect.hpp"

#include <algorithm>

namespace tarry {
namespace {

bool is_of_checkpoints(const AuditFact& f) {
  using What = AuditFact::What;
  return f.what == What::checkpoint_saved || f.what == What::checkpoint_merged || f.what == What::checkpoint_listed ||
         f.what == What::model_restored || f.what == What::save_waits;
}

bool saves_or_restores(const EventLog& log) {
  return std::ranges::any_of(log.events(), [](const LoggedEvent& e) {
    const auto* began = std::get_if<StepBegan>(&e.event);
    return began != nullptr && (began->purpose == Purpose::save || began->purpose == Purpose::restore);
  });
}

}  // namespace

// A run in a process of its own brings no facts back.
NoEffect::NoEffect(const Job& job, const Outcome& usual)
    : cluster_(job.cluster),
      is_known_(!usual.audit.facts.empty() && !usual.log.is_deadlocked),
      saves_(std::ranges::any_of(usual.audit.facts, is_of_checkpoints) || saves_or_restores(usual.log)),
      has_limits_(has_flows(job.cluster)) {
  for (const DeviceUse& d : usual.stats.devices)
    if (d.kernels > 0) computes_.insert(d.task);
  for (const LoggedEvent& e : usual.log.events())
    if (const auto* cut_off = std::get_if<KernelCutOff>(&e.event)) computes_.insert(cut_off->task);
  for (const ClientJob& c : job.clients) trains_.insert(c.task);
}

template <class K>
bool NoEffect::is_of(const K& kind) const {
  if constexpr (std::is_same_v<K, FailSave> || std::is_same_v<K, SlowSave> || std::is_same_v<K, TearSave> ||
                std::is_same_v<K, LoseCheckpoints>)
    return !saves_;
  else if constexpr (std::is_same_v<K, Narrow>)
    return !has_limits_;
  else if constexpr (std::is_same_v<K, Slow>)
    return !computes_.contains(kind.task);
  else if constexpr (std::is_same_v<K, SlowHost>)
    return std::ranges::none_of(computes_, [&](TaskId t) { return cluster_.tasks[t.index()].host == kind.host; });
  else if constexpr (std::is_same_v<K, Leave>)
    return !trains_.contains(kind.task);
  else
    return false;
}

bool NoEffect::is_of(const Schedule& schedule) const {
  return is_known_ && std::ranges::all_of(schedule.faults, [this](const Fault& f) {
           return std::visit([this](const auto& what) { return is_of(what); }, f.what);
         });
}

}  // namespace tarry
