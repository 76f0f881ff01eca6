// A step of a direct session in progress, and one that is fed and fetched in pieces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/executor/executor.hpp"
#include "workers/executor/executor_barrier.hpp"
#include "workers/master/client_graph.hpp"
#include "workers/master/partial_run.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry {

// The rendezvous of a step whose devices are all in this process.
struct DirectRendezvous : Rendezvous {
  LocalRendezvous table;
  [[nodiscard]] Status send(const TransferKey& key, Received value) override {
    return table.send(key.key, std::move(value));
  }
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override {
    table.receive(key.key, &step, std::move(done));
  }
};

struct DirectStep {
  DirectRendezvous rendezvous;
  CallFrame call;
  StepContext context;
  ExecutorStep executor_step;
  std::optional<ExecutorBarrier> barrier;
  std::optional<Status> ended;

  // Called with the first error: everything that waits in the step ends.
  void abort(const Status& why) {
    rendezvous.table.abort(why);
    context.cancellation.start();
  }
};

struct PartialRun : PartialRunNames {
  DirectStep step;
};

}  // namespace tarry
