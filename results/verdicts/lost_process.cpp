#include "results/verdicts/lost_process.hpp"

#include <fmt/format.h>

namespace tarry {

std::string loss_in_words(const Evidence& e, const Loss& l) {
  const std::string process =
      fmt::format("The process of {} ended at {:.3f} s", e.tasks.show(l.task), in_seconds(l.at));
  const std::string what = e.is_worker(l.task) ? fmt::format("{}, {}", process, in_words(l.doing, e.training))
                                               : process + ", with all that it held";
  const std::string back =
      l.back < 0 ? "It did not come back." : fmt::format("Its next one was ready at {:.3f} s.", in_seconds(l.back));
  return what + ". " + back;
}

}  // namespace tarry
