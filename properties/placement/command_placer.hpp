// A placer that is a program (hunting/command.hpp): a case has the form of the recorded cases (case.hpp), an answer is
// {"id": ..., "place": [...]} or {"id": ..., "code": N, "msg": "..."}. Fails: INVALID_ARGUMENT for an answer of another
// form.
#pragma once

#include "properties/hunting/command.hpp"
#include "properties/placement/case.hpp"

namespace tarry {

class CommandPlacer {
 public:
  CommandPlacer(std::string command, int timeout_ms) : command_(std::move(command), timeout_ms) {}
  [[nodiscard]] StatusOr<PlacementAnswer> ask(const PlacementCase& c);

 private:
  AskedCommand command_;
};

}  // namespace tarry
