// The report of a run: tables for a terminal, or one JSON object for programs.
//
// Both are pure functions of the log, deterministic and diffable: no time of day, no terminal width, no colour.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/must.hpp"

namespace tarry {

struct DeviceRow {
  std::string device;
  Nanos busy = 0;
  std::uint64_t kernels = 0;
  int lanes = 0;                                   // 0 = unlimited; then no utilisation is shown
  std::uint64_t peak_bytes = 0, memory_bytes = 0;  // 0 = not counted
};
struct LinkRow {
  std::string from, to;  // hosts
  std::uint64_t bytes = 0, messages = 0;
};

struct Report {
  std::string title;
  std::vector<Verdict> verdicts;
  std::vector<Proof> proofs;
  std::optional<std::vector<Breach>> breaches;  // of what the scenario says under `must`, where it says something
  Contributions contributions;
  TaskNames tasks;
  std::vector<DeviceRow> devices;  // devices that ran kernels or held memory
  std::vector<LinkRow> links;      // between different hosts
  std::vector<std::string> notes;  // "37 ops had no cost"
  std::array<std::uint64_t, 4>
      costs{};  // op executions by the source of their time: scenario, measured, roofline, default
  std::map<std::string, std::uint64_t> unpriced;  // ops that took the default cost -> number of their nodes
  std::vector<std::string> waits;  // the first log lines, process ends and starts, and conditions, each with its time
  std::string hash;
  std::uint64_t events = 0, seed = 0;
  std::int64_t batch = 0;  // examples in a step of one worker; 0 = nobody said
  Nanos time = 0;          // simulated, since the start
};

enum class Detail : std::uint8_t {
  few,  // of many different aggregates, the patterns and how often each occurs
  all   // every aggregate
};
// The verdicts first, then what they are about.
[[nodiscard]] std::string to_text(const Report& report, Detail detail = Detail::few);
// At least: hash, costs {scenario, measured, roofline, default, default_ops}, verdicts [{kind, text}], broken
// [{property, text}] where it is asked for, aggregates
// [{step, by_worker}] of the first accumulator, workers [{steps, accepted, dropped}], time_s, events.
[[nodiscard]] nlohmann::ordered_json to_json(const Report& report);

}  // namespace tarry
