#include "sim/turns.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

TurnsId Turns::find(TaskId task, std::string_view name) {
  if (name.empty()) return {};
  const auto is_it = [&](const Line& l) { return l.task == task && l.name == name; };
  const auto found = std::ranges::find_if(lines_, is_it);
  const TurnsId id{std::size_t(found - lines_.begin())};
  if (found == lines_.end()) lines_.push_back({task, std::string(name), false, {}});
  return id;
}

bool Turns::begin(TurnsId id, const Asked& kernel) {
  Line& line = lines_[id.index()];
  if (!std::exchange(line.is_taken, true)) return true;
  line.waiting.push_back(kernel);
  return false;
}

std::optional<Turns::Asked> Turns::end(TurnsId id) {
  Line& line = lines_[id.index()];
  line.is_taken = !line.waiting.empty();
  if (!line.is_taken) return std::nullopt;
  const Asked next = line.waiting.front();
  line.waiting.pop_front();
  return next;
}

void Turns::clear(TaskId task) {
  for (Line& line : lines_)
    if (line.task == task) line.is_taken = false, line.waiting.clear();
}

}  // namespace tarry
