// The named properties that every placement must satisfy; each can be hunted alone.
//
// A property looks at one case and its answer and says what is wrong with it, if anything. It may ask the placer about
// variants of the case (other device order, other names, ...). Properties apply to any placer, ours or an external one;
// `reference_agrees` compares with the independent placer of reference.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/conform/placer.hpp"
#include "properties/placement/case.hpp"
#include "properties/placement/reference.hpp"

namespace tarry {

// The placer that a hunt asks. `imported` is the case's graph; the placer may set assigned devices in it, and change
// nothing else.
using AskPlacer = std::function<StatusOr<PlacementAnswer>(const PlacementCase& c, Graph& imported)>;

// What properties need of a release.
struct PlacementWorld {
  ReleaseTables tables;
  Release release = Release::r2_15;
};
// `release` is "0.9", "0.12", "1.12", "1.15" or "2.15", perhaps with more digits; `data` the folder of the recorded
// tables. Fails: INVALID_ARGUMENT for another release; with the errors of reading the tables.
[[nodiscard]] StatusOr<PlacementWorld> placement_world(const std::string& data, std::string_view release);

// The case's graph as that release imports it.
[[nodiscard]] StatusOr<Graph> import_case(const PlacementCase& c, const PlacementWorld& w);

// Our placer with the rules of the world's release, or with others. Devices that an earlier placement left in
// `imported` are ignored.
[[nodiscard]] StatusOr<PlacementAnswer> place_case(const PlacementCase& c, const PlacementWorld& w);
[[nodiscard]] PlacementAnswer place_imported(const PlacementCase& c, Graph& imported, const PlacementWorld& w);
[[nodiscard]] PlacementAnswer place_imported(const PlacementCase& c, Graph& imported, const PlacementWorld& w,
                                             const Rules& rules);
[[nodiscard]] AskPlacer our_placer(const PlacementWorld& w);  // REQUIRES: `w` outlives it
// The independent placer of that release.
[[nodiscard]] PlacementAnswer reference_answer(const PlacementCase& c, const Graph& imported, const PlacementWorld& w);

// Whether both have the same code and devices, or the same error code and text; meaningless orders in texts are
// ignored.
enum class Compared : std::uint8_t {
  devices,  // where nodes are placed, or that they are not
  codes,    // that, and the code of the error
  texts     // that, and its text, but for lines whose order means nothing
};
[[nodiscard]] bool same_answer(const PlacementAnswer& a, const PlacementAnswer& b, Compared what = Compared::texts);

struct Judgement {  // what a property sees
  const PlacementCase& c;
  const Graph& g;
  const PlacementAnswer& answer;
  const PlacementWorld& world;
  const AskPlacer& ask;
};
// The placer's answer to another case. Fails also when that case cannot be imported.
[[nodiscard]] StatusOr<PlacementAnswer> ask_about(const PlacementCase& other, const PlacementWorld& world,
                                                  const AskPlacer& ask);

struct PlacementProperty {
  std::string name;  // "preassigned_never_moves"
  std::string says;  // one sentence
  // What is wrong; nullopt when nothing is. That the placer itself fails (gives no answer) is wrong, too.
  std::function<std::optional<std::string>(const Judgement&)> violation;
};

// All of them, in a fixed order.
[[nodiscard]] const std::vector<PlacementProperty>& placement_properties();
[[nodiscard]] const PlacementProperty* find_property(std::string_view name);  // nullptr when there is none

// Asks the placer and judges its answer. Gives nullopt also when the case's graph cannot be imported (a shrunk case may
// be invalid).
[[nodiscard]] std::optional<std::string> violation_of(const PlacementProperty& property, const PlacementCase& c,
                                                      const PlacementWorld& world, const AskPlacer& ask);

}  // namespace tarry
