// How fast this release places and partitions: best of several runs, as one JSON line.
#pragma once
#include <string>

void bench(const std::string& kind, int n, bool place_only);
#if TFV >= 112
std::string bench_bytes(const std::string& kind, int n);  // the GraphDef that bench makes itself
#endif
