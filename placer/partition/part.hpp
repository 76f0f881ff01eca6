// One location's part of a graph that was cut (partition.hpp), as those hold it who only keep it.
#pragma once

#include <string>

#include "placer/graph/spec.hpp"

namespace tarry {

struct Partition {
  std::string location;
  GraphSpec graph;
};

}  // namespace tarry
