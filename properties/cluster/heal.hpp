// Healing: after faults have fallen, a core of the job that its protocol can live with gets back all that it needs, and
// everything outside the core stays as it is; then the core must make steps again.
//
// The core is every task without a client, the chief, and as many workers as the protocol needs: those that an
// aggregate needs under SyncReplicasOptimizer, the chief alone where workers do not need each other, else all; also all
// where they start together and have not started. Healing consists of faults of the language, so that a healed run is
// told by its faults alone: processes that are gone, and clients that failed or were made to leave, are restarted; a
// condition that still holds is set again for no time at all, which replaces the one before
// (scenarios/job/faults/context.hpp).
//
// Every worker of the core must then finish three steps, or leave training as it was told to, within a bound: twice
// what a client needs to give a session up and to get another (docs/rules/runtime.md#F.6.8, #E.6: 120 s where a sync
// thread may be waited for, and a wait of 30 s), three of the job's slowest steps without faults, twice, and what
// faults may have left behind (a kernel that began while it was slow). Where a worker does not, results/by_design.hpp
// tells a hazard of the job from a defect of the runtime.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "properties/cluster/schedule.hpp"
#include "results/must.hpp"

namespace tarry {

inline constexpr std::int64_t kStepsAfterHealing = 3;
inline constexpr char kDefect[] = "defect of the runtime";
inline constexpr char kHazard[] = "heals";  // then the section of the rule by which the job does not

// What a kind of fault leaves, and whether a job gets over it by itself.
enum class Remains : std::uint8_t {
  nothing,    // it is over as soon as it happened, or is spent by the next save
  condition,  // holds until it ends by itself, or is set again for no time
  ends,       // always ends by itself
  process     // a process is gone or useless: it is restarted
};
struct FaultHealth {
  std::string_view key;  // of the fault
  Remains remains = Remains::nothing;
  // The protocol recovers from it by itself, once it is over; "" = it does. Else the rule by which it does not.
  std::string_view why_not = "";
};
[[nodiscard]] std::span<const FaultHealth> fault_health();  // a row for each kind

// The faults from which the protocol is meant to recover by itself, each of them with an end: processes that come back,
// conditions that are over after a quarter of the run at the latest. Others are left out.
[[nodiscard]] Schedule recoverable(const Schedule& schedule, const Course& course, const Job& job);

struct Healed {
  std::vector<Fault> faults;   // that had happened, then those that heal
  std::size_t healing = 0;     // the last so many heal
  Nanos at = 0, until = 0;     // the moment of healing, and the end of the run, since the start; where the faults kept
                               // training from starting, the healing is so long after the last of them
  std::vector<Breach> broken;  // nothing: the core goes on
};
struct HealedRun {
  Healed healed;
  EventLog log;
  Marks marks;  // that it came by
};

class Healing {
 public:
  using IsTimeUp = std::function<bool()>;
  using Run =
      std::function<StatusOr<Outcome>(std::vector<Fault> faults, const StopRule& stop, const IsTimeUp& is_time_up)>;

  // `job`: without faults. `usual`: its run. `run`: runs the job, audited, with these faults and this end; it fails
  // when its time is up.
  Healing(const Job& job, const Outcome& usual, Run run);

  // Runs the job under the schedule up to the moment of healing, then from the start with the healing. Fails: as `run`.
  [[nodiscard]] StatusOr<HealedRun> heal(const Schedule& schedule, const IsTimeUp& is_time_up = {}) const;
  // How long after the healing under these faults a step may take to come.
  [[nodiscard]] Nanos bound(const std::vector<Fault>& faults) const;

 private:
  struct Core;

  [[nodiscard]] std::vector<TaskId> core_workers(const EventLog& log) const;
  [[nodiscard]] Core core(const EventLog& log) const;
  [[nodiscard]] std::variant<Nanos, Trigger> when(const std::vector<Fault>& faults, const std::vector<Nanos>& happened,
                                                  const EventLog& log, Nanos at) const;
  [[nodiscard]] std::vector<Fault> heals(const Core& core, const std::vector<Fault>& faults,
                                         const std::vector<Nanos>& happened, const EventLog& log, Nanos at) const;
  [[nodiscard]] Nanos moment(const Schedule& schedule) const;
  [[nodiscard]] bool has_client(TaskId task) const;
  [[nodiscard]] static std::vector<Breach> judged(const Core& core, const Outcome& o, Nanos healed_at);

  const Job& job_;
  Run run_;
  std::size_t workers_needed_ = 0;
  Nanos length_ = 0;    // of the run without faults
  Nanos step_ = 0;      // its slowest
  Nanos start_up_ = 0;  // until the first step of the last worker
  Nanos give_up_ = 0;   // to close a session, and to wait before the next
};

}  // namespace tarry
