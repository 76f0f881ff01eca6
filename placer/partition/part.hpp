// One location's part of a graph that was cut (partition.hpp); a header of its own for code that only stores parts.
#pragma once

#include <string>

#include "placer/graph/spec.hpp"

namespace tarry {

struct Partition {
  std::string location;
  GraphSpec graph;
};

}  // namespace tarry
