#include "properties/cluster/situation.hpp"

#include <algorithm>

#include "placer/core/hash.hpp"

namespace tarry {

std::uint64_t shape_of(const Event& event) {
  std::uint64_t detail = 0;
  if (const auto* b = std::get_if<StepBegan>(&event)) detail = static_cast<std::uint64_t>(b->purpose);
  if (const auto* e = std::get_if<StepEnded>(&event)) detail = static_cast<std::uint64_t>(e->code);
  if (const auto* p = std::get_if<GradientPushed>(&event)) detail = p->accepted ? 1 : 0;
  if (const auto* s = std::get_if<SessionMoved>(&event)) detail = static_cast<std::uint64_t>(s->stage);
  return (event.index() + 1) << 8 | detail;
}

TaskId task_of(const Event& event) {
  return std::visit(
      []<class E>(const E& e) {
        if constexpr (requires { e.task; }) return e.task;
        return TaskId::none();
      },
      event);
}

NameId place_of(const Event& event) {
  return std::visit(
      []<class E>(const E& e) {
        if constexpr (requires { e.queue; }) return e.queue;
        if constexpr (requires { e.accumulator; }) return e.accumulator;
        return NameId::none();
      },
      event);
}

void Situation::note(const Event& event) {
  if (std::holds_alternative<MessageDelivered>(event)) return;
  if (const TaskId task = task_of(event); task.valid()) last_[task] = shape_of(event);
  if (const auto* e = std::get_if<Enqueued>(&event)) add(e->queue, 1);
  if (const auto* e = std::get_if<Dequeued>(&event)) add(e->queue, -1);
  if (const auto* e = std::get_if<GradientPushed>(&event); e != nullptr && e->accepted) add(e->accumulator, 1);
  if (const auto* e = std::get_if<AggregateTaken>(&event)) add(e->accumulator, -e->averaged);
}

std::uint64_t Situation::last_of(TaskId task) const {
  const auto it = last_.find(task);
  return it == last_.end() ? 0 : it->second;
}

std::int64_t Situation::fill_of(NameId place) const {
  constexpr std::int64_t kMany = 16;
  const auto it = fill_.find(place);
  return it == fill_.end() ? 0 : std::clamp(it->second, -kMany, kMany);
}

std::uint64_t Situation::hash() const {
  Hasher h;
  for (const auto& [task, shape] : last_) h.integer(shape);
  for (const auto& [place, fill] : fill_) h.integer(static_cast<std::uint64_t>(fill_of(place)));
  return h.digest().low;
}

}  // namespace tarry
