#include "test_ops.h"

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "graphs.h"

namespace {

class NoKernel : public tf::OpKernel {
 public:
  explicit NoKernel(tf::OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(tf::OpKernelContext*) override {}
};
tf::OpKernel* make_no_kernel(tf::OpKernelConstruction* c) { return new NoKernel(c); }

std::string arg_type(const std::string& t) {
  static const std::map<std::string, std::string> names = {
      {"f", "float"}, {"i", "int32"}, {"rf", "Ref(float)"}, {"R", "resource"}, {"V", "variant"}};
  auto it = names.find(t);
  return it == names.end() ? t : it->second;
}

void register_op(const Value& v) {
  const std::string name = v["op"].s;
  tf::OpDefBuilder b(name);
  for (const Value& a : v["attr"].a) b.Attr(a.s);
  for (size_t i = 0; i < v["in"].a.size(); ++i) b.Input("i" + std::to_string(i) + ": " + arg_type(v["in"].a[i].s));
  for (size_t i = 0; i < v["out"].a.size(); ++i) b.Output("o" + std::to_string(i) + ": " + arg_type(v["out"].a[i].s));
  tf::OpRegistry::Global()->Register([b](tf::OpRegistrationData* d) -> Status { return b.Finalize(d); });
}

std::string device_kind(const std::string& k, bool fake) {
  if (k == "C") return fake ? "FakeCPU" : "CPU";
  if (k == "G") return fake ? "FakeGPU" : "GPU";
  return k;
}

#if TFV >= 112
void register_kernel(const std::string& op, const Value& k, bool fake) {
  auto* def = new tf::KernelDef;
  def->set_op(op);
  def->set_device_type(device_kind(k.at(0).s, fake));
#if TFV >= 113
  def->set_priority(static_cast<int>(k.at(1).integer(0)));
#endif
  def->set_label(k.at(2).s);
  for (const auto& kv : k.at(3).o) {
    auto* c = def->add_constraint();
    c->set_name(kv.first);
    for (const Value& t : kv.second.a) c->mutable_allowed_values()->mutable_list()->add_type(graph_json::dtype(t.s));
  }
  for (const Value& h : k.at(4).a) def->add_host_memory_arg(h.s);
  new tf::kernel_factory::OpKernelRegistrar(def, "NoKernel", make_no_kernel);
}
#else
void register_kernel(const std::string& op, const Value& k, bool fake) {
  static std::vector<std::unique_ptr<std::string> > kept;
  auto keep = [](const std::string& s) {
    kept.emplace_back(new std::string(s));
    return kept.back()->c_str();
  };
  tf::KernelDefBuilder b(keep(op));
  b.Device(keep(device_kind(k.at(0).s, fake)));
  if (!k.at(2).s.empty()) b.Label(keep(k.at(2).s));
  for (const auto& kv : k.at(3).o) {
    std::vector<tf::DataType> types;
    for (const Value& t : kv.second.a) types.push_back(graph_bytes::dtype(t.s));
    b.TypeConstraint(keep(kv.first), types);
  }
  for (const Value& h : k.at(4).a) b.HostMemory(keep(h.s));
  new tf::kernel_factory::OpKernelRegistrar(b.Build(), "NoKernel", make_no_kernel);
}
#endif

}  // namespace

void register_test_ops(const std::string& path, bool fake) {
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const Value v = json::Reader(text).read();
  for (const Value& op : v["ops"].a) {
#if TFV < 112
    if (op["in"].at(0).s == "V" || op["out"].at(0).s == "V") continue;  // no variants yet
#endif
    register_op(op);
    for (const Value& k : op["k"].a) register_kernel(op["op"].s, k, fake);
  }
#if TFV >= 112
  if (type_priority("GPU") < 0) register_type("GPU", 210);  // a CPU-only wheel
#endif
  register_type("FakeCPU", 50);
  register_type("FakeGPU", 51);
  register_type("T1", 50);
  register_type("T2", 300);
}
