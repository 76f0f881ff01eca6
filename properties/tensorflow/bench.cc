#include "bench.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "devices.h"
#include "split.h"

namespace {

#if TFV >= 112
void set_type(tf::NodeDef* n, const char* attr) { (*n->mutable_attr())[attr].set_type(tf::DT_FLOAT); }

// chain: Identity after Identity. random: Add of two of the last 1000 nodes. loc: random + every tenth node has a
// group.
tf::GraphDef bench_graph(const std::string& kind, int n) {
  tf::GraphDef g;
  g.mutable_versions()->set_producer(TF_GRAPH_DEF_VERSION);
  auto* c = g.add_node();
  c->set_name("n0"), c->set_op("Const"), set_type(c, "dtype");
  auto* t = (*c->mutable_attr())["value"].mutable_tensor();
  t->set_dtype(tf::DT_FLOAT), t->mutable_tensor_shape(), t->add_float_val(0);
  tf::uint64 x = 88172645463325252ull;
  auto next = [&x](tf::uint64 m) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x % m;
  };
  const char* asks[] = {"",
                        "",
                        "",
                        "/job:worker/task:0",
                        "/job:worker/task:1/device:GPU:0",
                        "/job:ps/task:0/device:CPU:0",
                        "/device:GPU:1"};
  for (int i = 1; i < n; ++i) {
    auto* v = g.add_node();
    v->set_name("n" + std::to_string(i));
    set_type(v, "T");
    if (kind == "chain") {
      v->set_op("Identity");
      v->add_input("n" + std::to_string(i - 1));
    } else {
      v->set_op("Add");
      for (int k = 0; k < 2; ++k) v->add_input("n" + std::to_string(i - 1 - static_cast<int>(next(std::min(i, 1000)))));
      v->set_device(kind == "split" ? asks[3 + next(3)] : asks[next(7)]);
      if (kind == "loc" && i % 10 == 0) {
        v->set_device("");
        (*v->mutable_attr())["_class"].mutable_list()->add_s("loc:@n" + std::to_string(i - 10));
      }
    }
  }
  return g;
}

tf::GraphDef bench_input(const std::string& kind, int n) {
  if (kind[0] != '/' && kind[0] != '.') return bench_graph(kind, n);
  tf::GraphDef def;
  std::ifstream in(kind, std::ios::binary);
  if (!def.ParseFromIstream(&in)) throw std::runtime_error("cannot read " + kind);
  return def;
}
#else
tf::GraphDef bench_input(const std::string& path, int) {
  std::ifstream in(path, std::ios::binary);
  return graph_bytes::parse<tf::GraphDef>(
      std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()));
}
#endif

// Every task that some node asks for (else one ps and two workers), each with a CPU and two GPUs.
std::string bench_devices(const tf::GraphDef& g) {
  std::map<std::string, bool> tasks;
  for (int i = 0; i < g.node_size(); ++i) {
    tf::DeviceNameUtils::ParsedName p;
    if (tf::DeviceNameUtils::ParseFullName(g.node(i).device(), &p) && p.has_job)
      tasks["/job:" + p.job + "/replica:0/task:" + std::to_string(p.has_task ? p.task : 0)] = true;
  }
  if (tasks.empty())
    tasks = {{"/job:ps/replica:0/task:0", true},
             {"/job:worker/replica:0/task:0", true},
             {"/job:worker/replica:0/task:1", true}};
  std::string spec;
  for (const auto& t : tasks)
    for (const char* dev : {"/device:CPU:0", "/device:GPU:0", "/device:GPU:1"})
      spec += std::string(spec.empty() ? "[" : ",") + "\"" + t.first + dev + "\"";
  return spec + "]";
}

struct Times {
  double import, place, workers, devices;
  size_t out_workers, out_devices;
};

Times bench_once(const tf::GraphDef& def, const Devices& d, bool place_only) {
  Times r{};
  double t = now();
  auto g = import(def, false);
  r.import = now() - t;
  t = now();
  must(run_placer(g.get(), &d.set, PlaceOptions()), "place");
  r.place = now() - t;
  if (place_only) return r;
  int c = 0, c2 = 0;
  Parts workers = split(g.get(), d, true, false, Value(), false, "_S", &c, &r.workers);
  for (auto& kv : workers) {
    r.out_workers += kv.second.node_size();
    auto sub = import(kv.second, true);
    double s = 0;
    for (auto& p : split(sub.get(), d, false, true, Value(), false, "_G", &c2, &s))
      r.out_devices += p.second.node_size();
    r.devices += s;
  }
  return r;
}

}  // namespace

// Best of several runs (seconds), as one JSON line.
void bench(const std::string& kind, int n, bool place_only) {
  const tf::GraphDef def = bench_input(kind, n);
  Devices d;
  read_devices(json::Reader(bench_devices(def)).read(), Value(), &d);
  const int nodes = def.node_size(), runs = nodes < 20000 ? 15 : nodes < 300000 ? 3 : 1;
  Times b = bench_once(def, d, place_only);
  for (int i = 1; i < runs; ++i) {
    const Times r = bench_once(def, d, place_only);
    b.import = std::min(b.import, r.import), b.place = std::min(b.place, r.place);
    b.workers = std::min(b.workers, r.workers), b.devices = std::min(b.devices, r.devices);
  }
  auto rate = [](double n, double s) { return s > 0 ? n / s : 0; };
  std::printf(
      "{\"graph\":\"%s\",\"nodes\":%d,\"devices\":%zu,\"import_s\":%.6f,\"place_s\":%.6f,\"place_nodes_per_s\":%.0f,"
      "\"worker_split_s\":%.6f,\"worker_split_nodes_per_s\":%.0f,\"worker_split_out\":%zu,"
      "\"device_split_s\":%.6f,\"device_split_nodes_per_s\":%.0f,\"device_split_out\":%zu}\n",
      kind.c_str(), nodes, d.owned.size(), b.import, b.place, rate(nodes, b.place), b.workers, rate(nodes, b.workers),
      b.out_workers, b.devices, rate(static_cast<double>(b.out_workers), b.devices), b.out_devices);
}

#if TFV >= 112
std::string bench_bytes(const std::string& kind, int n) { return bench_graph(kind, n).SerializeAsString(); }
#endif
