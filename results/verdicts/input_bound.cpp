#include "results/verdicts/input_bound.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

constexpr double kNearly = 0.9;

// Nearly all of it is that some workers are slower than others, by what they read and prepare or otherwise.
bool is_of_stragglers(const Evidence& e, const Proof& input) {
  std::vector<Proof> slow = proved(e, Proof::Cause::slow_worker);
  for (Proof& p : proved(e, Proof::Cause::workers)) slow.push_back(std::move(p));
  return std::ranges::any_of(slow, [&](const Proof& p) { return p.gain >= kNearly * input.gain; });
}

// It has the first of its work done, which the run lacks.
const Proof* decisive_input(const Evidence& e) {
  const auto it = std::ranges::find_if(e.proofs, [](const Proof& p) { return p.cause == Proof::Cause::input; });
  return it == e.proofs.end() || !it->goes_on ? nullptr : &*it;
}

}  // namespace

// Reads of one reader follow each other, however many threads ask for them.
std::string cure_of_input(const Proof& input) {
  return input.b == "reads"
             ? "have several readers, each with a thread of its own (shuffle_batch_join)"
             : "have more threads prepare examples (num_threads of batch and shuffle_batch), or prepare them "
               "beforehand";
}

std::string first_examples(const Evidence& e) {
  const Proof* input = decisive_input(e);
  return input == nullptr ? "" : fmt::format("The first steps wait for examples: {}.{}", input->what, in_words(*input));
}

std::string cure_of_first_examples(const Evidence& e) {
  const Proof& input = *decisive_input(e);
  const bool keeps_some = input.what.find("(min_after_dequeue)") != input.what.npos;
  return fmt::format("let it run longer, or {}{}", cure_of_input(input),
                     keeps_some ? ", or have the queue keep fewer examples back" : "");
}

Told judge_input_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::input))
    if (!is_of_stragglers(e, p))
      out.push_back(
          fmt::format("The workers wait for their examples: {}.{} To do: {}.", p.what, in_words(p), cure_of_input(p)));
  for (const Proof& p : proved(e, Proof::Cause::room))
    out.push_back(fmt::format(
        "The workers wait for their examples, which are not read ahead while a step computes: {}.{} To do: let that "
        "queue hold the examples of several steps (its capacity).",
        p.what, in_words(p)));
  return out;
}

}  // namespace tarry
