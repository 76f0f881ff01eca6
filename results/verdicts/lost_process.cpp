#include "results/verdicts/lost_process.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {
namespace {

std::string return_in_words(const Evidence& e, const Loss& l) {
  if (l.back >= 0) return fmt::format("Its next process was ready at {:.3f} s.", in_seconds(l.back));
  const auto gone = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::gone && t.task == l.task && t.from == l.at;
  });
  if (gone == e.troubles.end() || gone->back < 0) return "It did not come back.";
  return fmt::format("Its next process began at {:.3f} s and was never ready.", in_seconds(gone->back));
}

}  // namespace

std::string loss_in_words(const Evidence& e, const Loss& l) {
  const std::string process = fmt::format("The process of {} ended {}", e.tasks.show(l.task), moment_in_words(l.at));
  const std::string what = e.is_worker(l.task) ? fmt::format("{}, {}", process, in_words(l.doing, e.training))
                                               : process + ", with all that it held";
  return what + ". " + return_in_words(e, l);
}

}  // namespace tarry
