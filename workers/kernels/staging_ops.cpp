// A staging area: a queue without a handle, found by name. An Unstage waits for a Stage, a Stage for room; cancelling a step does not end
// either (seen in 2.15.1).

#include <deque>

#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct StagingArea : Resource {
  StagingArea(std::string name, std::int64_t capacity) : Resource(ResourceKind::staging_area), queue(std::move(name), capacity > 0 ? capacity : -1) {}
  FifoQueue queue;
  CancellationManager nobody;  // cancels
};

StatusOr<StagingArea*> find_area(const KernelSetup& s) {
  const std::string name = resource_name(s);
  const auto capacity = attr_or(s.attrs, "capacity", std::int64_t{0});
  return s.host.resources->find_or_make<StagingArea>(container_of(s), name, [&] { return std::make_unique<StagingArea>(name, capacity); });
}

class StageKernel : public AsyncKernel {
 public:
  explicit StageKernel(StagingArea& area) : area_(area) {}
  void compute_async(KernelContext& c) override {
    QueueElement element;
    for (const Value& v : c.inputs) element.push_back(snapshot(v.tensor));
    area_.queue.enqueue(std::move(element), area_.nobody, [&c](const Status& s) { c.done(s); });
  }

 private:
  StagingArea& area_;
};

class UnstageKernel : public AsyncKernel {
 public:
  explicit UnstageKernel(StagingArea& area) : area_(area) {}
  void compute_async(KernelContext& c) override {
    area_.queue.dequeue(area_.nobody, [&c](StatusOr<QueueElement> e) {
      if (!e.ok()) return c.done(e.status());
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, (*e)[i]);
      c.done(Status());
    });
  }

 private:
  StagingArea& area_;
};

class StageSizeKernel : public Kernel {
 public:
  explicit StageSizeKernel(StagingArea& area) : area_(area) {}
  Status compute(KernelContext& c) override {
    return c.give(0, make_scalar(static_cast<std::int32_t>(area_.queue.size())));
  }

 private:
  StagingArea& area_;
};

class StageClearKernel : public Kernel {
 public:
  explicit StageClearKernel(StagingArea& area) : area_(area) {}
  Status compute(KernelContext&) override {
    area_.queue.clear();
    return {};
  }

 private:
  StagingArea& area_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> make_staging(const KernelSetup& s) {
  TARRY_ASSIGN(StagingArea * area, find_area(s));
  return std::make_unique<K>(*area);
}

constexpr KernelRow kStagingRows[] = {
    {"Stage", make_staging<StageKernel>},
    {"Unstage", make_staging<UnstageKernel>},
    {"StageSize", make_staging<StageSizeKernel>},
    {"StageClear", make_staging<StageClearKernel>},
};

}  // namespace

KernelFamily staging_ops() { return kStagingRows; }

}  // namespace tarry
