// Where the variables of a recorded job are, and a worker's graph with its own variables there. Private to
// properties/conform.
//
// Our graphs have other variables than the recorder's. They take the recorded ones' servers in order of creation: those
// that are left over the last one's; where ours are fewer, each of the recorded servers is still one of theirs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "properties/conform/sync_config.hpp"

namespace tarry {

[[nodiscard]] std::set<int> servers_of(const std::vector<RecordedVariable>& vars);

// The graph of one worker that a job with these variables is built from; a name in scenarios/graphs.
[[nodiscard]] std::string one_workers_graph(const std::vector<RecordedVariable>& vars, bool is_resource);

// Takes out the program's SyncReplicasOptimizer, if it has one, and puts its variables on the recorded servers; the
// global step is on server 0. Fails: INVALID_ARGUMENT when there are more recorded servers than variables.
[[nodiscard]] Status lay_out(ClientProgram& program, const std::vector<RecordedVariable>& vars);

// Which recorded variable each of ours stands for: the first on its server is the first that was recorded there, and
// those for which nothing is left are like the last one.
[[nodiscard]] std::map<std::string, std::size_t> stand_ins(const ClientProgram& program,
                                                           const std::vector<RecordedVariable>& vars);

}  // namespace tarry
