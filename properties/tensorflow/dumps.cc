#include "dumps.h"

#include <iostream>
#include <map>
#include <unordered_map>

#include "graphs.h"

#if TFV < 112
namespace tensorflow {
void* GlobalKernelRegistry();
}
#endif

void dump_types() {
  for (const char* t :
       {"CPU", "GPU", "XLA_CPU", "XLA_GPU", "XLA_CPU_JIT", "XLA_GPU_JIT", "FakeCPU", "FakeGPU", "T1", "T2", "T3"})
    std::cout << t << " " << type_priority(t) << "\n";
}

void dump_kernels() {
  tf::OpList ops;
  tf::OpRegistry::Global()->Export(true, &ops);
  for (const auto& op : ops.op()) {
#if TFV >= 112
    const tf::KernelList list = tf::GetRegisteredKernelsForOp(op.name());
    for (const auto& k : list.kernel()) {
      std::map<std::string, std::string> cons;
      for (const auto& c : k.constraint()) cons[c.name()] = graph_json::attr_text(c.allowed_values());
      std::string cs;
      for (const auto& kv : cons) cs += (cs.empty() ? "" : ",") + json::quote(kv.first) + ":" + kv.second;
      std::cout << "[" << json::quote(op.name()) << "," << json::quote(k.device_type()) << ","
#if TFV >= 113
                << k.priority()
#else
                << 0
#endif
                << "," << json::quote(k.label()) << ",{" << cs << "},["
                << graph_json::values_text(k.host_memory_arg(), json::quote) << "]]\n";
    }
#endif
  }
#if TFV < 112
  // The registry's element as 0.12 lays it out; the whole KernelDef goes out as base64.
  struct Registered {
    tf::KernelDef def;
    std::string class_name;
    void* factory;
  };
  using Registry = std::unordered_multimap<std::string, Registered>;
  for (const auto& kv : *static_cast<Registry*>(tf::GlobalKernelRegistry()))
    std::cout << json::quote(graph_bytes::base64(graph_bytes::bytes(kv.second.def))) << "\n";
#endif
}

void dump_ops() {
  tf::OpList ops;
  tf::OpRegistry::Global()->Export(true, &ops);
#if TFV >= 112
  std::cout << ops.SerializeAsString();
#else
  std::cout << graph_bytes::bytes(ops);
#endif
}
