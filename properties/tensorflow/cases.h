// A case's answer: where the real placer puts each node, and how the real partitioner cuts the graph.
#pragma once
#include <string>

#include "json.h"

std::string run_case(const json::Value& c);
