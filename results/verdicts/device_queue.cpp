#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

constexpr char kCureOfOne[] = "give the task more inter-op threads, or its work to more tasks",
               kCureOfAll[] = "give the tasks more inter-op threads, or their work to more tasks";

}  // namespace

Told judge_device_queue(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::threads))
    out.push_back(
        fmt::format("It costs time that {}.{} To do: {}.", p.what, in_words(p), p.b.empty() ? kCureOfAll : kCureOfOne));
  return out;
}

}  // namespace tarry
