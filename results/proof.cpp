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

std::string in_words(const Proof& p) {
  if (p.goes_on) return fmt::format(" Run again {} (same seed), the job goes on.", p.instead);
  return fmt::format(" Run again {} (same seed), the same work takes {:.1f} % less time.", p.instead, 100 * p.gain);
}

}  // namespace tarry
