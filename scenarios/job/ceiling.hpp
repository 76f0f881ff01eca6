// What a cause can gain at the most: of the network the time for which messages are under way, of a parameter server's
// kernels the time that they take.
//
// Where something comes by the clock (interference, faults, checkpoints every so many seconds), a run with hardly less
// to send meets it at other moments, and may take much less time by luck. But if nothing else changes, no path through
// the run gets shorter by more than the transfers on it took, and those that are on one path come one after the other.
// So all transfers, where what overlaps counts once, are a ceiling of what bandwidth gains; with latency, that of what
// latency does; and with the kernels of parameter servers, that of what another spread of variables does. Those
// kernels alone are what kernels that take no time gain. Checkpoints
// that are saved by time become fewer in a shorter run, so that the time besides them is what counts. Where an
// aggregate needs fewer gradients than there are workers there is no ceiling: a gradient that comes a little earlier
// may count in place of being dropped.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "scenarios/job/prove.hpp"

namespace tarry {

// What it then says, of the network and of kernels.
inline constexpr std::string_view kNoMoreThanMessages = ", no more counted than messages take";
inline constexpr std::string_view kNoMoreThanKernels = ", counted as no more than the time that they take now";

class Ceiling {
 public:
  // REQUIRES: all arguments outlive it.
  Ceiling(const Job& job, const Outcome& outcome, const WorkDone& base) : job_(job), outcome_(outcome), base_(base) {}
  // Lessens the gain of a proof that gains more by a hundredth or more; whether it did.
  [[nodiscard]] bool lessen(Proof& proof);

 private:
  enum class Of : std::uint8_t { transfers, messages, messages_and_servers, servers };
  [[nodiscard]] static std::optional<Of> what_limits(const Proof& proof);
  // `server`: whose kernels count; invalid = those of all.
  [[nodiscard]] double most(Of what, TaskId server) const;
  [[nodiscard]] bool may_drop() const;
  [[nodiscard]] Nanos under_way(bool with_latency) const;
  [[nodiscard]] Nanos time_of_servers(TaskId server) const;
  [[nodiscard]] Nanos time_of_saves() const;

  const Job& job_;
  const Outcome& outcome_;
  const WorkDone& base_;
  std::map<std::pair<Of, TaskId>, double> most_;  // of what was asked for
};

}  // namespace tarry
