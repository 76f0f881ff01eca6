// The report of a run: tables for a terminal, or one JSON object for programs.
//
// Both are pure functions of the log and of how it is to be shown, deterministic and diffable: no time of day; width
// and colour are the caller's.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/must.hpp"

namespace tarry {

struct DeviceRow {
  std::string device;
  Nanos busy = 0;  // as `kernels`: since the start of training
  std::uint64_t kernels = 0;
  int lanes = 0;                                   // 0 = unlimited; then no utilisation is shown
  std::uint64_t peak_bytes = 0, memory_bytes = 0;  // 0 = not counted
};
struct LinkRow {
  std::string from, to;  // hosts
  std::uint64_t bytes = 0, messages = 0;
  std::optional<std::uint32_t> from_nic = {}, to_nic = {};  // the network card, where the host has several
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
  std::string flow_engine;  // what computed how transfers shared bandwidth; "" where no bandwidth has a limit
  std::uint64_t events = 0, seed = 0;
  std::int64_t batch = 0;  // examples in a step of one worker; 0 = nobody said
  Nanos time = 0;          // simulated, since the start
};

// How much of a report a text shows, and how.
struct Shown {
  bool every_aggregate = false;  // else, of many different ones, the patterns and how often each occurs
  bool everything = false;       // every aggregate, every row and every column of the tables, names in full
  std::size_t width = 100;       // letters in a line, at the least 60; prose has at the most 110
  bool colour = false;           // by escape sequences of a terminal
};
// The verdicts first, what to do in a line of its own; then what they are about. Of a table with more than eleven rows
// the ten busiest stand there (of workers: the ten that differ most from the median), and what the others sum up to. A
// column in which no row has anything is left out.
[[nodiscard]] std::string to_text(const Report& report, const Shown& shown = {});
[[nodiscard]] std::string to_text(const Verdict& verdict, const Shown& shown = {});
// The text of a verdict or of what is broken, in lines that fit: why it happened, what shows it, and what to do begin
// lines of their own.
[[nodiscard]] std::string to_prose(std::string_view text, const Shown& shown = {}, std::string_view indent = "");

// At least: hash, flow_engine where a bandwidth has a limit, costs {scenario, measured, roofline, default,
// default_ops}, verdicts [{kind, text}], broken
// [{property, text}] where it is asked for, aggregates
// [{step, by_worker}] of the first accumulator, workers [{steps, accepted, dropped}], time_s, events.
[[nodiscard]] nlohmann::ordered_json to_json(const Report& report);
// [{cause, instead, gain, goes_on}].
[[nodiscard]] nlohmann::ordered_json proofs_to_json(std::span<const Proof> proofs);

}  // namespace tarry
