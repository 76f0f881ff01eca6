// The event log of a run: what happened and when, and the hash that identifies the run.
//
// Every event is hashed when it is added, kept or not: its time, its kind and its fields as integers. Names are hashed
// once, at the end, in the order of their first use. The same scenario and seed give the same hash on every compiler
// and optimisation level. A log can be stored as bytes and read back; verdicts (verdict.hpp) use logs only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/core/hash.hpp"
#include "placer/core/status.hpp"
#include "workers/events.hpp"

namespace tarry {

struct LoggedEvent {
  Nanos at = 0;
  Event event;
};

class EventLog {
 public:
  // Kernel events are kept only if asked for, since there are many; a trace needs them.
  explicit EventLog(bool keep_kernels = false) : keep_kernels_(keep_kernels) {}

  void reserve(std::size_t events) { events_.reserve(events); }
  void add(Nanos at, const Event& event);
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }

  [[nodiscard]] const std::vector<LoggedEvent>& events() const { return events_; }
  [[nodiscard]] std::string_view name(NameId id) const {
    return id.valid() ? std::string_view(names_[id.index()]) : std::string_view();
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }  // events hashed, kept or not
  [[nodiscard]] Hash128 hash() const;

  // Whether every time and count is small enough for judges to add, subtract and quadruple: for times, 36 years.
  // And whether there are fewer than a million tasks.
  [[nodiscard]] bool is_plausible() const;

  [[nodiscard]] std::string to_bytes() const;
  // Fails: INVALID_ARGUMENT for bytes that to_bytes did not make.
  [[nodiscard]] static StatusOr<EventLog> from_bytes(std::string_view bytes);

  Nanos started_at = 0;  // t = 0 of the report: when the start gate opened; 0 without one
  Nanos ended_at = 0;
  bool is_deadlocked = false;  // nothing was left to happen while clients were still waiting
  // When training, cut off by the end of the run's time, would have made progress: its next aggregate complete, or its
  // next step done where nothing aggregates, since the start, with the cluster as it was at the end. Not hashed.
  static constexpr Nanos kUnknown = -1, kNever = -2;
  Nanos goes_on_at = kUnknown;
  // Without the faults that slow training down at the end it would stand still there as well. Not hashed.
  bool slows_in_vain = false;
  // Workers whose steps did not end at the end of the run and would not have without those faults either. Not hashed.
  std::vector<TaskId> slowed_in_vain;

 private:
  [[nodiscard]] bool has_names_of(const Event& event) const;

  bool keep_kernels_;
  std::uint64_t count_ = 0;
  Hasher hasher_;
  Hash128 stored_hash_;  // of a log that was read back
  bool is_stored_ = false;
  std::vector<LoggedEvent> events_;
  std::vector<std::string> names_;
};

// The same time, kind and fields, names compared as texts.
[[nodiscard]] bool is_same_event(const EventLog& a, const LoggedEvent& x, const EventLog& b, const LoggedEvent& y);

}  // namespace tarry
