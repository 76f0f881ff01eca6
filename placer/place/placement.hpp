// What one placement works on: the graph, the devices, the rules, and the groups so far.
#pragma once

#include "placer/place/journal.hpp"
#include "placer/place/members.hpp"
#include "placer/place/place.hpp"
#include "placer/place/supported.hpp"

namespace tarry {

// The calls that led into the function whose body is being looked at (C.3.3), outermost first.
struct CallFrame {
  std::string node;      // the calling node
  std::string function;  // what it calls
};

struct Placement {
  Placement(Graph& g, const DeviceSet& d, const Rules& r, const PlaceOptions& o)
      : graph(g), devices(d), rules(r), options(o), supported(d, r, o), members(g.node_slots(), supported.lists(), r, o.soft_placement) {}

  Graph& graph;
  const DeviceSet& devices;
  const Rules& rules;
  const PlaceOptions& options;
  Supported supported;
  Members members;
  std::vector<int> name_index = {};  // by device: the order in which assigned names were first used, from 1; 0 = not used
  int names_used = 0;
  std::vector<CallFrame> stack = {};

  [[nodiscard]] int index_of(DeviceId d);
  [[nodiscard]] std::string text(const DeviceName& n) const { return to_string(n, rules.names); }
  void note(Decision event) const {
    if (options.journal != nullptr) options.journal->events.push_back(std::move(event));
  }
};

}  // namespace tarry
