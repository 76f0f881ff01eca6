// Graphs of a case as this release can take them in and give them out: compact JSON, or base64 of the wire form
// before 1.12.
#pragma once
#include <memory>
#include <string>

#include "compat.h"
#include "json.h"
#if TFV >= 112
#include "graph_json.h"
#else
#include "graph_bytes.h"
#endif

using json::Value;

// A step that TensorFlow refused: import, place, partition.
struct Failed {
  std::string stage;
  Status status;
};
inline void must(const Status& s, const char* stage) {
  if (!s.ok()) throw Failed{stage, s};
}

tf::GraphDef read_graph(const Value& c);
std::string graph_text(const tf::GraphDef& g);
// `placed`: nodes carry the names of devices they were assigned.
std::unique_ptr<tf::Graph> import(tf::GraphDef g, bool placed);
