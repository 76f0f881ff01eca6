// Cures of causes that hide each other: only all of them together gain.
#pragma once

#include <optional>

#include "scenarios/file/cure_edits.hpp"
#include "scenarios/file/cures.hpp"

namespace tarry {

// The verdict without the words about the run without all of its causes, which name them all.
[[nodiscard]] Verdict of_itself(const Ward& ward, Verdict verdict);
// The job without all causes of the verdict that had one run together; nothing where it has no two of them.
[[nodiscard]] std::optional<Cure> cure_of_all_hidden(const Ward& ward, const Verdict& verdict);

}  // namespace tarry
