#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_not_started(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::none) return {};
  return {"No training step began."};
}

}  // namespace tarry
