#include "scenarios/job/step_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A reader's records go into a queue, from which a step takes them.
ClientJob reading() {
  GraphSpec graph;
  graph.nodes = {{.name = "batch", .op = "Const"},
                 {.name = "reader", .op = "ReaderV2"},
                 {.name = "read", .op = "ReaderReadV2", .inputs = {"reader"}},
                 {.name = "ready", .op = "NoOp"},
                 {.name = "decode", .op = "DecodeCSV", .inputs = {"read:1", "^ready"}},
                 {.name = "queue", .op = "QueueV2"},
                 {.name = "enqueue", .op = "QueueEnqueueV2", .inputs = {"queue", "decode"}},
                 {.name = "dequeue", .op = "QueueDequeueManyV2", .inputs = {"queue", "batch"}},
                 {.name = "loss", .op = "Mean", .inputs = {"dequeue"}},
                 {.name = "also", .op = "NoOp"}};
  ClientJob client;
  client.program.graph = std::make_shared<const GraphSpec>(std::move(graph));
  client.program.targets = {"loss"};
  client.program.queue_runners = {{.queue = "queue", .enqueue_ops = {"enqueue"}}};
  return client;
}

TEST(StepNodes, are_what_targets_and_fetches_need_and_what_the_step_runs_besides) {
  ClientJob client = reading();
  EXPECT_THAT(nodes_of_a_step(client), UnorderedElementsAre("loss", "dequeue", "queue", "batch"));
  client.program.fetches = {"decode:0"};
  client.options.also = {"also"};
  EXPECT_THAT(nodes_of_a_step(client),
              UnorderedElementsAre("loss", "dequeue", "queue", "batch", "decode", "ready", "read", "reader", "also"));
}

TEST(StepNodes, of_the_input_are_what_enqueues_and_no_step_runs) {
  ClientJob client = reading();
  EXPECT_THAT(nodes_of_its_input(client), ElementsAre("decode", "enqueue", "read", "reader", "ready"));
  client.program.queue_runners.clear();
  EXPECT_THAT(nodes_of_its_input(client), IsEmpty());
  client.program.graph = nullptr;
  EXPECT_THAT(nodes_of_a_step(client), IsEmpty());
}

}  // namespace
}  // namespace tarry
