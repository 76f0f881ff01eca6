// The callables of a session: signatures that its client made once and runs by handle (docs/rules/runtime.md#E.5).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "workers/master/prepared_graphs.hpp"

namespace tarry {

struct Callable {
  CallableOptions options;
  GraphRef graph;

  // REQUIRES: as many feeds as the callable takes.
  [[nodiscard]] StepInput input(std::vector<TensorRef> feeds) const;
  // Wraps `done`, so that it gets the results in the callable's order.
  [[nodiscard]] StepDone in_order(StepDone&& done) const;
};

class Callables {
 public:
  [[nodiscard]] std::int64_t add(Callable callable);  // gives its handle
  // Fails: INVALID_ARGUMENT `No such callable handle: H`, `Attempted to run callable after handle was released: H`, and
  // for a number of feeds that is not the callable's (the real process ends there).
  [[nodiscard]] StatusOr<const Callable*> find(std::int64_t handle, std::size_t feeds) const;
  void release(std::int64_t handle) { callables_.erase(handle); }

 private:
  std::map<std::int64_t, Callable> callables_;
  std::int64_t next_ = 0;
};

}  // namespace tarry
