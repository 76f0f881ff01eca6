#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_law_broken(const Evidence& e, std::span<const Verdict>) {
  Told told;
  for (const BrokenLaw& b : e.breaches)
    told.push_back(fmt::format("The law {} does not hold: {}. This is a defect of tarry.", b.law, b.text));
  return told;
}

}  // namespace tarry
