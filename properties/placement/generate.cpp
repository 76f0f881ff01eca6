#include "properties/placement/generate.hpp"

#include <algorithm>
#include <array>

#include "properties/placement/grow.hpp"

namespace tarry {
namespace {

// Test ops with kernels of every kind, and the real ops whose placement has rules of its own.
constexpr std::array kWanted = {"TestVariable",
                                "VariableCPU",
                                "VariableGPU",
                                "TestAdd",
                                "TestRelu",
                                "ReluCPU",
                                "ReluGPU",
                                "TestAssign",
                                "AssignCPU",
                                "AssignGPU",
                                "TestInput",
                                "TestCPUGPUOutput",
                                "TestGPUOutput",
                                "TestDevice",
                                "TestDeviceEnforce",
                                "TestHandleVariable",
                                "HandleVariableCPU",
                                "HandleVariableGPU",
                                "TestHandleAssign",
                                "HandleAssignCPU",
                                "HandleAssignGPU",
                                "TestTwoHandlesIn",
                                "TestDatasetOp",
                                "CreateDatasetCPU",
                                "CreateDatasetGPU",
                                "CreateDatasetSP",
                                "CreateDatasetRP",
                                "CreateDatasetNP",
                                "IteratorNP",
                                "IteratorSP",
                                "IteratorRP",
                                "IteratorGPU",
                                "TestXlaOp",
                                "TestTwoRefsIn",
                                "TestRefToRef",
                                "TestHandleToHandle",
                                "TestRefAndHandleIn",
                                "TestThreeIn",
                                "TestIntOutput",
                                "TestAnywhere",
                                "TestSourceAnywhere",
                                "TestVarAnywhere",
                                "TestCpuT1",
                                "TestGpuT2",
                                "TestTyped",
                                "TestTypedSource",
                                "Shape",
                                "Size",
                                "Rank",
                                "Identity",
                                "NoOp",
                                "RefIdentity"};

constexpr std::array kLoopOps = {"Enter", "Merge", "Switch", "NextIteration", "Exit", "LoopCond", "Less"};

class Devices {
 public:
  explicit Devices(Random& random) : random_(random) {}

  std::vector<CaseDevice> draw() {
    const std::uint64_t tasks = random_.chance(1, 2) ? 1 : 1 + random_.below(random_.chance(1, 8) ? 16 : 4);
    for (std::uint64_t t = 0; t < tasks && found_.size() < 64; ++t) add_task();
    if (random_.chance(1, 3)) shuffle(found_, random_);
    return std::move(found_);
  }

 private:
  void add_task() {
    static constexpr std::array kJobs = {"a", "b", "ps", "worker", "localhost"};
    // One draw a line: the arguments of one call are evaluated in an order that compilers choose.
    const std::uint64_t number = random_.chance(1, 6) ? 10 : random_.below(3);
    const int replica = random_.chance(1, 12) ? 1 : 0;
    const char* job = kJobs[random_.below(kJobs.size())];
    const std::string task = fmt::format("/job:{}/replica:{}/task:{}", job, replica, number);
    if (!random_.chance(1, 12)) add(task, "CPU", 1 + random_.below(random_.chance(1, 4) ? 4 : 1));
    if (random_.chance(2, 3)) add(task, "GPU", 1 + random_.below(3));
    if (random_.chance(1, 6)) add(task, "T1", 1);
    if (random_.chance(1, 8)) add(task, "T2", 1 + random_.below(2));
    if (random_.chance(1, 12)) add(task, "XLA_CPU", 1);
    if (found_.empty()) add(task, "CPU", 1);
  }

  void add(const std::string& task, const std::string& type, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && found_.size() < 64; ++i) {
      const std::uint64_t id = random_.chance(1, 10) ? 10 : i;  // a string sorts 10 before 2
      CaseDevice d{fmt::format("{}/device:{}:{}", task, type, id), ""};
      if (random_.chance(1, 40)) d.type = "T3";
      if (std::ranges::find(found_, d.name, &CaseDevice::name) == found_.end()) found_.push_back(std::move(d));
    }
  }

  Random& random_;
  std::vector<CaseDevice> found_;
};

// What nodes ask for.
class RandomRequests {
 public:
  RandomRequests(const std::vector<CaseDevice>& devices, Random& random) : devices_(devices), random_(random) {}

  std::string draw() {
    const std::string full = devices_[random_.below(devices_.size())].name;
    const std::string task = full.substr(0, full.find("/device:")), local = full.substr(task.size());
    switch (random_.below(12)) {
      case 0:
      case 1:
        return full;
      case 2:
        return task;
      case 3:
        return full.substr(0, full.find("/replica:"));
      case 4:
      case 5:
        return local;
      case 6:
        return local.substr(0, local.rfind(':'));
      case 7:
        return full.substr(0, full.find("/replica:")) + local;
      case 8:
        return local.substr(0, local.rfind(':')) + ":*";
      case 9:
        return random_.chance(1, 2) ? "/cpu:0" : "/gpu:0";
      case 10:
        return task.substr(task.rfind("/task:"));
      default:
        return strange();
    }
  }

 private:
  std::string strange() {
    static constexpr std::array kStrange = {"/device:GPU:99", "/cpu:99",      "/job:nowhere",
                                            "/job:a/task:77", "/device:T9:0", "/job:a/task:0/device:GPU:3"};
    return kStrange[random_.below(kStrange.size())];
  }

  const std::vector<CaseDevice>& devices_;
  Random& random_;
};

void add_requests(PlacementCase& c, Random& random) {
  RandomRequests requests(c.devices, random);
  const std::uint64_t density = random.below(4);  // 0 = nobody asks
  const std::string common = requests.draw();     // some graphs have one favourite
  for (CaseNode& n : c.nodes)
    if (random.below(6) < density) n.spec.device = random.chance(1, 4) ? common : requests.draw();
  if (random.chance(1, 50)) c.nodes[random.below(c.nodes.size())].spec.device = "/foo:bar";
}

void add_assigned(PlacementCase& c, Random& random) {
  if (!random.chance(1, 4)) return;
  for (CaseNode& n : c.nodes)
    if (random.chance(1, 5)) n.assigned = c.devices[random.below(c.devices.size())].name;
  if (random.chance(1, 30))
    c.nodes[random.below(c.nodes.size())].assigned = random.chance(1, 2) ? "/job:a" : "/foo:bar";
}

// Colocation: single keys, several, chains, rings, ghosts that name no node.
class Keys {
 public:
  Keys(PlacementCase& c, Random& random) : case_(c), random_(random) {}

  void draw() {
    switch (random_.below(5)) {
      case 0:
      case 1:
        return;
      case 2:
        return link(random_.chance(1, 2));
      default:
        return scatter();
    }
  }

 private:
  [[nodiscard]] const std::string& any_name() { return case_.nodes[random_.below(case_.nodes.size())].spec.name; }

  // Each node after the one before it, perhaps closed to a ring.
  void link(bool ring) {
    const std::size_t first = random_.below(case_.nodes.size()),
                      last = first + 1 + random_.below(case_.nodes.size() - first);
    for (std::size_t i = first + 1; i < last; ++i) set(i, {case_.nodes[i - 1].spec.name});
    if (ring) set(first, {case_.nodes[last - 1].spec.name});
  }

  void scatter() {
    for (std::size_t i = 0; i < case_.nodes.size(); ++i) {
      if (!random_.chance(1, 4)) continue;
      std::vector<std::string> keys = {any_name()};
      if (random_.chance(1, 3)) keys.push_back(any_name());
      if (random_.chance(1, 8)) keys.push_back("ghost");
      set(i, keys);
    }
  }

  void set(std::size_t node, const std::vector<std::string>& keys) {
    AttrList list;
    for (const std::string& key : keys) list.s.push_back("loc:@" + key);
    if (random_.chance(1, 20)) list.s.push_back("Loc:@x");
    case_.nodes[node].spec.attrs.set("_class", AttrValue(std::move(list)));
  }

  PlacementCase& case_;
  Random& random_;
};

// A registry of the case's own: for each op it uses, some device types with priorities.
void add_kernels(PlacementCase& c, Random& random) {
  static constexpr std::array kTypes = {"CPU", "GPU", "T1", "T2", "XLA_CPU"};
  std::vector<std::string> ops;
  for (const CaseNode& n : c.nodes) ops.push_back(n.spec.op);
  std::ranges::sort(ops);
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  auto kernels = std::make_shared<std::vector<KernelDef>>();
  for (const std::string& op : ops)
    for (const char* type : kTypes)
      if (random.chance(std::string_view(type) == "CPU" ? 5 : 3, 6))
        kernels->push_back(
            {.op = op, .device_type = type, .priority = random.chance(1, 2) ? 0 : static_cast<int>(random.below(4))});
  c.kernels = std::move(kernels);
}

void add_local(PlacementCase& c, Random& random) {
  if (!random.chance(1, 5)) return;
  const std::string& name = c.devices[random.below(c.devices.size())].name;
  if (random.chance(2, 3)) c.default_device = name;
  if (random.chance(2, 3)) c.local_task = name.substr(0, name.find("/device:"));
}

}  // namespace

Alphabet::Alphabet(const OpRegistry& ops) {
  for (const char* name : kWanted) add(name, ops);
  first_loop_part_ = ops_.size();
  for (const char* name : kLoopOps) add(name, ops);
}

void Alphabet::add(const char* name, const OpRegistry& ops) {
  const OpDef* op = ops.find(name);
  if (op == nullptr) return;
  ops_.push_back(op);
  by_name_.emplace(op->name, op);
}

const OpDef* Alphabet::find(std::string_view op) const {
  const auto it = by_name_.find(op);
  return it == by_name_.end() ? nullptr : it->second;
}

PlacementCase generate_case(const Alphabet& alphabet, const GenerateOptions& options, Random& random) {
  PlacementCase c{.soft = random.chance(1, 2), .devices = Devices(random).draw()};
  const std::uint64_t most = random.chance(1, 2)
                                 ? static_cast<std::uint64_t>(options.max_nodes)
                                 : std::min<std::uint64_t>(6, static_cast<std::uint64_t>(options.max_nodes));
  c.nodes = grow_nodes(alphabet, 1 + random.below(most), random);
  add_requests(c, random);
  add_assigned(c, random);
  Keys(c, random).draw();
  if (options.random_kernels && random.chance(1, 6)) add_kernels(c, random);
  add_local(c, random);
  if (random.chance(1, 4)) shuffle(c.nodes, random);
  return c;
}

}  // namespace tarry
