// A training client's program: its graph and the names of what its loop runs.
//
// With between-graph replication, one per worker task. The names come from what the client recorded beside the graph
// (scenarios/graphs/*.json). Plain data: scenarios fill it, the training client (training_client.hpp) runs it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placer/graph/spec.hpp"
#include "workers/task_change.hpp"
#include "workers/train/feed_values.hpp"

namespace tarry {

struct Feed {
  std::string tensor;  // "x:0"
  DataType dtype = DataType::kInvalid;
  Shape shape;  // fully known, with the batch size filled in
  bool optional = false;
  bool takes_batch = false;                  // a size of its shape was open, and is the batch size
  std::shared_ptr<const FeedValues> values;  // null = zeros, and no values at all where there are many
  std::string like = "";                     // of a tower: the feed that says what this one is fed; "" = itself
};

struct QueueRunner {  // one thread per enqueue op, which runs until the queue is closed
  std::string queue;
  std::vector<std::string> enqueue_ops;
  std::string close_op, cancel_op;
};

struct SyncProgram {  // what SyncReplicasOptimizer's hook and queue runner run (docs/rules/runtime.md#F)
  int replicas_to_aggregate = 0;
  int total_replicas = 0;
  int num_tokens = -1;  // -1 = replicas_to_aggregate
  std::string token_queue;
  QueueRunner chief_runner;          // its one enqueue op is the sync op
  std::string init_tokens_op;        // "" on non-chiefs
  std::string local_init_op;         // that of the hook; the chief's also sets the accumulators' steps
  std::string ready_for_local_init;  // tensor
  std::string local_step;            // variable
  std::vector<std::string> accumulators, sparse_accumulators;
};

struct Saver {           // "" = the graph has none
  std::string filename;  // tensor to feed
  std::string save;      // tensor to fetch
  std::string restore;   // op
};

struct ClientProgram {
  std::string name;
  std::shared_ptr<const GraphSpec> graph;
  std::string task;              // whose client this is: "/job:worker/task:0"
  std::string written_for = "";  // the task that stands in the graph where `task` is meant; "" = `task` itself
  bool is_chief = false;
  std::vector<Feed> feeds;
  std::vector<std::string> targets, fetches;  // of one training step
  std::string init_op, local_init_op, ready, ready_for_local_init;
  std::vector<QueueRunner> queue_runners;
  Saver saver;
  std::optional<SyncProgram> sync;  // nullopt = asynchronous
  std::string global_step;          // variable; "" when there is none
};

// The change that makes the graph that of the program's task.
[[nodiscard]] TaskChange change_of(const ClientProgram& program);
// The graph with the program's own task in it.
[[nodiscard]] GraphSpec own_graph(const ClientProgram& program);

// What a client fetches to read the global step, as session.run does for a variable: its reference, or the value that
// the op beside a resource variable reads. "" when there is none. REQUIRES: the graph is there.
[[nodiscard]] std::string global_step_tensor(const ClientProgram& program);

}  // namespace tarry
