// An executor's plan as those hold it who only keep it (exec_graph.hpp has what is in it).
#pragma once

#include <memory>

namespace tarry {

struct ExecPlan;
using ExecPlanRef = std::shared_ptr<const ExecPlan>;

}  // namespace tarry
