#include "results/proof.hpp"

#include <fmt/format.h>

#include <utility>

namespace tarry {

bool is_general(Proof::Cause c) {
  using enum Proof::Cause;
  return c == network || c == latency || c == kernels || c == server_kernels || c == input;
}

bool comes_first(const Proof& a, const Proof& b) {
  constexpr double kMuchMore = 2, kMore = 1.25;
  const auto weight = [](const Proof& p) {
    const bool says_less = is_general(p.cause) || (p.cause == Proof::Cause::copies && p.together);
    const double by = says_less ? kMuchMore : p.cause == Proof::Cause::checkpoints ? kMore : 1;
    return std::pair(p.goes_on, p.gain / by);
  };
  return weight(a) > weight(b);
}

bool is_same_cause(const Proof& a, const Proof& b) {
  return a.cause == b.cause && a.task == b.task && a.a == b.a && a.b == b.b && a.harm == b.harm && !a.together &&
         !b.together;
}

std::string times_as_much(const Proof& p) { return fmt::format("{:.1f} times as much", 1 / (1 - p.gain)); }

std::string in_words(const Proof& p) {
  if (p.goes_on) return fmt::format(" Run again {} (same seed), the job goes on.", p.instead);
  if (p.does_more)
    return fmt::format(" Run again {} (same seed), {} is done before it stands still or fails as well.", p.instead,
                       times_as_much(p));
  const std::string more =
      p.beside.empty() ? "" : fmt::format("; {} as well, {:.1f} % less", p.beside, 100 * p.beside_gain);
  return fmt::format(" Run again {} (same seed), the same work takes {:.1f} % less time{}.", p.instead, 100 * p.gain,
                     more);
}

}  // namespace tarry
