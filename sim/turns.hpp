// What runs one kernel at a time: the reads of a reader (docs/rules/runtime.md#C.9.6.1), however many threads ask for
// them. First come, first served.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/heap.hpp"
#include "workers/env.hpp"

namespace tarry {

using TurnsId = Id<struct TurnsTag>;  // none = kernels that wait for no turn

class Turns {
 public:
  struct Asked {  // a kernel that is to run
    CostId cost;
    Work work;
    StepId step;
    Continuation done;
  };

  // Those of what has this name on the task; the same each time. None where the name is "".
  TurnsId find(TaskId task, std::string_view name);
  // True: the kernel may run now, and `end` is to be called when it has. Else it waits.
  bool begin(TurnsId id, const Asked& kernel);
  // The kernel that runs next, whose turn has begun; nullopt where none waits.
  std::optional<Asked> end(TurnsId id);
  // The task's process has ended: nothing of it runs, or waits.
  void clear(TaskId task);

 private:
  struct Line {
    TaskId task;
    std::string name;
    bool is_taken = false;
    std::deque<Asked> waiting;
  };
  std::vector<Line> lines_;
};

}  // namespace tarry
