// What one placement works on: the graph, the devices, the rules, and the groups so far.
#pragma once

#include "placer/place/journal.hpp"
#include "placer/place/members.hpp"
#include "placer/place/place.hpp"
#include "placer/place/supported.hpp"

namespace tarry {

// A call that led into the function whose body is being looked at (docs/rules/placer.md#C.3.3).
struct FunctionCall {
  std::string node;      // the calling node
  std::string function;  // what it calls
};

struct Placement {
  Placement(Graph& g, const DeviceSet& d, const Rules& r, const PlaceOptions& o)
      : graph(g),
        nodes(g.op_nodes()),
        devices(d),
        rules(r),
        options(o),
        supported(d, r, o),
        requests(r.names, r.compatibility),
        members(g.node_slots(), supported.lists(), requests, r, o.soft_placement),
        name_index(d.size()),
        device_names(d.size()),
        by_text(g.name_count()) {}

  Graph& graph;
  const std::vector<NodeId> nodes;  // ops, in the order of their ids
  const DeviceSet& devices;
  const Rules& rules;
  const PlaceOptions& options;
  Supported supported;
  DeviceRequests requests;
  Members members;
  IdVector<DeviceId, int> name_index;  // the order in which assigned names were first used, from 1; 0 = not used
  int names_used = 0;
  std::vector<FunctionCall> stack = {};  // outermost first

  [[nodiscard]] int index_of(DeviceId d);
  [[nodiscard]] DeviceRequestId name_of(DeviceId d);   // as a request for exactly this device
  [[nodiscard]] DeviceRequestId request_of(NodeId n);  // `none` when the text is malformed
  [[nodiscard]] std::string text(const DeviceName& n) const { return to_string(n, rules.names); }
  [[nodiscard]] std::string text(DeviceRequestId w) const { return text(requests[w]); }
  [[nodiscard]] bool is_noted() const { return options.journal != nullptr; }
  template <class Event>
  void note(Event&& event) const {
    if (is_noted()) options.journal->events.emplace_back(std::forward<Event>(event));
  }

 private:
  struct Request {
    bool is_parsed = false;
    DeviceRequestId id;
  };
  IdVector<DeviceId, DeviceRequestId> device_names;
  IdVector<NameId, Request> by_text;  // by the text of the request
};

}  // namespace tarry
