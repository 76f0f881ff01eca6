// The world as worker code sees it: the interface to time, costs, network, timers and randomness.
//
// Worker code does not know which world it runs in: the simulator (sim/world.hpp), a direct session, or a test. It asks
// for the time, for a kernel's cost to pass on a device, for bytes to be sent to a task, for a timer, for random
// numbers; and it notes events. Calls return at once; their continuation runs later, from the world's loop, never from
// inside the call. One thread runs the whole cluster. Faults act through this interface only.
#pragma once

#include <cstdint>
#include <string_view>

#include "placer/core/random.hpp"
#include "workers/callbacks.hpp"
#include "workers/device_memory.hpp"
#include "workers/events.hpp"
#include "workers/kernel_cost.hpp"

namespace tarry {

using TimerId = Id<struct TimerTag>;

// How a message stands to the connection that it travels on.
enum class Manner : std::uint8_t {
  usual,
  waits,     // of a call that waits for a connection: it outlives one that breaks
  in_order,  // it overtakes nothing that was sent before it: the end of a call or of a connection
};

// What a message is; where there is one, the rendezvous key of its tensor and the step that it belongs to; and how it
// travels.
struct MessageLabel {
  NameId kind, key;
  StepId step;
  Manner manner = Manner::usual;
};

class Env {
 public:
  virtual ~Env() = default;

  [[nodiscard]] virtual Nanos now() const = 0;

  // Gives an id for how long kernels at this site take. It stays valid for the whole run.
  virtual KernelCost cost_of(const KernelSite& site) = 0;
  // Occupies the site's device (a CPU's inter-op thread, a GPU's stream; first come, first served) for the cost, then
  // continues. REQUIRES: cost.valid(). Notes KernelRan.
  virtual void run_kernel(CostId cost, const Work& work, StepId step, Continuation done) = 0;

  // The memory of a device of a task's present process; null where memory is not counted.
  virtual DeviceMemoryRef memory_of(TaskId task, std::string_view device) { return (void)task, (void)device, nullptr; }

  // Whether a task's present process can use the GPU; null for other devices. Outlives the run.
  virtual const DeviceHealth* health_of(TaskId task, std::string_view device) {
    return (void)task, (void)device, nullptr;
  }

  // Delivers after the network's latency and transfer time; in order between two tasks when sizes are equal, unless
  // the network lets messages overtake each other. Notes MessageDelivered. `done` gets OK on delivery, or UNAVAILABLE
  // when the link or a task broke.
  virtual void send(TaskId from, TaskId to, const MessageLabel& label, std::uint64_t bytes, StatusCallback&& done) = 0;

  // Runs `done` after `delay` >= 0 (0 = after everything that is already due now).
  virtual TimerId after(Nanos delay, Callback&& done) = 0;
  // The same for the process of a task: it never runs once that process is gone.
  virtual TimerId after(TaskId process, Nanos delay, Callback&& done) {
    return (void)process, after(delay, std::move(done));
  }
  // The task's storage is busy for `time`; then `done` runs, unless that process is gone.
  virtual void store(TaskId process, Nanos time, Callback&& done) { after(process, time, std::move(done)); }
  // Runs `go` in the process of a task: from inside this call, unless the process stands still; then when it goes on.
  virtual void in_process(TaskId process, Callback&& go) { (void)process, std::move(go)(); }
  virtual void cancel(TimerId timer) = 0;  // a timer that has run is ignored

  virtual Random& random() = 0;
  virtual NameId name(std::string_view text) = 0;  // interns into the run's name table
  [[nodiscard]] virtual std::string_view text(NameId name) const = 0;
  virtual void note(const Event& event) = 0;
};

}  // namespace tarry
