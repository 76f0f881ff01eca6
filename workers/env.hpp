// The seam: all that worker code sees of the world.
//
// Worker code is real code that cannot tell which world it runs in. It asks for the time, for a kernel's cost to pass
// on a device, for bytes to travel to a task, for a timer, for randomness; and it notes events. Everything is a
// continuation: calls return at once, and the continuation runs later from the world's loop, never from inside the
// call. One thread runs the whole cluster. Faults enter here only.
#pragma once

#include <absl/functional/any_invocable.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "placer/core/random.hpp"
#include "placer/core/status.hpp"
#include "workers/device_memory.hpp"
#include "workers/events.hpp"

namespace tarry {

using Callback = absl::AnyInvocable<void() &&>;
using StatusCallback = absl::AnyInvocable<void(Status) &&>;

// A continuation without allocation, for the per-op path.
struct Continuation {
  void (*run)(void* self, std::uint64_t argument) = nullptr;
  void* self = nullptr;
  std::uint64_t argument = 0;
  void operator()() const { run(self, argument); }
};

using CostId = Id<struct CostTag>;  // none = the kernel takes no time
using TimerId = Id<struct TimerTag>;

// What one execution does, as counted from its inputs' shapes (workers/roofline).
struct Work {
  std::uint64_t flops = 0, bytes = 0;
  friend bool operator==(const Work&, const Work&) = default;
};
enum class Doing : std::uint8_t {
  unknown,  // there is no formula for the op
  nothing,  // it hands on, looks at shapes, keeps a handle
  counted,
};

// What the cost of a kernel may depend on; given once, when the kernel is created.
struct KernelSite {
  TaskId task;
  std::string_view device;  // full name
  std::string_view node, op;
  Doing doing = Doing::unknown;
};

// Where a kernel's time comes from, the first that there is.
enum class CostSource : std::uint8_t { scenario, measured, roofline, otherwise };
inline constexpr std::size_t kCostSources = 4;

struct KernelCost {
  CostId id;  // none = it takes no time
  CostSource source = CostSource::otherwise;
  bool by_work = false;     // run_kernel is to be told the work
  bool on_arrival = false;  // a Recv that pays for what it received, after it came
};

class Env {
 public:
  virtual ~Env() = default;

  [[nodiscard]] virtual Nanos now() const = 0;

  // What says how long kernels at this site take. Stable for the run.
  virtual KernelCost cost_of(const KernelSite& site) = 0;
  // Occupies the site's device (a CPU's inter-op thread, a GPU's stream; first come, first served) for the cost, then
  // continues. REQUIRES: cost.valid(). Notes KernelRan.
  virtual void run_kernel(CostId cost, const Work& work, StepId step, Continuation done) = 0;

  // The memory of a device of a task's present process; null where memory is not counted.
  virtual DeviceMemoryRef memory_of(TaskId task, std::string_view device) { return (void)task, (void)device, nullptr; }

  // Delivers after the network's latency and transfer time; in order between two tasks when sizes are equal. Notes
  // MessageDelivered. `done` gets OK on delivery, or UNAVAILABLE when the link or a task broke.
  virtual void send(TaskId from, TaskId to, NameId kind, std::uint64_t bytes, StatusCallback&& done) = 0;

  // Runs `done` after `delay` >= 0 (0: after all that is due now and was asked for before).
  virtual TimerId after(Nanos delay, Callback&& done) = 0;
  // The same for the process of a task: it never runs once that process is gone.
  virtual TimerId after(TaskId process, Nanos delay, Callback&& done) {
    return (void)process, after(delay, std::move(done));
  }
  virtual void cancel(TimerId timer) = 0;  // a timer that has run is ignored

  virtual Random& random() = 0;
  virtual NameId name(std::string_view text) = 0;  // interns into the run's name table
  [[nodiscard]] virtual std::string_view text(NameId name) const = 0;
  virtual void note(const Event& event) = 0;
};

}  // namespace tarry
