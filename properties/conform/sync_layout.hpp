// Puts the variables of a worker's graph where a recorded job has its variables. Private to properties/conform.
//
// tarry's graphs have other variables than the recorded job. Variable i gets the server of recorded variable i, in
// order of creation; further variables get the last one's server. With fewer variables than recorded, they are spread
// so that each recorded server still has one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] std::set<int> servers_of(const std::vector<RecordedVariable>& vars);

// The name (in scenarios/graphs) of the one-worker graph from which a job with these variables is built.
[[nodiscard]] std::string one_workers_graph(const std::vector<RecordedVariable>& vars, bool is_resource);

// Takes out the program's SyncReplicasOptimizer, if it has one, and puts its variables on the recorded servers; the
// global step is on server 0. Fails: INVALID_ARGUMENT when there are more recorded servers than variables.
[[nodiscard]] Status lay_out(ClientProgram& program, const std::vector<RecordedVariable>& vars);

// Which recorded variable each of tarry's variables stands for: per server in order, the first for the first recorded
// there; further ones stand for the last one.
[[nodiscard]] std::map<std::string, std::size_t> stand_ins(const ClientProgram& program,
                                                           const std::vector<RecordedVariable>& vars);

}  // namespace tarry
