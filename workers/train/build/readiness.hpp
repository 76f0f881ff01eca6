// report_uninitialized_variables: the part of a training graph that lists the variables without a value.
//
// A scaffold has two of them (one for global and local variables, one for global ones), SyncReplicasOptimizer adds a
// third. All have the same nodes under a scope of their own; only the variables differ.
#pragma once

#include <string>
#include <vector>

#include "workers/train/build/groups.hpp"

namespace tarry {

// The scope of the report that the ready tensor `tensor` gives, alone or concatenated with that of resources; "" when
// it is something else.
[[nodiscard]] std::string report_scope(const GraphEditor& graph, const std::string& tensor);

// The op in a scaffold's local_init_op that initialises local variables: the one made first. "" = there is none.
[[nodiscard]] std::string local_variables_init(const GraphEditor& graph, const Group& local_init);

[[nodiscard]] inline std::string reported_names(const std::string& scope) { return scope + "/boolean_mask/GatherV2"; }
[[nodiscard]] std::vector<std::string> reported_variables(const GraphEditor& graph, const std::string& scope);
// Makes the report cover these variables. REQUIRES: all are variables of the graph.
void set_reported_variables(GraphEditor& graph, const std::string& scope, const std::vector<std::string>& variables);

// Copies a report, without its variables, within a device scope. REQUIRES: no scope is called `to`.
void copy_report(GraphEditor& graph, const std::string& from, const std::string& to, const std::string& device);
void erase_report(GraphEditor& graph, const std::string& scope);

// Reports are numbered in the order in which they were made. number_reports_up makes number 0 free; number_reports_down
// closes that gap again.
inline constexpr char kReport[] = "report_uninitialized_variables";
void number_reports_up(GraphEditor& graph);
void number_reports_down(GraphEditor& graph);

}  // namespace tarry
