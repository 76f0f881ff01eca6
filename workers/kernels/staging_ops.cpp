// A staging area: a queue without a handle, found by name. An Unstage waits for a Stage, a Stage for room; cancelling a
// step does not end either (seen in 2.15.1).

#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct StagingArea : Resource {
  StagingArea(std::string name, std::int64_t capacity)
      : Resource(ResourceKind::staging_area), queue(std::move(name), capacity > 0 ? capacity : -1) {}
  FifoQueue queue;
  CancellationManager nobody;  // cancels
};

// Where an op finds its area: made when there is none, and anew when it was lost.
class FoundArea {
 public:
  explicit FoundArea(const KernelSetup& s)
      : resources_(*s.host.resources),
        container_(container_of(s)),
        name_(resource_name(s)),
        capacity_(attr_or(s.attrs, "capacity", std::int64_t{0})) {}
  StatusOr<StagingArea*> get() {
    if (area_ != nullptr && !area_->is_lost()) return area_;
    TARRY_ASSIGN(area_, resources_.find_or_make<StagingArea>(
                            container_, name_, [&] { return std::make_unique<StagingArea>(name_, capacity_); }));
    return area_;
  }

 private:
  ResourceManager& resources_;
  std::string container_, name_;
  std::int64_t capacity_;
  StagingArea* area_ = nullptr;
};

class StageKernel : public AsyncKernel {
 public:
  explicit StageKernel(const KernelSetup& s) : area_(s) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingArea*> area = area_.get();
    if (!area.ok()) return c.done(area.status());
    QueueElement element;
    for (const Value& v : c.inputs) element.push_back(snapshot(v.tensor));
    (*area)->queue.enqueue(std::move(element), (*area)->nobody, [&c](const Status& s) { c.done(s); });
  }

 private:
  FoundArea area_;
};

class UnstageKernel : public AsyncKernel {
 public:
  explicit UnstageKernel(const KernelSetup& s) : area_(s) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingArea*> area = area_.get();
    if (!area.ok()) return c.done(area.status());
    (*area)->queue.dequeue((*area)->nobody, [&c](StatusOr<QueueElement> e) {
      if (!e.ok()) return c.done(e.status());
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, (*e)[i]);
      c.done(Status());
    });
  }

 private:
  FoundArea area_;
};

class StageSizeKernel : public Kernel {
 public:
  explicit StageSizeKernel(const KernelSetup& s) : area_(s) {}
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const StagingArea* area, area_.get());
    return c.give(0, make_scalar(static_cast<std::int32_t>(area->queue.size())));
  }

 private:
  FoundArea area_;
};

class StageClearKernel : public Kernel {
 public:
  explicit StageClearKernel(const KernelSetup& s) : area_(s) {}
  Status compute(KernelContext&) override {
    TARRY_ASSIGN(StagingArea * area, area_.get());
    area->queue.clear();
    return {};
  }

 private:
  FoundArea area_;
};

constexpr KernelRow kStagingRows[] = {
    {"Stage", make_from_setup<StageKernel>},
    {"Unstage", make_from_setup<UnstageKernel>},
    {"StageSize", make_from_setup<StageSizeKernel>},
    {"StageClear", make_from_setup<StageClearKernel>},
};

}  // namespace

KernelFamily staging_ops() { return kStagingRows; }

}  // namespace tarry
