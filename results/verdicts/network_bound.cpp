#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/loads.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/one_tensor.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

constexpr char kOfServers[] = "more or better spread parameter servers, ", kOfFullHosts[] = "fewer tasks on one host, ",
               kBetweenHosts[] = "faster cards, larger batches, or fewer bytes a step";
constexpr char kWithinHosts[] = "more bandwidth between tasks of one host, larger batches, or fewer bytes a step";

// "server0 (ps 0, worker 1)".
std::string host_in_words(const TaskNames& tasks, std::string_view host) {
  std::vector<std::string> there;
  for (std::size_t t = 0; t < tasks.names.size(); ++t)
    if (tasks.host(TaskId{t}) == host) there.push_back(tasks.show(TaskId{t}));
  return fmt::format("{} ({})", host, join(there, ", "));
}

struct Sent {
  std::string_view from, to;  // hosts
  double bytes = 0;
};
std::vector<Sent> between_hosts(const Evidence& e) {
  std::vector<Sent> all;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&event.event); m != nullptr)
      if (const Sent s{e.tasks.host(m->from), e.tasks.host(m->to), static_cast<double>(m->bytes)};
          !s.from.empty() && !s.to.empty() && s.from != s.to)
        all.push_back(s);
  return all;
}

// Hosts that send and receive most, if they are fewer than the others, and these have much less.
std::set<std::string_view> busiest(const std::vector<Sent>& all) {
  constexpr double kNearly = 0.8;
  std::map<std::string_view, double> by_host;
  for (const Sent& s : all) by_host[s.from] += s.bytes, by_host[s.to] += s.bytes;
  double most = 0;
  for (const auto& [host, bytes] : by_host) most = std::max(most, bytes);
  std::set<std::string_view> hosts;
  for (const auto& [host, bytes] : by_host)
    if (bytes >= kNearly * most) hosts.insert(host);
  return 2 * hosts.size() < by_host.size() ? hosts : std::set<std::string_view>();
}

// " Of all bytes between hosts, 100 % are sent or received by server0 (ps 0)."; "" where the hosts are alike.
std::string where_most_pass(const Evidence& e) {
  constexpr std::size_t kMostNames = 3;
  const std::vector<Sent> sent = between_hosts(e);
  const std::set<std::string_view> hosts = busiest(sent);
  if (hosts.empty()) return "";
  double all = 0, theirs = 0;
  for (const Sent& s : sent) {
    all += s.bytes;
    if (hosts.contains(s.from) || hosts.contains(s.to)) theirs += s.bytes;
  }
  std::vector<std::string> names;
  for (const std::string_view host : hosts) names.push_back(host_in_words(e.tasks, host));
  return fmt::format(" Of all bytes between hosts, {} % are sent or received by {}.", percent(theirs / all),
                     names.size() > kMostNames ? fmt::format("{} hosts", names.size()) : join(names, " and "));
}

// " 100 % of the bytes within hosts pass on host0 (ps 0, worker 0)." of the host on which most do, where it has more
// than half of them.
std::string where_most_stay(const Evidence& e) {
  std::map<std::string_view, double> by_host;
  double all = 0;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&event.event); m != nullptr && m->from != m->to)
      if (const std::string_view host = e.tasks.host(m->from); !host.empty() && host == e.tasks.host(m->to))
        by_host[host] += static_cast<double>(m->bytes), all += static_cast<double>(m->bytes);
  for (const auto& [host, bytes] : by_host)
    if (2 * bytes > all)
      return fmt::format(" Of all bytes within hosts, {} % pass on {}.", percent(bytes / all),
                         host_in_words(e.tasks, host));
  return "";
}

// Several tasks are on one of these hosts.
bool share_a_host(const TaskNames& tasks, const std::string& hosts) {
  return std::ranges::any_of(tasks.hosts, [&](const std::string& host) {
    return has_word(hosts, host) && std::ranges::count(tasks.hosts, host) > 1;
  });
}

std::string between_hosts_told(const Evidence& e, const Proof& p) {
  const StepTimes all = sum_of(read_loads(e.log));
  const bool are_cards_told = !p.a.empty();
  const std::string where = are_cards_told ? " Of all cards, those of " + p.a + " are used most." : where_most_pass(e);
  const auto one = are_cards_told ? std::nullopt : one_tensor(e);
  const std::string first = are_cards_told           ? share_a_host(e.tasks, p.a) ? kOfFullHosts : ""
                            : one                    ? how_to_split(e) + ", "
                            : e.tasks.have_servers() ? kOfServers
                                                     : "";
  return fmt::format(
      "Bandwidth costs time: for {} % of the workers' step time a transfer is under way that takes longer "
      "than the path's latency{}.{}{} To do: {}{}.",
      percent(share(all.transferring, all.total)), between_servers(e), where + (one ? in_words(*one, e) : ""),
      in_words(p), first, kBetweenHosts);
}

std::string within_hosts_told(const Evidence& e, const Proof& p) {
  return fmt::format("Bandwidth between tasks of one host costs time.{}{} To do: {}.", where_most_stay(e), in_words(p),
                     kWithinHosts);
}

}  // namespace

Told judge_network_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::network))
    out.push_back(p.b.empty() ? between_hosts_told(e, p) : within_hosts_told(e, p));
  return out;
}

}  // namespace tarry
