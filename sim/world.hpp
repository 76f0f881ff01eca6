// The simulated cluster: an Env (workers/env.hpp) made of one event heap, devices, costs and the network.
//
// One world runs one scenario from time 0. Everything runs in `run`, on one thread, in an order that depends on the
// cluster, the rules and the seed alone. Events go to `sink` as they happen, in order.
//
//   NameTable names;
//   World world(cluster, rules, seed, names, [&](Nanos at, const Event& event) { log.add(at, event); });
//   start_workers(world);
//   world.run([&] { return aggregates == 30; });
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "placer/graph/graph.hpp"
#include "sim/cluster.hpp"
#include "sim/costs.hpp"
#include "sim/devices.hpp"
#include "sim/gpus.hpp"
#include "sim/heap.hpp"
#include "sim/interference.hpp"
#include "sim/paces.hpp"
#include "sim/transport.hpp"
#include "sim/transport_threads.hpp"
#include "sim/turns.hpp"
#include "sim/variation.hpp"
#include "workers/env.hpp"

namespace tarry {

using EventSink = std::function<void(Nanos, const Event&)>;

enum class Ended : std::uint8_t {
  stopped,  // `stop` gave true
  idle,     // nothing is left to happen
  time_up,  // the next event would be later than `until`; the clock now shows `until`,
  endless,  // more than events_in_an_instant() happened without time passing: nothing in it takes time
};

// What the kernels of a node took, without the time that they waited, stood still or shared with others.
struct NodeUse {
  TaskId task;
  NameId node;
  Nanos time = 0;
  std::uint64_t executions = 0;
  Nanos time_before = 0;  // of `time`: kernels that ended before training began
};

struct WorldStats {
  Nanos now = 0;
  std::uint64_t events = 0;  // events that the heap executed; not the events of the log
  std::vector<DeviceUse> devices;
  std::vector<Traffic> traffic;
  std::map<std::string, std::uint64_t> unpriced;  // op -> number of its sites without a cost
  std::array<std::uint64_t, kCostSources>
      executions{};  // executions of live nodes, by the source of their cost; filled in by the owner of the workers
  std::vector<NodeUse> nodes;  // of those whose kernels ended; one for each session and device that ran it
};

class World final : public Env {
 public:
  // REQUIRES: `names` outlives the world.
  World(ClusterSpec cluster, CostRules costs, std::uint64_t seed, NameTable& names, EventSink sink);

  // Runs until `stop()` is true (asked before every event), nothing is left to do, or the time is up. May be called
  // again.
  Ended run(const std::function<bool()>& stop, Nanos until = std::numeric_limits<Nanos>::max());
  // What no instant of a job of this size comes near, unless it goes round in a circle.
  [[nodiscard]] std::uint64_t events_in_an_instant() const;
  // Some kernel has not ended, or some transfer shares a link.
  [[nodiscard]] bool is_busy() const;
  // Notes the kernels that have not ended: those of a task whose process is about to end, or of all tasks (an invalid
  // id).
  void note_cut_off_kernels(TaskId only);
  // The run is over: notes the kernels that have not ended, and the messages that have not arrived.
  void note_cut_off();
  [[nodiscard]] WorldStats stats() const;

  // Ends the task's process: its kernels and timers never call back, and its devices and threads are free for the next
  // process. Messages in flight are still delivered; those that its threads have not sent are gone.
  void end_process(TaskId task);
  // The task's process stands still: its kernels, its timers, and what it does with messages, which wait for it. It
  // goes on with all of that later, or ends. Both may be called twice.
  void stand_still(TaskId task);
  void go_on(TaskId task);
  [[nodiscard]] bool stands_still(TaskId task) const { return processes_[task.index()].park.is_closed; }

  // Keeps what each event waited for. REQUIRES: as EventHeap::keep_causes.
  void keep_causes(Causes& causes) { heap_.keep_causes(causes); }
  [[nodiscard]] std::uint32_t present() const { return heap_.present(); }  // as EventHeap::present

  [[nodiscard]] std::uint64_t asked() const { return heap_.asked(); }  // as EventHeap::asked

  // From now on, which of simultaneous events comes first is drawn.
  void draw_order(const DrawnOrder& order) { heap_.draw_order(order); }

  // What faults change, each of them about what begins from then on.
  [[nodiscard]] Paces& paces() { return paces_; }
  // What interferes (CostRules) does so from now on, the bandwidth of cards varies, and devices count what they do as
  // that of training.
  void begin_training() {
    devices_.begin_training();
    for (Site& site : sites_) site.took_before = site.took;
    interference_.begin(now());
    transport_.begin_variations();
  }
  [[nodiscard]] Transport& network() { return transport_; }
  [[nodiscard]] Gpus& gpus() { return gpus_; }
  [[nodiscard]] DeviceId device(std::string_view name) const { return devices_.find(name); }  // a full name
  // A stream of random numbers that depends on the seed and the name alone.
  [[nodiscard]] Random stream(std::string_view name) const { return random_.fork(name); }

  [[nodiscard]] const ClusterSpec& cluster() const { return cluster_; }
  bool timers_outlive_processes = false;  // PlantedClusterBug::timer_of_dead_process

  [[nodiscard]] Nanos now() const override { return heap_.now(); }
  KernelCost cost_of(const KernelSite& site) override;
  void run_kernel(CostId cost, const Work& work, StepId step, Continuation done) override;
  DeviceMemoryRef memory_of(TaskId task, std::string_view device) override { return gpus_.memory_of(task, device); }
  const DeviceHealth* health_of(TaskId task, std::string_view device) override { return gpus_.health_of(task, device); }
  void send(TaskId from, TaskId to, const MessageLabel& label, std::uint64_t bytes, StatusCallback&& done) override;
  TimerId after(Nanos delay, Callback&& done) override;
  TimerId after(TaskId process, Nanos delay, Callback&& done) override;
  void store(TaskId process, Nanos time, Callback&& done) override;
  void in_process(TaskId process, Callback&& go) override;
  void cancel(TimerId timer) override;
  Random& random() override { return random_; }
  NameId name(std::string_view text) override { return names_.intern(text); }
  [[nodiscard]] std::string_view text(NameId name) const override { return names_[name]; }
  void note(const Event& event) override;

 private:
  struct Site {
    TaskId task;
    DeviceId device;
    NameId device_name, node, op;
    bool launches_ahead = false;
    std::int64_t pace = kUsualPace;  // CostRules::node_paces
    TurnsId turns;
    Nanos took = 0, took_before = 0;
    std::uint64_t executions = 0;
  };
  struct Kernel {
    CostId cost;
    StepId step;
    Nanos duration = 0, asked = 0;
    Continuation done;
    std::uint32_t life = 0;  // Process::life when the kernel began
  };
  struct Message {
    MessageDelivered event;
    StatusCallback done;
    Manner manner = Manner::usual;
    std::uint32_t life = 0;  // Process::life of its sender when it was sent
  };

  // Lets flows run up to the heap's next event, so that flows that finish earlier become events first. False when
  // nothing is left before `until`.
  bool prepare_next(Nanos until);
  TimerId process_timer(WaitKind kind, TaskId process, Nanos delay, Callback&& done);
  Ended leave_at(Nanos until);
  void begin_kernel(const Turns::Asked& asked);
  void finish_kernel(std::uint64_t kernel);
  [[nodiscard]] bool is_live(const Kernel& k) const;
  [[nodiscard]] KernelCost copy_cost(const KernelSite& site, std::uint64_t bandwidth, const DeviceRates& rates);
  KernelCost add_site(const KernelSite& site, const KernelCost& cost, std::string_view device);
  // The way of a message, where threads send and receive it: each step is the continuation of the one before.
  void leave(std::uint64_t message);
  void arrive(std::uint64_t message);
  void deliver(std::uint64_t message);
  template <void (World::*Step)(std::uint64_t)>
  [[nodiscard]] Continuation then(std::uint64_t message) {
    return {[](void* self, std::uint64_t m) { (static_cast<World*>(self)->*Step)(m); }, this, message};
  }
  void at_end_of(const TransportThreads::Turn& turn, TaskId task, Continuation next);
  void forget(std::uint64_t message);
  void break_off(std::uint64_t message);

  struct Process {
    std::uint32_t life = 0;  // how many processes of the task have ended
    Park park = {};
  };
  [[nodiscard]] LifeGuard guard_of(TaskId task) {
    Process& p = processes_[task.index()];
    return {&p.life, p.life, &p.park};
  }

  const ClusterSpec cluster_;
  NameTable& names_;
  EventSink sink_;
  EventHeap heap_;
  CostTable costs_;
  Devices devices_;
  Transport transport_;
  TransportThreads threads_;
  Random random_;
  Paces paces_;
  Interferences interference_;
  Variations variations_;
  Gpus gpus_;
  Turns turns_;
  std::vector<Site> sites_;         // by CostId
  std::vector<Process> processes_;  // by task
  Pool<Kernel> kernels_;
  Pool<Message, std::deque<Message>> messages_;  // a deque, since a message keeps its address while it is delivered
  std::uint64_t instant_began_ = 0;              // in events of the heap
};

}  // namespace tarry
