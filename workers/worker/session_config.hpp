// What a client asks of its session: the parts of a ConfigProto that tarry reads or passes on
// (docs/rules/runtime.md#E.1).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tarry {

struct GraphOptions {
  std::string opt_level;  // "L0"; "" = not set
  bool disable_meta_optimizer = false;
  bool enable_recv_scheduling = false;
  bool place_pruned_graph = false;  // a master warns, and places the whole graph anyway
  bool enable_bfloat16_sendrecv = false;
  bool infer_shapes = false;
  std::int64_t build_cost_model = 0;  // costs are recorded at every build_cost_model-th run of a signature; 0 = never
  std::int64_t build_cost_model_after = 0;
  std::int32_t timeline_step = 0;  // a timeline is recorded at every timeline_step-th run; 0 = never
  std::string rest;                // fields that tarry only passes on, as the client wrote them
};

struct ClusterDef {
  std::map<std::string, std::map<int, std::string>> jobs;  // job -> task -> address
};

struct SessionConfig {
  std::map<std::string, std::int32_t> device_count;
  std::vector<std::string> device_filters;
  bool allow_soft_placement = false;
  bool isolate_session_state = false;
  bool share_cluster_devices = false;
  bool share_is_experimental = false;  // share_cluster_devices was set by the old, experimental field
  bool disable_optimize_for_static_graph = false;
  std::int64_t operation_timeout_ms = 0;  // used by the client only: it is the deadline of its calls
  int session_thread_pools = 0;           // a distributed session refuses any
  GraphOptions graph;
  ClusterDef cluster;  // no jobs = the server's own cluster
  std::string rest;    // fields that tarry only passes on, as the client wrote them
};

}  // namespace tarry
