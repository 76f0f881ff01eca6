// What a partial run has been fed and has fetched so far (docs/rules/runtime.md#E.5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

struct PartialRunNames {
  std::map<std::string, bool> feeds, fetches;  // those of the setup; true = already fed or fetched

  // Fails: INVALID_ARGUMENT `The feed a:0 has already been fed.`, `The feed a:0 was not specified in
  // partial_run_setup.`; the same for fetches.
  [[nodiscard]] Status check_call(const std::vector<std::string>& fed, const std::vector<std::string>& fetched) const;
  // Checks on the whole, unpruned graph that the fetches depend on no feed that is still missing. Fails:
  // INVALID_ARGUMENT `Fetch w:0 can't be computed from the feeds that have been fed so far.`, where w:0 is the missing
  // feed; NOT_FOUND `Feed X: not found`, `Fetch X: not found`.
  [[nodiscard]] Status check_fetches(const Graph& full, const std::vector<std::string>& fed,
                                     const std::vector<std::string>& fetched) const;
  void note_call(const std::vector<std::string>& fed, const std::vector<std::string>& fetched);
  [[nodiscard]] bool is_complete() const;
};

}  // namespace tarry
