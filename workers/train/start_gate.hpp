// The gate of `start: together`: no client takes its first step before all sessions are created and all graphs
// registered.
#pragma once

#include <functional>
#include <vector>

#include "workers/env.hpp"

namespace tarry {

class StartGate {
 public:
  StartGate(Env& env, std::size_t expected) : env_(env), missing_(expected) {}

  // Runs `go` when the last expected client has arrived; at once when the gate is already open.
  void arrive(Callback go);
  void when_open(Callback run);  // does not count as an arrival
  [[nodiscard]] bool is_open() const { return open_; }

  std::function<void(Nanos at)> on_open;

 private:
  Env& env_;
  std::size_t missing_;
  bool open_ = false;
  std::vector<Callback> waiting_;
};

}  // namespace tarry
