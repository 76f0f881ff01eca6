// What holds a job up though nothing is broken: a parameter server that carries too much, the network, a worker that
// the others wait for.
//
// Pure functions of a log, like all judges. None speaks of a job whose messages only take the latency of their path:
// latency is no load.
#pragma once

#include <string>
#include <vector>

#include "results/step_times.hpp"
#include "results/verdict.hpp"

namespace tarry {

// ps_imbalance: one of several parameter servers sends at least half as much again as they do on average, and is
// sending at least a third of the time. network_bound: the workers' steps are spent, for at least a half, with a
// transfer under way. straggler: each aggregate needs a gradient of every worker, and one of them takes at least twice
// as long for its own as the others.
[[nodiscard]] std::vector<Verdict> judge_loads(const EventLog& log, const Contributions& c, const TaskNames& tasks);

// "Workers' steps: 62 % computing, 30 % transfers, 8 % latency: compute-bound." "" without steps.
[[nodiscard]] std::string where_time_went(const Loads& loads);

}  // namespace tarry
