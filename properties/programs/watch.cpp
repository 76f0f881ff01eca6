#include "properties/programs/watch.hpp"

namespace tarry {
namespace {

struct Site {
  std::size_t part = 0;
  std::optional<std::uint32_t> position;  // of the program's own nodes
  std::int64_t parallel = 1;
  std::string name;
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;
  bool is_switch = false;
};

class NotingKernel : public Kernel {
 public:
  NotingKernel(Kernel& real, Site site, Notes& notes) : real_(real), site_(std::move(site)), notes_(notes) {}
  [[nodiscard]] bool is_async() const override { return real_.is_async(); }
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(note(c));
    const Status s = site_.planted == PlantedRuntimeBug::ref_edge_copied ? compute_with_copies(c) : real_.compute(c);
    if (site_.is_switch && site_.planted == PlantedRuntimeBug::switch_swapped) std::swap(c.outputs[0], c.outputs[1]);
    return s;
  }
  void compute_async(KernelContext& c) override {
    if (const Status s = note(c); !s.ok()) return c.done(s);
    real_.compute_async(c);
  }

 private:
  Status compute_with_copies(KernelContext c) {
    std::vector<Value> inputs(c.inputs.begin(), c.inputs.end());
    for (Value& v : inputs)
      if (auto* variable = v.tensor ? nullptr : dynamic_cast<Variable*>(v.resource))
        v.resource = &notes_.copies.emplace_back(*variable);
    c.inputs = inputs;
    return real_.compute(c);
  }

  Status note(const KernelContext& c) {
    if (--notes_.left < 0) return error(Code::kResourceExhausted, "the program does not end");
    if (site_.position) ++notes_.executions[{*site_.position, c.frame, c.iteration}];
    if (c.frame == 0) return {};
    std::int64_t& newest = notes_.newest[{site_.part, c.frame}];
    newest = std::max(newest, c.iteration);
    if (newest - c.iteration >= site_.parallel)
      notes_.frames.push_back(fmt::format("{} ran in iteration {} when iteration {} had begun: more than {} at a time",
                                          site_.name, c.iteration, newest, site_.parallel));
    return {};
  }

  Kernel& real_;
  Site site_;
  Notes& notes_;
};

}  // namespace

void watch(ExecGraph& graph, std::size_t part, const std::map<std::string, std::uint32_t>& positions, Notes& notes) {
  for (ExecNode& n : graph.nodes) {
    const ExecNodeInfo& info = graph.info_of(n);
    const std::string name(info.name);
    const auto own = positions.find(name);
    Site site{part,
              own == positions.end() ? std::nullopt : std::optional(own->second),
              graph.plan->frames[info.frame].parallel_iterations,
              name,
              graph.planted,
              n.may_lack_outputs && !n.is_transfer};
    graph.kernels.push_back(std::make_shared<NotingKernel>(*n.kernel, std::move(site), notes));
    n.kernel = graph.kernels.back().get();
    n.always = nullptr;  // or it would not be seen
  }
}

Status CountingRendezvous::send(const TransferKey& key, Received value) {
  ++uses_[key.key].sends;
  value.tensor = value.tensor ? snapshot(value.tensor) : nullptr;
  return table_.send(key.key, std::move(value));
}

void CountingRendezvous::receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) {
  ++uses_[key.key].receives;
  table_.receive(key.key, &step, [this, done = std::move(done)](StatusOr<Received> r) mutable {
    env_.after(env_.delay(), [done = std::move(done), r = std::move(r)]() mutable { std::move(done)(std::move(r)); });
  });
}

std::vector<std::string> CountingRendezvous::faults() const {
  std::vector<std::string> found;
  const std::vector<std::string> names = env_.names();
  for (const auto& [key, uses] : uses_)
    if (uses.sends != 1 || uses.receives != 1)
      found.push_back(fmt::format("{} in frame {} iteration {}: sent {} times, received {} times",
                                  names[key.text.index()], key.frame, key.iteration, uses.sends, uses.receives));
  if (!table_.is_empty()) found.push_back("something is left in the rendezvous");
  return found;
}

}  // namespace tarry
