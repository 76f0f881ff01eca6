#include "scenarios/job/fault_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {
namespace {

// Some kinds need something from the beginning of the run.
template <class Kind>
void prepare(const Kind& kind, FaultContext& context) {
  if constexpr (requires { kind.prepare(context); }) kind.prepare(context);
}

}  // namespace

FaultRun::FaultRun(FaultContext context, std::span<const Fault> faults)
    : context_(std::move(context)), faults_(faults), happened_(faults.size(), -1) {
  for (const Fault& f : faults) {
    if (const auto* t = std::get_if<Trigger>(&f.when)) waiting_.push_back({*t, 0, &f});
    std::visit([this](const auto& what) { prepare(what, context_); }, f.what);
  }
}

void FaultRun::start() {
  for (const Fault& f : faults_)
    if (const auto* at = std::get_if<Nanos>(&f.when)) schedule(f, *at);
}

void FaultRun::schedule(const Fault& fault, Nanos delay) {
  ++pending_;
  context_.world.after(delay, [this, &fault] {
    --pending_;
    if (context_.is_frozen) return;
    happened_[static_cast<std::size_t>(&fault - faults_.data())] = context_.world.now();
    std::visit([this](const auto& what) { what.happen(context_); }, fault.what);
  });
}

// ---- faults that wait for something ----

void FaultRun::look_at(const Event& event) {
  const auto text_of = [this](NameId name) { return context_.world.text(name); };
  moments_.of(event, text_of, [this](const Moments::Came& came) {
    for (Waiting& w : waiting_)
      if (came.moment == w.trigger.moment && came.task == w.trigger.task && ++w.seen == w.trigger.count)
        schedule(*w.fault, w.trigger.delay);
  });
  std::erase_if(waiting_, [](const Waiting& w) { return w.seen == w.trigger.count; });
}

void FaultRun::finish() {
  for (const Waiting& w : waiting_)
    context_.say(fmt::format("a fault never happened: it waited for something of {} for time {} of {}",
                             context_.name(w.trigger.task), w.seen, w.trigger.count),
                 kNeverHappened, context_.name(w.trigger.task));
  for (std::size_t i = 0; i < faults_.size(); ++i)
    if (const auto* at = std::get_if<Nanos>(&faults_[i].when); at != nullptr && happened_[i] < 0)
      context_.say(fmt::format("a fault never happened: the run ended before its time, {:.3f} s", in_seconds(*at)),
                   kNeverHappened, "");
}

}  // namespace tarry
