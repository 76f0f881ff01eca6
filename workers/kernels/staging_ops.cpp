// A staging area: a queue without a handle, found by name. An Unstage or StagePeek waits for a Stage, a Stage for room;
// cancelling a step does not end either (seen in 2.15.1).

#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/staging.hpp"

namespace tarry {
namespace {

struct StagingArea : WaitingPlace {
  explicit StagingArea(StagingLimits l) : limits(l) {}
  StagingLimits limits;
  std::deque<QueueElement> elements;
  std::int64_t bytes = 0;

  [[nodiscard]] bool has_room_for(std::int64_t more) const {
    const bool is_full = limits.capacity > 0 && std::cmp_greater_equal(elements.size(), limits.capacity);
    return !is_full && (limits.bytes <= 0 || bytes + more <= limits.bytes);
  }
  QueueElement take() {
    QueueElement first = std::move(elements.front());
    elements.pop_front();
    bytes -= bytes_of(first);
    return first;
  }
};

class StageKernel : public AsyncKernel {
 public:
  explicit StageKernel(const KernelSetup& s) : area_(s) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingArea*> area = area_.get();
    if (!area.ok()) return c.done(area.status());
    QueueElement element;
    for (const Value& v : c.inputs) element.push_back(snapshot(v.tensor));
    const std::int64_t bytes = bytes_of(element);
    if (Status s = (*area)->limits.check(bytes); !s.ok()) return c.done(s);
    (*area)->until([&c, &a = **area, element = std::move(element), bytes]() {
      if (!a.has_room_for(bytes)) return false;
      a.elements.push_back(element);
      a.bytes += bytes;
      return c.done(Status()), true;
    });
  }

 private:
  FoundArea<StagingArea> area_;
};

// Gives the element's components as outputs.
void give(KernelContext& c, const QueueElement& element) {
  if (element.size() != c.outputs.size())
    return c.done(invalid("Mismatch stage/unstage: {} vs. {}", element.size(), c.outputs.size()));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, element[i]);
  c.done(Status());
}

class UnstageKernel : public AsyncKernel {
 public:
  explicit UnstageKernel(const KernelSetup& s) : area_(s) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingArea*> area = area_.get();
    if (!area.ok()) return c.done(area.status());
    (*area)->until([&c, &a = **area]() {
      if (a.elements.empty()) return false;
      return give(c, a.take()), true;
    });
  }

 private:
  FoundArea<StagingArea> area_;
};

// Input: which element. It stays.
class StagePeekKernel : public AsyncKernel {
 public:
  explicit StagePeekKernel(const KernelSetup& s) : area_(s) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingArea*> area = area_.get();
    if (!area.ok()) return c.done(area.status());
    const auto index = integer_in(c, {0, "index must be scalar"});
    if (!index.ok()) return c.done(index.status());
    (*area)->until([&c, &a = **area, i = *index]() {
      if (i < 0 || std::cmp_greater_equal(i, a.elements.size())) return false;
      return give(c, a.elements[static_cast<std::size_t>(i)]), true;
    });
  }

 private:
  FoundArea<StagingArea> area_;
};

class StageSizeKernel : public Kernel {
 public:
  explicit StageSizeKernel(const KernelSetup& s) : area_(s) {}
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const StagingArea* area, area_.get());
    return c.give(0, make_scalar(static_cast<std::int32_t>(area->elements.size())));
  }

 private:
  FoundArea<StagingArea> area_;
};

class StageClearKernel : public Kernel {
 public:
  explicit StageClearKernel(const KernelSetup& s) : area_(s) {}
  Status compute(KernelContext&) override {
    TARRY_ASSIGN(StagingArea * area, area_.get());
    area->elements.clear();
    area->bytes = 0;
    area->changed();
    return {};
  }

 private:
  FoundArea<StagingArea> area_;
};

constexpr KernelRow kStagingRows[] = {
    {"Stage", make_from_setup<StageKernel>},           {"Unstage", make_from_setup<UnstageKernel>},
    {"StagePeek", make_from_setup<StagePeekKernel>},   {"StageSize", make_from_setup<StageSizeKernel>},
    {"StageClear", make_from_setup<StageClearKernel>},
};

}  // namespace

KernelFamily staging_ops() { return kStagingRows; }

}  // namespace tarry
