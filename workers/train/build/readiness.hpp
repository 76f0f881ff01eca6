// report_uninitialized_variables: the op of a training graph that names the variables that have no value yet.
//
// A scaffold has two of them (global and local variables; global ones), SyncReplicasOptimizer a third. All have the
// same nodes under a scope of their own; only the variables differ.
#pragma once

#include <string>
#include <vector>

#include "workers/train/build/groups.hpp"

namespace tarry {

// The scope of the report whose names a ready tensor fetches, by itself or before those of resources; "" when it is
// something else.
[[nodiscard]] std::string report_scope(const GraphEditor& graph, const std::string& tensor);

// The op of a scaffold's local_init_op that initialises local variables: the first that was made. "" = there is none.
[[nodiscard]] std::string local_variables_init(const GraphEditor& graph, const Group& local_init);

[[nodiscard]] inline std::string reported_names(const std::string& scope) { return scope + "/boolean_mask/GatherV2"; }
[[nodiscard]] std::vector<std::string> reported_variables(const GraphEditor& graph, const std::string& scope);
// REQUIRES: all are variables of the graph.
void set_reported_variables(GraphEditor& graph, const std::string& scope, const std::vector<std::string>& variables);

// A copy of a report, with no variables yet, made within a device scope. REQUIRES: `to` is no scope yet.
void copy_report(GraphEditor& graph, const std::string& from, const std::string& to, const std::string& device);
void erase_report(GraphEditor& graph, const std::string& scope);

// Reports are numbered in the order in which they were made. These make number 0 free, and move all one down when it
// is.
inline constexpr char kReport[] = "report_uninitialized_variables";
void number_reports_up(GraphEditor& graph);
void number_reports_down(GraphEditor& graph);

}  // namespace tarry
