// Places a graph of two nodes on a cluster of two tasks by the rules of TensorFlow 2.15.
#include <cstdio>

#include "placer/graph/import.hpp"
#include "placer/place/place.hpp"

int main() {
  using namespace tarry;
  GraphSpec spec;
  spec.nodes.push_back({"x", "Placeholder", "/job:worker/task:0", {}, {{"dtype", DataType::kFloat}}});
  spec.nodes.push_back({"y", "Identity", "", {"x"}, {{"T", DataType::kFloat}}});
  auto graph = import_graph(spec);
  if (!graph.ok()) return 1;
  DeviceSet devices;
  for (const char* name : {"/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0"})
    if (!devices.add(name, "").ok()) return 1;
  if (!place(*graph, devices, rules_2_15(), {}).ok()) return 1;
  for (const NodeId n : graph->op_nodes())
    std::printf("%s on %s\n", std::string(graph->name(n)).c_str(), devices[graph->node(n).assigned].name.c_str());
  return 0;
}
