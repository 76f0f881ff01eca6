// What the worker service is asked and answers: plain values (runtime.md D).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/spec.hpp"
#include "workers/kernels/tensor.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry {

struct RegisterGraphRequest {
  std::string session;                      // handle
  std::shared_ptr<const GraphSpec> graph;   // one task's part
};

struct NamedTensor {
  NameId key;  // of the rendezvous
  TensorRef tensor;
};

struct RunGraphRequest {
  std::string session, graph;               // handles
  StepId step;
  std::vector<NamedTensor> sends;           // fed values
  std::vector<NameId> receives;             // fetched keys
};
struct RunGraphResponse {
  std::vector<NamedTensor> received;
};

struct RecvTensorRequest {
  StepId step;
  RendezvousKey key;
};

// Bytes on the wire, near enough to what protobuf would take.
[[nodiscard]] std::uint64_t wire_bytes(const GraphSpec& graph);

}  // namespace tarry
