// Why a node is where it is: told from the journal that the placer kept while it decided (journal.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "placer/place/journal.hpp"
#include "placer/place/place.hpp"

namespace tarry {

struct Explanation {
  std::string node, op, request;        // `request` "" = no request
  std::vector<std::string> group;       // how the node's group came about: "a, b: reference edge a:0 -> b:0"
  std::vector<std::string> conceded;    // requests that gave way, keys that were ignored, what called functions ask for
  std::string group_request;            // what the whole group asks for; "" = nothing
  Relaxed relaxed = Relaxed::no;        // whether soft placement had to give up a part of the request
  std::vector<std::string> candidates;  // best first
  std::vector<std::pair<std::string, std::string>> removed;  // a device, and what removed it
  std::string choice;                                        // "best device", "beside its input", ...; "" = not placed
  std::string device;                                        // "" = not placed
  std::string refused;  // which two nodes had to share a device and could not, when one is in the node's group; written
                        // as in `group`
  std::string error;    // the placement's error, filled in by the caller
};

// REQUIRES: `journal` was filled by a placement of `g`, successful or not.
[[nodiscard]] Explanation explain(const Graph& g, const DeviceSet& devices, const Rules& rules, const Journal& journal,
                                  NodeId n);

[[nodiscard]] std::string to_string(const Explanation& e);

// Why the node is not on that device, in one sentence.
[[nodiscard]] std::string why_not(const Explanation& e, const std::string& device);

}  // namespace tarry
