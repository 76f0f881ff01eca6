// What Partition makes of a placed graph.
#pragma once
#include <map>
#include <string>

#include "devices.h"

// CPU seconds of this thread (placing and partitioning use no other), so that a busy machine does not spoil the
// timings.
double now();

using Parts = std::map<std::string, tf::GraphDef>;

Parts split(tf::Graph* g, const Devices& d, bool by_worker, bool control_flow_added, const Value& start, bool record,
            const char* tag, int* counter, double* seconds = nullptr);

// partition: {"by":"device"} | {"by":"worker"} | {"by":"both"}; plus optional "start": {node: microseconds}.
std::string partition(const Value& p, tf::Graph* g, const Devices& d);
