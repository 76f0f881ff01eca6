// From the session's full graph to the graph of one signature (docs/rules/runtime.md#A.3).
//
// Feeds become `_Recv` nodes and fetches `_Send` nodes on the client device; what no fetch or target needs is pruned;
// small constants are copied to the tasks that read them (replicate_constants.hpp); what is left is copied densely, so
// that edge numbers, which are part of rendezvous keys, start at 3 again.
#pragma once

#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

struct Signature {  // sorted, as the master's cache keys them
  std::vector<std::string> feeds, fetches, targets;
  friend auto operator<=>(const Signature&, const Signature&) = default;
};

struct ClientDevice {
  DeviceId id;
  std::string name;
  std::uint64_t incarnation = 0;
};

// How fed and fetched tensors are passed: through the rendezvous (a master's steps, partial runs), or like a function's
// arguments and results (a direct session): `_arg_<n>_<i>_<k>` and `_retval_<n>_<i>_<k>`, numbered in the signature's
// order.
enum class Convention { rendezvous, call };

// REQUIRES: `full` is placed, on `devices` if that is not null. With null, small constants are not copied, which is
// right when all devices are of one task. Fails with the texts of docs/rules/runtime.md#A.3.
[[nodiscard]] StatusOr<Graph> make_client_graph(const Graph& full, const DeviceSet* devices, const Signature& signature,
                                                const ClientDevice& client,
                                                Convention convention = Convention::rendezvous);

// "x:0" and "x" both name output 0 of x; "^x" is a control edge's name.
struct Endpoint {
  std::string node;
  int slot = 0;
};
[[nodiscard]] Endpoint parse_endpoint(std::string_view tensor);

// The rendezvous key under which a fed or fetched tensor travels.
[[nodiscard]] std::string client_key(std::string_view tensor, const ClientDevice& client);

}  // namespace tarry
