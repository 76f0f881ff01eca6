#include <fmt/format.h>

#include "results/loads.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

constexpr char kBetweenHosts[] =
    "more or better spread parameter servers, faster cards, larger batches, or fewer bytes a step";
constexpr char kOnOneHost[] = "larger batches, or fewer bytes a step; all tasks are on one host";

}  // namespace

Told judge_network_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  const std::vector<Proof> proofs = proved(e, Proof::Cause::network);
  if (proofs.empty()) return out;
  const StepTimes all = sum_of(read_loads(e.log));
  for (const Proof& p : proofs)
    out.push_back(
        fmt::format("Bandwidth costs time: {} % of the workers' step time a transfer is under way that takes longer "
                    "than the path's latency.{} To do: {}.",
                    percent(share(all.transferring, all.total)), in_words(p),
                    e.tasks.are_on_one_host() ? kOnOneHost : kBetweenHosts));
  return out;
}

}  // namespace tarry
