#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// The last of the causes to end is what ended the standstill. Of processes and connections the cause tells their end.
std::string what_ended_it(const Evidence& e, const Standstill& s) {
  const auto last = std::ranges::max_element(s.waits.troubles, {}, &Trouble::to);
  const bool is_told = last->kind == Trouble::Kind::gone || last->kind == Trouble::Kind::breaking;
  if (last->to < 0 || last->to > s.to || is_told) return "";
  return fmt::format(" It ended after {}, at {:.3f} s.", end_in_words(*last, e.tasks), in_seconds(last->to));
}

std::string in_words(const Evidence& e, const Standstill& s) {
  const std::string usual = s.usual == 0 ? "" : fmt::format(", in place of the usual {:.3f} s", in_seconds(s.usual));
  return fmt::format("{} from {:.3f} s to {:.3f} s ({:.3f} s{}). The cause: {}.{}{}{} To do: {}.", no_progress(e),
                     in_seconds(s.from), in_seconds(s.to), in_seconds(s.to - s.from), usual,
                     causes_in_words(e, s.waits), who_waits(e, s.waits), what_ended_it(e, s),
                     proof_of(e, s.waits.troubles), cure_of(e, s.waits.troubles.front()));
}

}  // namespace

Told judge_stalled(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Standstill& s : e.standstills)
    if (s.to >= 0) out.push_back(in_words(e, s));
  return out;
}

}  // namespace tarry
