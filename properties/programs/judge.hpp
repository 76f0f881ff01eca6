// The named properties that every run of a program must satisfy; each can be hunted alone.
//
// A property compares the interpreter's answer (interpret.hpp) with runs of the product (run.hpp) and says what
// differs, if anything.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/programs/run.hpp"

namespace tarry {

// A program with its answers, each computed when it is first needed.
class ProgramTrial {
 public:
  ProgramTrial(const Program& p, std::uint64_t seed, PlantedRuntimeBug planted = PlantedRuntimeBug::none)
      : program(p), seed_(seed), planted_(planted) {}
  const Program& program;

  [[nodiscard]] const OracleAnswer& oracle();
  [[nodiscard]] const StatusOr<CutAnswer>& cut();
  [[nodiscard]] StatusOr<CutAnswer> cut_again(const Program& p, std::uint64_t nth) const;

 private:
  std::uint64_t seed_;
  PlantedRuntimeBug planted_;
  std::optional<OracleAnswer> oracle_;
  std::optional<StatusOr<CutAnswer>> cut_;
};

struct ProgramProperty {
  std::string name;
  std::string says;  // one sentence
  std::function<std::optional<std::string>(ProgramTrial&)> violation;
};

[[nodiscard]] const std::vector<ProgramProperty>& program_properties();
[[nodiscard]] const ProgramProperty* find_program_property(std::string_view name);  // nullptr when there is none

// Gives what is wrong, or nullopt; also nullopt when the program can't be judged: the interpreter gives up, or two of
// its orders give different answers (a race).
[[nodiscard]] std::optional<std::string> violation_of(const ProgramProperty& property, const Program& p,
                                                      std::uint64_t seed,
                                                      PlantedRuntimeBug planted = PlantedRuntimeBug::none);

}  // namespace tarry
