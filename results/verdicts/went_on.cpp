#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/lost_process.hpp"

namespace tarry {

Told judge_went_on(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training == Training::none) return out;
  for (const Loss& l : e.losses.processes) {
    if (!e.is_worker(l.task)) continue;
    if (e.training != Training::synchronous)
      out.push_back(loss_in_words(e, l) + " Asynchronous workers do not wait for each other.");
    else if (!stood_still(l) && l.next_aggregate >= 0 && !e.log.is_deadlocked)
      out.push_back(loss_in_words(e, l) + " Training went on: whoever takes its tokens contributes in its place.");
  }
  return out;
}

}  // namespace tarry
