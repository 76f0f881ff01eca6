// Faults of a run, as values: when, and what. This is the only list of the kinds.
//
// A kind is one file in faults/ and one row here.
#pragma once

#include <type_traits>
#include <variant>

#include "scenarios/job/faults/delay.hpp"
#include "scenarios/job/faults/disconnect.hpp"
#include "scenarios/job/faults/fail_save.hpp"
#include "scenarios/job/faults/heavy_tail.hpp"
#include "scenarios/job/faults/jam.hpp"
#include "scenarios/job/faults/kill.hpp"
#include "scenarios/job/faults/leave.hpp"
#include "scenarios/job/faults/lose_checkpoints.hpp"
#include "scenarios/job/faults/lose_gpu.hpp"
#include "scenarios/job/faults/lose_host.hpp"
#include "scenarios/job/faults/lose_rack.hpp"
#include "scenarios/job/faults/narrow.hpp"
#include "scenarios/job/faults/order.hpp"
#include "scenarios/job/faults/part.hpp"
#include "scenarios/job/faults/part_breaking.hpp"
#include "scenarios/job/faults/part_one_way.hpp"
#include "scenarios/job/faults/pause.hpp"
#include "scenarios/job/faults/preempt.hpp"
#include "scenarios/job/faults/reorder.hpp"
#include "scenarios/job/faults/resend.hpp"
#include "scenarios/job/faults/restart.hpp"
#include "scenarios/job/faults/slow.hpp"
#include "scenarios/job/faults/slow_host.hpp"
#include "scenarios/job/faults/slow_save.hpp"
#include "scenarios/job/faults/swizzle.hpp"
#include "scenarios/job/faults/take_memory.hpp"
#include "scenarios/job/faults/tear_save.hpp"
#include "scenarios/job/faults/throttle.hpp"
#include "scenarios/job/trigger.hpp"

namespace tarry {

using FaultKinds = std::variant<  //
    Kill,                         //
    Restart,                      //
    Preempt,                      //
    Pause,                        //
    Leave,                        //
    LoseHost,                     //
    LoseRack,                     //
    Slow,                         //
    SlowHost,                     //
    Throttle,                     //
    LoseGpu,                      //
    TakeMemory,                   //
    HeavyTail,                    //
    Disconnect,                   //
    Resend,                       //
    Delay,                        //
    Narrow,                       //
    Part,                         //
    PartOneWay,                   //
    PartBreaking,                 //
    Jam,                          //
    Swizzle,                      //
    Reorder,                      //
    Order,                        //
    FailSave,                     //
    SlowSave,                     //
    TearSave,                     //
    LoseCheckpoints>;

// Calls what.operator()<Kind>() for each kind, in the list's order.
template <class Do>
void for_each_kind(Do what) {
  [&]<FaultKind... K>(std::type_identity<std::variant<K...>>) { (what.template operator()<K>(), ...); }
  (std::type_identity<FaultKinds>());
}

struct Fault {
  std::variant<Nanos, Trigger> when;  // a time counts from the start of training (from 0 with `start: natural`)
  FaultKinds what;
  friend bool operator==(const Fault&, const Fault&) = default;
};
// That of its kind, "slow_host".
[[nodiscard]] inline std::string_view key_of(const Fault& f) {
  return std::visit([]<class K>(const K&) { return K::kKey; }, f.what);
}
// Whether it is about how long kernels of a task, which is on that host, take.
[[nodiscard]] inline bool lengthens_kernels(const Fault& f, TaskId task, HostId of_task) {
  const auto is_of_task = [&]<class... K>(std::type_identity<std::variant<K...>>) {
    return ((std::holds_alternative<K>(f.what) && std::get<K>(f.what).task == task) || ...);
  };
  const auto* slow = std::get_if<SlowHost>(&f.what);
  return slow != nullptr ? slow->host == of_task
                         : is_of_task(std::type_identity<std::variant<Slow, Throttle, HeavyTail, Pause>>());
}

}  // namespace tarry
