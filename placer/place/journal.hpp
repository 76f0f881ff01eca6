// What a placement decided, step by step: the record that explanations and log lines are made from.
//
// The placer itself writes it, while it decides; nothing in it is computed twice. Events are in the order in which they
// happened.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "placer/device/name.hpp"

namespace tarry {

// The device types that a node alone may use: those that have a kernel for it.
struct Alone {
  NodeId node;
  std::vector<std::string> types;
};
// Two groups became one: because of an edge (then `key` is ""), of a key in `_class`, or of the body of the function
// that `call` calls.
struct Joined {
  NodeId x, y;
  EdgeId edge;      // none when a key or a call is the reason
  std::string key;  // without "loc:@"
  NodeId call;
};
// The request of dst's group gave way to the request of src's group (log line D-i).
struct Overridden {
  NodeId src, dst;
  DeviceName was, is;  // the request of dst's group before, and that of src's group
};
// Under soft placement an impossible `loc:@` key of `node` was ignored.
struct StayedOut {
  NodeId node;
  std::string key;
  std::string why;
};
// What a called function's body asks of the group of `node`.
struct LimitedByBody {
  NodeId node, call;
  DeviceName requested, resource;
};
// The group of `node` is kept on the CPU, since its variant holds host-only data.
struct KeptOnHost {
  NodeId node;
};
enum class Relaxed { no, yes, resource_moved };  // resource_moved: a resource's own request was dropped, too (D-w)
struct Ranked {  // the devices that a group may use, best first; empty when none is left
  NodeId node;
  DeviceName request;
  std::vector<DeviceId> devices;
  Relaxed relaxed = Relaxed::no;
  std::string group = {};  // the group as errors describe it, when a resource was moved
};
enum class Choice { pre_assigned, best, beside_input, beside_consumers };
struct Chosen {
  NodeId node;
  DeviceId device;
  Choice why = Choice::best;
};

using Decision = std::variant<Alone, Joined, Overridden, StayedOut, LimitedByBody, KeptOnHost, Ranked, Chosen>;

struct Journal {
  std::vector<Decision> events;
  NodeId failed_at;         // the node that an error is about, when there is one
  std::string failed_kind;  // "D7", "D16d", ...: docs/rules/placer.md#D.1; "" = placed
  // The two nodes that must share a device and cannot, when the placement failed for that.
  std::optional<Joined> refused;
};

}  // namespace tarry
