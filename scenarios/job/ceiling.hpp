// What a cause of the network can gain at the most: the time for which messages are under way.
//
// Where something comes by the clock (interference, faults, checkpoints every so many seconds), a run with hardly less
// to send meets it at other moments, and may take much less time by luck. But if nothing else changes, no path through
// the run gets shorter by more than the transfers on it took, and those that are on one path come one after the other.
// So all transfers, where what overlaps counts once, are a ceiling of what bandwidth gains; with latency, that of what
// latency does; and with the kernels of parameter servers, that of what another spread of variables does. Checkpoints
// that are saved by time become fewer in a shorter run, so that the time besides them is what counts. Where an
// aggregate needs fewer gradients than there are workers there is no ceiling: a gradient that comes a little earlier
// may count in place of being dropped.
#pragma once

#include <optional>
#include <string_view>

#include "scenarios/job/prove.hpp"

namespace tarry {

inline constexpr std::string_view kNoMoreThanMessages = ", no more counted than messages take";  // what it then says

class Ceiling {
 public:
  // REQUIRES: all arguments outlive it.
  Ceiling(const Job& job, const Outcome& outcome, const WorkDone& base) : job_(job), outcome_(outcome), base_(base) {}
  // Lessens the gain of a proof that gains more by a hundredth or more; whether it did.
  [[nodiscard]] bool lessen(Proof& proof);

 private:
  enum class Of : std::uint8_t { transfers, messages, messages_and_servers };
  [[nodiscard]] static std::optional<Of> what_limits(const Proof& proof);
  [[nodiscard]] double most(Of what);
  [[nodiscard]] bool may_drop() const;
  [[nodiscard]] Nanos under_way(bool with_latency) const;
  [[nodiscard]] Nanos time_of_servers() const;
  [[nodiscard]] Nanos time_of_saves() const;

  const Job& job_;
  const Outcome& outcome_;
  const WorkDone& base_;
  std::optional<double> most_[3];  // nullopt = not asked for yet
};

}  // namespace tarry
