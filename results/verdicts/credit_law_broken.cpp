#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_credit_law_broken(const Evidence& e, std::span<const Verdict>) {
  const std::string broken = e.training == Training::none ? "" : check_credit_law(e.contributions);
  if (broken.empty()) return {};
  return {"The credit law does not hold: " + broken + "."};
}

}  // namespace tarry
