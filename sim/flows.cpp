#include "sim/flows.hpp"

#include "sim/flow_module.hpp"

namespace tarry {

void Flows::start(Nanos now, HostId from, HostId to, std::uint64_t bytes, std::uint64_t flow) {
  if (engine_ == nullptr) engine_ = flow_module().start_engine(cluster_);
  engine_->start(now, from, to, bytes, flow);
}

bool Flows::alive() const { return engine_ != nullptr && engine_->alive(); }

std::vector<FinishedFlow> Flows::advance(Nanos until) { return engine_->advance(until); }

}  // namespace tarry
