// The section `must` of a scenario, and the same on a command line.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "results/must.hpp"
#include "scenarios/file/schema.hpp"

namespace tarry {

struct RawMust {
  Must must;  // without `never`
  std::vector<Named> never;
  Position at;
};
[[nodiscard]] Type<RawMust> must_type();

// Looks the kinds of verdicts up. `cut_off`: the time at which the run ends at the latest, if there is one. A `finish`
// that is no earlier could not be missed: that is an error.
[[nodiscard]] Must resolve_must(Reader& in, const RawMust& raw, std::optional<Nanos> cut_off);

// "progress: 1min, never: [stuck]": as parse_must (load.hpp) takes it.
[[nodiscard]] std::string must_text(const Must& must);

}  // namespace tarry
