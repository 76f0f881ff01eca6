// What a cause gains besides the races around clients that wait.
//
// A client that finds no model ready, or has lost its session, looks again after half a minute. Where one run comes
// just before such a look and the other one just after it, the difference is that wait, and no gain of a bandwidth or a
// kernel. So where clients waited like that, and not as long in the run without the cause, a load is looked at once
// more with clients that look again after a second, and the smaller gain counts, and says so.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "scenarios/job/prove.hpp"

namespace tarry {

inline constexpr std::string_view kWaitsLeftOut = ", waits of clients for a model left out";  // what it then says

// Where such waits are what a cause is about, its gain is not lessened.
[[nodiscard]] bool is_about_waits(Proof::Cause cause);

class Settled {
 public:
  // REQUIRES: all arguments outlive it.
  Settled(const Job& job, const Outcome& outcome, Beside& beside);
  // Lessens the gain of a proof, whose job is `with`; `ran`: how that ran, if it is known. Fails: as Beside::run.
  [[nodiscard]] Status lessen(Proof& proof, const Job& with, const std::optional<Outcome>& ran = std::nullopt);

 private:
  const Job& job_;
  Beside& beside_;
  const std::map<TaskId, Nanos> waits_;  // of clients, in the run with the cause
  std::optional<WorkDone> base_ = {};    // that of the job whose clients look again soon
};

}  // namespace tarry
