// A count of epochs that several clients share.
//
// A queue of file names with num_epochs counts its epochs in a local variable. Where replica_device_setter puts that
// variable on a parameter server, the graphs of all workers name the same variable: its limit is for all of them
// together, and not for each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scenarios/job/job.hpp"

namespace tarry {

struct SharedEpochs {
  std::string counter;     // the variable: "input/input_producer/limit_epochs/epochs"; "" = no count is shared
  std::string job;         // that it is on: "ps"
  int task = 0;            // of that job
  std::int64_t limit = 0;  // up to which it counts
};

// The first count, in the graphs' order, that two clients have on the same task.
[[nodiscard]] SharedEpochs shared_epochs(std::span<const ClientJob> clients);

}  // namespace tarry
