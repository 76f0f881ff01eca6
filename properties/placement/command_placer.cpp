#include "properties/placement/command_placer.hpp"

#include <nlohmann/json.hpp>

namespace tarry {

StatusOr<PlacementAnswer> CommandPlacer::ask(const PlacementCase& c) {
  TARRY_ASSIGN(const nlohmann::ordered_json json, command_.ask(to_json(c)));
  StatusOr<PlacementAnswer> answer = answer_from_json(json, c);
  if (!answer.ok()) command_.stop();
  return answer;
}

}  // namespace tarry
