#include "results/proof.hpp"

#include <fmt/format.h>

namespace tarry {

std::string in_words(const Proof& p) {
  if (p.goes_on) return fmt::format(" Run again {} (same seed), the job goes on.", p.instead);
  return fmt::format(" Run again {} (same seed), the same work takes {:.1f} % less time.", p.instead, 100 * p.gain);
}

}  // namespace tarry
