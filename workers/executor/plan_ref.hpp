// A reference to an executor's plan (exec_graph.hpp), for code that only stores it.
#pragma once

#include <memory>

namespace tarry {

struct ExecPlan;
using ExecPlanRef = std::shared_ptr<const ExecPlan>;

}  // namespace tarry
