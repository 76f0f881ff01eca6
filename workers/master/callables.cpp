#include "workers/master/callables.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

StepInput Callable::input(std::vector<TensorRef> feeds) const {
  StepInput input{{}, {}, {}, options.run.value_or(StepOptions()), Purpose::other};
  for (std::size_t i = 0; i < feeds.size(); ++i) input.feeds.push_back({options.feeds[i], std::move(feeds[i])});
  return input;
}

StepDone Callable::in_order(StepDone&& done) const {
  return [fetches = options.fetches, done = std::move(done)](StepResult r) mutable {
    std::vector<FedTensor> ordered;
    for (const std::string& f : fetches)
      if (const auto found = std::ranges::find(r.fetched, f, &FedTensor::name); found != r.fetched.end())
        ordered.push_back(*found);
    r.fetched = std::move(ordered);
    std::move(done)(std::move(r));
  };
}

std::int64_t Callables::add(Callable callable) {
  callables_.emplace(next_, std::move(callable));
  return next_++;
}

StatusOr<const Callable*> Callables::find(std::int64_t handle, std::size_t feeds) const {
  const auto it = callables_.find(handle);
  if (handle >= next_) return invalid("No such callable handle: {}", handle);
  if (it == callables_.end()) return invalid("Attempted to run callable after handle was released: {}", handle);
  if (const std::size_t takes = it->second.options.feeds.size(); feeds != takes)
    return invalid("callable {} takes {} feeds, was given {} (TensorFlow's process ends here when they are too few)",
                   handle, takes, feeds);
  return &it->second;
}

}  // namespace tarry
