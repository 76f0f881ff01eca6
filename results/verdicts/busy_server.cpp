#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

bool is_about_server(const Evidence& e, const Proof& p, TaskId server) {
  return p.task == server || (!p.a.empty() && e.tasks.host(server) == p.a);
}

constexpr char kCureOfThose[] = "look at what keeps them busy, or spread the variables over more parameter servers",
               kCureOfOneServer[] = "look at what keeps it busy, or spread the variables over more parameter servers",
               kCureOfServers[] = "spread the variables over more parameter servers";

}  // namespace

// What interferes with parameter servers, or else their kernels.
Told judge_busy_server(const Evidence& e, std::span<const Verdict>) {
  std::vector<Proof> interferences = proved(e, Proof::Cause::interference);
  std::erase_if(interferences, [&](const Proof& p) { return !interferes_with_servers(e, p); });
  Told out;
  for (const Proof& p : one_for_each_run(e.tasks, interferences))
    out.push_back(fmt::format("The workers wait for {}: {}.{} To do: {}.",
                              p.together ? "parameter servers" : "a parameter server", p.what, in_words(p),
                              p.together ? kCureOfThose : kCureOfOneServer));
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::server_kernels)) {
    const auto is_told = [&](const Proof& i) { return p.together || is_about_server(e, i, p.task); };
    if (std::ranges::none_of(interferences, is_told))
      out.push_back(fmt::format("The workers wait for {}: {}.{} To do: {}.",
                                p.together ? "parameter servers" : e.tasks.show(p.task), p.what, in_words(p),
                                p.together ? kCureOfServers : kCureOfOneServer));
  }
  return out;
}

}  // namespace tarry
