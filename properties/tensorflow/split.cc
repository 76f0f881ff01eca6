#include "split.h"

#include <time.h>

#include <unordered_map>

#include "memory.h"
#include "tensorflow/core/graph/graph_partition.h"

namespace {

std::string worker_of(const tf::Node* n) {
  std::string task, device;
  tf::DeviceNameUtils::SplitDeviceName(n->assigned_device_name(), &task, &device);
  return task;
}
std::string device_of(const tf::Node* n) { return n->assigned_device_name(); }

std::string parts_text(const Parts& p) {
  std::string out = "{";
  for (const auto& kv : p) out += (out.size() > 1 ? "," : "") + json::quote(kv.first) + ":" + graph_text(kv.second);
  return out + "}";
}

}  // namespace

double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Parts split(tf::Graph* g, const Devices& d, bool by_worker, bool control_flow_added, const Value& start, bool record,
            const char* tag, int* counter, double* seconds) {
  tf::PartitionOptions o;
  o.node_to_loc = by_worker ? worker_of : device_of;
  o.new_name = [tag, counter](const std::string& prefix) { return prefix + tag + std::to_string((*counter)++); };
  o.get_incarnation = [&d](const std::string& name) -> tf::uint64 {
    auto it = d.incarnation.find(name);
    return it == d.incarnation.end() ? 0 : it->second;
  };
#if TFV >= 112
  o.flib_def = &g->flib_def();
#endif
  o.control_flow_added = control_flow_added;
  if (start.is(Value::kObject) || record) {
    o.scheduling_for_recvs = true;
    if (!control_flow_added) {
      o.need_to_record_start_times = true;
      o.start_times.assign(20 * g->num_node_ids() + 1000, tf::Microseconds(0));  // room for the nodes Partition adds
      for (tf::Node* n : g->nodes()) o.start_times[n->id()] = tf::Microseconds(start[n->name()].integer(0));
    }
  }
  std::unordered_map<std::string, tf::GraphDef> out;
  const double t0 = now();
  must(tf::Partition(o, g, &out), "partition");
  if (seconds) *seconds = now() - t0;
  Parts sorted;
  for (auto& kv : out) sorted[kv.first].Swap(&kv.second);
  return sorted;
}

std::string partition(const Value& p, tf::Graph* g, const Devices& d) {
  int n = 0;
  const Value& start = p["start"];
  if (p["by"].s == "device")
    return ",\"parts\":" +
           parts_text(split(g, d, false, p["control_flow_added"].truthy(false), start, false, "/_", &n));
  Parts workers = split(g, d, true, p["control_flow_added"].truthy(false), start, false, "_S", &n);
  std::string out = ",\"parts\":" + parts_text(workers);
  if (p["by"].s == "worker") return out;
  out += ",\"device_parts\":{";
  bool first = true;
  for (auto& kv : workers) {
    int m = 0;
    scatter_memory();
    auto graph = import(kv.second, true);
    out += (first ? "" : ",") + json::quote(kv.first) + ":" +
           parts_text(split(graph.get(), d, false, true, start, start.is(Value::kObject), "_G", &m));
    first = false;
  }
  return out + "}";
}
