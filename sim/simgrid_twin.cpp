#include "sim/simgrid_twin.hpp"

#include "sim/flow_module.hpp"

namespace tarry {

double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages) {
  return flow_module().replay_messages(cluster, messages);
}

double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds) {
  return flow_module().execute_nodes(successors, rounds);
}

}  // namespace tarry
