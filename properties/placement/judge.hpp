// What every placement must satisfy: the named properties that can be hunted, each alone.
//
// A property looks at one case and its answer and says what is wrong with it, if anything. It may ask the placer about
// variants of the case (other device order, other names, ...). Properties speak about any placer, ours or an external
// one; `reference_agrees` compares with the independent placer of reference.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/conform/placer.hpp"
#include "properties/placement/case.hpp"
#include "properties/placement/reference.hpp"

namespace tarry {

// Whom a hunt asks. `imported` is the case's graph; a placer may leave its devices in it, and nothing else.
using AskPlacer = std::function<StatusOr<PlacementAnswer>(const PlacementCase& c, Graph& imported)>;

// A release as properties need it.
struct PlacementWorld {
  ReleaseTables tables;
  Release release = Release::r2_15;
};
// `release` is "0.9", "0.12", "1.12", "1.15" or "2.15", perhaps with more digits; `data` the folder of the recorded
// tables. Fails: INVALID_ARGUMENT for another release; as reading the tables fails.
[[nodiscard]] StatusOr<PlacementWorld> placement_world(const std::string& data, std::string_view release);

// The case's graph as that release imports it.
[[nodiscard]] StatusOr<Graph> import_case(const PlacementCase& c, const PlacementWorld& w);

// Our placer with the rules of the world's release, or with others. Devices that `imported` has from an earlier
// placement do not count.
[[nodiscard]] StatusOr<PlacementAnswer> place_case(const PlacementCase& c, const PlacementWorld& w);
[[nodiscard]] PlacementAnswer place_imported(const PlacementCase& c, Graph& imported, const PlacementWorld& w);
[[nodiscard]] PlacementAnswer place_imported(const PlacementCase& c, Graph& imported, const PlacementWorld& w,
                                             const Rules& rules);
[[nodiscard]] AskPlacer our_placer(const PlacementWorld& w);  // REQUIRES: `w` outlives it
// The independent placer of that release.
[[nodiscard]] PlacementAnswer reference_answer(const PlacementCase& c, const Graph& imported, const PlacementWorld& w);

// Same code and devices, or code and text; parts of texts whose order means nothing are ignored.
[[nodiscard]] bool same_answer(const PlacementAnswer& a, const PlacementAnswer& b);

struct Judgement {  // what a property sees
  const PlacementCase& c;
  const Graph& g;
  const PlacementAnswer& answer;
  const PlacementWorld& world;
  const AskPlacer& ask;
};
// What the placer says to another case. Fails also when that cannot be imported.
[[nodiscard]] StatusOr<PlacementAnswer> ask_about(const PlacementCase& other, const PlacementWorld& world,
                                                  const AskPlacer& ask);

struct PlacementProperty {
  std::string name;  // "preassigned_never_moves"
  std::string says;  // one sentence
  // What is wrong; nullopt when nothing is. A failure of the placer itself (no answer) is wrong as well.
  std::function<std::optional<std::string>(const Judgement&)> violation;
};

// All of them, in a fixed order.
[[nodiscard]] const std::vector<PlacementProperty>& placement_properties();
[[nodiscard]] const PlacementProperty* find_property(std::string_view name);  // nullptr when there is none

// The placer is asked, and the property too. nullopt also when the case's graph cannot be imported (a shrunk case may
// be none).
[[nodiscard]] std::optional<std::string> violation_of(const PlacementProperty& property, const PlacementCase& c,
                                                      const PlacementWorld& world, const AskPlacer& ask);

}  // namespace tarry
