// What the charts of a report page show, as JSON: read from a log.
//
// Times are nanoseconds since the start, as whole numbers. What is too much for a page is summed or sampled, and the
// JSON says how much one entry stands for.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "results/contributions.hpp"
#include "results/critical_path.hpp"
#include "results/task_names.hpp"

namespace tarry {

// A heat map has at most so many cells, and a curve so many points.
inline constexpr std::size_t kMostCells = 40'000, kMostPoints = 2'000;

// {each: steps that one cell stands for, rows: [{worker, ns: [mean time of a step, ...]}]}: the time of every training
// step since the one before; of the first one, since it began.
[[nodiscard]] nlohmann::ordered_json step_times_chart(const Contributions& c, const TaskNames& tasks);

// [{variables: [names], needs, each, at: [ns], rows: [{worker, gradients: [of each cell], dropped}]}]: who filled which
// aggregate. Accumulators whose aggregates took the same gradients are one entry.
[[nodiscard]] nlohmann::ordered_json aggregates_chart(const Contributions& c, const TaskNames& tasks);

// [{name, meaning, each, points: [[ns, value], ...]}]: tokens that wait, gradients that wait in the first accumulator,
// training steps under way, processes that live. A curve that stays at 0 is left out. Of a curve with too many points,
// the least and the greatest value of each stretch of time are kept, and `each` says how long a stretch is.
[[nodiscard]] nlohmann::ordered_json curves_chart(const EventLog& log, const Contributions& c);

// {meaning, rows: [[staleness, accepted, dropped], ...]}: of gradients that reached an accumulator, how many aggregates
// it had taken since their values were read; of asynchronous steps but each worker's first, how many updates of others
// came before their own.
[[nodiscard]] nlohmann::ordered_json staleness_chart(const EventLog& log, const Contributions& c);

// {tasks: [names], rows: [[from, to, messages, bytes], ...]}: what each task sent to each other one.
[[nodiscard]] nlohmann::ordered_json traffic_chart(const EventLog& log, const TaskNames& tasks);

// {from_ns, to_ns, kinds: [{name, meaning}], sums: [{kind, who, ns}], cut_at: what ends a piece, each: how many of them
// a piece has, pieces: [{to_ns, ns: [of each kind], most: "computing: MatMul on worker 1"}], shorter_joined_ns, parts:
// [[ns, ns, kind, who], ...], names: [of `who`]}: the critical path of the run. The pieces add up to all of it.
// A part that is shorter than `shorter_joined_ns` is joined with the one before it.
[[nodiscard]] nlohmann::ordered_json path_chart(const CriticalPath& path, const EventLog& log, const Contributions& c,
                                                const TaskNames& tasks);

// [{ns, what, kind}]: faults, and processes that end and begin.
[[nodiscard]] nlohmann::ordered_json marks_chart(const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
