#include "results/verdicts/lost_process.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

std::string return_in_words(const Evidence& e, const Loss& l) {
  if (l.back >= 0) return fmt::format("Its next process was ready at {:.3f} s.", in_seconds(l.back));
  const Nanos began = began_again(e, l);
  if (began < 0) return "It did not come back.";
  return fmt::format("Its next process began at {:.3f} s and was never ready.", in_seconds(began));
}

std::string returns_in_words(const Evidence& e, std::span<const Loss> together) {
  const auto [first, last] = std::ranges::minmax(together, {}, &Loss::back);
  const Nanos began = began_again(e, first);
  if (last.back < 0 && began < 0) return "They did not come back.";
  if (last.back < 0)
    return fmt::format("Their next processes began at {:.3f} s and were never ready.", in_seconds(began));
  const auto in_words = [](Nanos at) { return fmt::format("{:.3f} s", in_seconds(at)); };
  const std::string from = in_words(first.back), to = in_words(last.back);
  return fmt::format("Their next processes were ready {}.",
                     from == to ? "at " + to : fmt::format("from {} to {}", from, to));
}

}  // namespace

Nanos began_again(const Evidence& e, const Loss& l) {
  const auto gone = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::gone && t.task == l.task && t.from == l.at;
  });
  return gone == e.troubles.end() ? -1 : gone->back;
}

std::string losses_in_words(const Evidence& e, std::span<const Loss> together) {
  if (together.size() == 1) return loss_in_words(e, together[0]);
  std::vector<TaskId> who;
  for (const Loss& l : together) who.push_back(l.task);
  return fmt::format("The processes of {} ended {}, each {}. {}", names_of(e, who), moment_in_words(together[0].at),
                     in_words(together[0].doing, e.training), returns_in_words(e, together));
}

std::string loss_in_words(const Evidence& e, const Loss& l) {
  const std::string process = fmt::format("The process of {} ended {}", e.tasks.show(l.task), moment_in_words(l.at));
  const std::string what = e.is_worker(l.task) ? fmt::format("{}, {}", process, in_words(l.doing, e.training))
                                               : process + ", with all that it held";
  return what + ". " + return_in_words(e, l);
}

std::string lost_servers_in_words(const Evidence& e) {
  WaitsFor lost;
  std::ranges::copy_if(e.troubles, std::back_inserter(lost.troubles),
                       [&](const Trouble& t) { return t.kind == Trouble::Kind::gone && e.tasks.is_ps(t.task); });
  return lost.troubles.empty() ? "" : fmt::format(" Meanwhile {}.", causes_in_words(e, lost));
}

std::vector<TaskId> lost_by_one_fault(const Evidence& e, const Trouble& first, std::span<const Trouble> troubles) {
  std::vector<TaskId> who;
  for (const Trouble& t : troubles)
    if (t.kind == Trouble::Kind::gone && t.from == first.from && t.why == first.why && !t.why.empty())
      who.push_back(t.task);
  const auto is_ps = [&](TaskId t) { return e.tasks.is_ps(t); };
  const auto all_need = [&](TaskId t) { return is_ps(t) || t == e.contributions.sync_client; };
  if (who.size() < 2 || std::ranges::none_of(who, all_need)) return {};
  std::stable_partition(who.begin(), who.end(), is_ps);
  return who;
}

}  // namespace tarry
