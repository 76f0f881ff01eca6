#include "results/verdicts/unequal_paces.hpp"

#include <algorithm>

#include "results/loads.hpp"

namespace tarry {

std::vector<Pace> paces_of(const Evidence& e) {
  const Loads loads = read_loads(e.log);
  std::vector<Pace> out;
  for (const WorkerStory& w : e.contributions.workers) {
    const auto own = loads.workers.find(w.task);
    const bool has_steps = own != loads.workers.end() && !own->second.own.empty();
    out.push_back(has_steps ? Pace{own->second.median(), own->second.transferring / std::ssize(own->second.own)}
                            : Pace());
  }
  return out;
}

bool is_much_farther(Nanos far, Nanos near) { return far > 2 * near + 1'000'000; }

namespace {

// Some on the host of a parameter server, and some not; perhaps, where the hosts are not known.
bool may_be_beside_servers(const Evidence& e) {
  std::size_t beside = 0;
  for (const WorkerStory& w : e.contributions.workers) {
    const std::string_view own = e.tasks.host(w.task);
    for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
      if (e.tasks.is_ps(TaskId{t}) && e.tasks.host(TaskId{t}) == own && ++beside) break;
  }
  return e.tasks.hosts.empty() || (beside > 0 && beside < e.contributions.workers.size());
}

}  // namespace

bool are_unequally_far(const Evidence& e, const std::vector<Pace>& paces) {
  const auto [near, far] = std::ranges::minmax(e.contributions.workers, {}, &WorkerStory::nearest_ps);
  if (near.nearest_ps >= 0 && is_much_farther(far.nearest_ps, near.nearest_ps)) return true;
  std::vector<Nanos> transfers;
  for (const Pace& p : paces)
    if (p.transfers >= 0) transfers.push_back(p.transfers);
  if (transfers.empty() || !may_be_beside_servers(e)) return false;
  const auto [least, most] = std::ranges::minmax(transfers);
  return is_much_farther(most, least);
}

}  // namespace tarry
