// Two programs' figures beside each other, measured in turns: A, B, A, B, ...
//
// A machine is not equally quick all the time, and what it does in one minute A and B both see. So a figure has the
// median of its rounds for each side, their ratio, and the least and the greatest ratio of a round. Where 1 is between
// these two, the rounds do not agree which side is quicker.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "properties/bench/figures.hpp"

namespace tarry {

using Round = std::vector<Figure>;

struct ComparedFigure {
  std::string name;
  double a = 0, b = 0;             // medians, in seconds
  double ratio = 0;                // b / a
  double least = 0, greatest = 0;  // of the ratios of rounds
};

struct Compared {
  std::vector<ComparedFigure> figures;  // that both have, in the order of A
  std::vector<std::string> only_a, only_b;
};

// REQUIRES: as many rounds of A as of B, at least one; all rounds of a side have the same figures.
[[nodiscard]] Compared compare_rounds(std::span<const Round> a, std::span<const Round> b);

// For people. `a` and `b` say what the sides are.
[[nodiscard]] std::string text_of(const Compared& compared, const std::string& a, const std::string& b,
                                  std::size_t rounds);

}  // namespace tarry
