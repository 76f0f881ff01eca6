#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {

Told judge_progress_lost(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training == Training::none) return out;
  for (const Setback& s : e.losses.setbacks)
    out.push_back(fmt::format(
        "At {:.3f} s the global step went from {} back to {}: a chief that starts anew {} over what the parameter "
        "servers hold. To do: save checkpoints more often, and give the chief their folder.",
        in_seconds(s.at), s.from, s.to, s.to == 0 ? "initialises the model" : "restores its last checkpoint"));
  return out;
}

}  // namespace tarry
