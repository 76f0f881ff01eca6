// Places that no run may reach (workers/marks.hpp).

#include "results/laws/follow.hpp"

namespace tarry {

std::string breach_of_marks(const AuditedRun& run) {
  for (std::size_t i = 0; i < std::size(kMarks); ++i)
    if (kMarks[i].is_never && run.audit.marks[i])
      return fmt::format("the run came by '{}': {}", kMarks[i].name,
                         kMarks[i].meaning.substr(0, kMarks[i].meaning.size() - 1));
  return "";
}

}  // namespace tarry
