// Why what a verdict advises is not tried, of a job that has nothing of what it is about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

constexpr char kWhyNot[] = R"(
set device_filters: the scenario has them already
restart it: no fault of the scenario leaves it without a process
start the whole job again: it begins another run
all of that together: the scenario has nothing of that kind
all of that together: the scenario has nothing of that kind
without what ends it: the scenario has nothing of that kind
save a quarter as often: the scenario saves no checkpoints
have saves there take as long as elsewhere: the scenario has nothing of that kind
have a disk that takes no time: no cost of the scenario stands for the disk alone
have room where checkpoints are saved: the scenario has nothing of that kind
keep the checkpoints: the scenario has nothing of that kind
without what damages its checkpoints: the scenario has nothing of that kind
restore an earlier checkpoint: no key chooses the checkpoint
give it a faster storage: the scenario has nothing of that kind
aggregate fewer gradients: only a job that `build` makes can have it
have a backup worker: only a job that `build` makes can have it
aggregate as many gradients as workers train: only a job that `build` makes can have it
aggregate a gradient of each worker: only a job that `build` makes can have it
watch the time since the last aggregate: it tells of the standstill, and mends nothing
a time limit on each step: it tells of the standstill, and mends nothing
aggregate a gradient of each worker: only a job that `build` makes can have it
let all workers train equally long: no key and no fault of the scenario makes a worker leave before the others
let the files never end: the scenario says nothing of files
have each worker count its own epochs: the scenario has nothing of that kind
let its readers find the file: the scenario says nothing of files
without what slows it: the scenario has nothing of that kind
make it as fast as the usual worker: the scenario has nothing of that kind
give it GPUs like the usual worker's: the scenario has nothing of that kind
give them GPUs like the usual worker's: the scenario has nothing of that kind
make all of them as fast as the usual worker: the scenario has nothing of that kind
make its workers as fast as the usual one: the scenario has nothing of that kind
let its process go on: the scenario has nothing of that kind
join the two again: the scenario has nothing of that kind
let messages pass again: the scenario has nothing of that kind
without what holds its messages: the scenario has nothing of that kind
without what is wrong with that path: the scenario has nothing of that kind
without what is wrong with these connections: the scenario has nothing of that kind
put each parameter server on a host of its own: no parameter server shares a host with a worker
put a parameter server beside each worker: only a job that `build` makes can have it
give as many initial tokens as it needs: it does not say how many
start the workers together: the scenario has nothing of that kind
start the workers as soon as the model is there: the scenario has nothing of that kind
start without initial tokens: there are none
make all workers as fast as the usual one: the scenario has nothing of that kind
have one worker as the chief: the scenario cannot have it, or has it already
let more workers train: nobody says which
start the workers that are missing: the cluster has no task for it
start it: the cluster has no task for it
build the graph for the workers that train: only a job that `build` makes can have it
have the chief start the queue runner: the scenario starts it already
fetch no aggregated gradient in a training step: it is the graph itself that does
take fewer gradients for an aggregate: it is another graph
look at the gradients before they are pushed: what is looked at costs the job nothing here
let it run until the first aggregate should be complete: no gradient came
give it a card like the others': the scenario has nothing of that kind
look at the port that it is at: it is for whoever can look at the machine
give them cards like the others': the scenario has nothing of that kind
look at the ports that they are at: it is for whoever can look at the machine
bring it as near as the others: the scenario has nothing of that kind
bring all of them as near as the others: the scenario has nothing of that kind
without what keeps it busy: the scenario has nothing of that kind
without what keeps them busy: the scenario has nothing of that kind
have several readers: it is another graph
have twice as many threads enqueue: no queue runner of the job prepares examples
let the queue hold the examples of three steps: the scenario has nothing of that kind
have queues keep no examples back: no queue of the job keeps examples back
have examples that are prepared in no time: the scenario has nothing of that kind
make all workers as fast as the usual one: the scenario has nothing of that kind
have copies that take no time: the scenario has nothing of that kind
start the workers after the chief: nobody says how long after
let clients look again after a second: the scenario has nothing of that kind
without what makes steps vary: the scenario has nothing of that kind
have cards of their usual bandwidth: the scenario has nothing of that kind
larger batches: the costs of ops do not follow from the batch
without what else uses it: the scenario has nothing of that kind
give it a smaller batch: the costs of ops do not follow from the batch
feed it: nobody says with what
take what needs the placeholder out: it is another model
take the worker out: it names no worker
take the workers out: it names no worker
have one more parameter server: the scenario cannot have it, or has it already
have fewer and larger tensors: it is another model
have one more parameter server: the scenario cannot have it, or has it already
have a network of unlimited bandwidth: the scenario has nothing of that kind
put fewer tasks on one host: nobody says which host has room
have unlimited bandwidth between tasks of one host: the scenario has nothing of that kind
have PCIe roots of unlimited bandwidth: the scenario has nothing of that kind
put fewer GPUs below each root: nobody says which root has room
have trunks of unlimited bandwidth: the scenario has nothing of that kind
put parameter servers into the racks of their workers: nobody says which rack has room
fewer bytes a step: it is another model
fewer messages a step: it is another model
have messages that cost nothing but the wire: the scenario has nothing of that kind
have messages that are copied in no time: the scenario has nothing of that kind
have a thread to serialise and copy each message: the scenario has nothing of that kind
have connections without windows: the scenario has nothing of that kind
have cards that take in as much of many senders as of one: the scenario has nothing of that kind
have a thread for each kernel: the scenario has nothing of that kind
give its work to more tasks: it is another job
give their work to more tasks: it is another job
spread the variables by bytes: the scenario has nothing of that kind
split the bytes evenly over the parameter servers: the scenario has nothing of that kind
split the bytes evenly over the parameter servers: the scenario has nothing of that kind
)";

// Of each piece of advice, given to a job that has nothing of what it is about: what it is, and why it is not tried.
TEST(Cures, that_cannot_be_tried_say_why_each) {
  const RanCase c = ran_case("programs: [{task: worker/0, graph: softmax_async_ps1_task0}]\nstop: {steps: 1}");
  std::string all = "\n";
  for (const std::string_view words : known_advice()) {
    const std::vector<Verdict> told{{"k", fmt::format("x. To do: {}.", words)}};
    const Cure cure = cures_of({c.scenario, c.options, c.job, c.outcome}, told).value().at(0);
    if (!cure.cured) all += fmt::format("{}: {}\n", cure.advice, cure.why_not);
  }
  EXPECT_EQ(all, kWhyNot);
}

}  // namespace
}  // namespace tarry
