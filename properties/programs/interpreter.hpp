// The internals of interpret(): places, the values that arrive there, and the execution of one step.
#pragma once

#include <deque>
#include <memory>

#include "placer/graph/graph.hpp"
#include "properties/programs/interpret.hpp"
#include "workers/direct/local_env.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry::oracle {

struct Loop;

struct Inbox {                // the values that have arrived for a node at a place
  std::map<int, Value> data;  // by slot; a dead value is an empty Value
  std::size_t controls = 0;
  bool is_deadened = false;
  bool has_fired = false;
};

struct Place {           // an environment: the root, or one iteration of a frame
  Loop* loop = nullptr;  // null at the root
  std::int64_t iteration = 0;
  std::map<NodeId, Inbox> inboxes;
  std::map<std::string, std::unique_ptr<Loop>> loops;  // by frame name
};

struct Loop {  // a frame that was begun at a place
  std::string name;
  std::uint64_t id = 0;
  Place* outside = nullptr;
  std::vector<std::unique_ptr<Place>> iterations;
  std::vector<std::pair<NodeId, Value>> invariants;
  std::size_t entered = 0;  // Enters that have fired
  int held = 0;             // nodes inside that wait or have failed
  bool has_ended = false;
  std::map<NodeId, std::int64_t> dead_exits;  // with the iteration in which they were dead
  std::set<NodeId> living_exits;
};

// The state that is kept from step to step.
struct Machine {
  const Program& program;
  Graph g;
  LocalEnv env;
  ResourceManager resources;
  KernelHost host;
  std::map<NodeId, std::unique_ptr<Kernel>> kernels;  // of the needed nodes
  std::map<NodeId, std::uint32_t> positions;          // in the program
  std::map<std::string, std::size_t> enters;          // by frame name
  Random random;

  Machine(const Program& p, Graph graph, std::uint64_t seed);
  [[nodiscard]] Status prepare();
  [[nodiscard]] bool needs(NodeId n) const { return kernels.contains(n); }

 private:
  [[nodiscard]] Status need(NodeId n);
};

class Step {
 public:
  Step(Machine& m, std::uint64_t most) : m_(m), most_(most) {}
  ~Step();
  // Fails: FAILED_PRECONDITION when the program can't be judged.
  [[nodiscard]] StatusOr<OracleStep> run();

 private:
  struct Running : KernelContext {
    Running(Step& of, Place& at, NodeId n) : step(of), place(&at), node(n) {}
    Step& step;
    Place* place;
    NodeId node;
    std::vector<Value> taken, made;  // its inputs and outputs
    bool is_done = false;
  };

  void begin();
  void settle();
  void look(Place& at, NodeId n);
  [[nodiscard]] std::size_t expected_data(const Place& at, NodeId n) const;
  [[nodiscard]] std::size_t expected_controls(NodeId n) const;
  void fire(Place& at, NodeId n);
  [[nodiscard]] Status gather(Running& r, const Inbox& inbox);
  [[nodiscard]] Status read_reference(Running& r, const Edge& e, Value& value) const;
  void run_kernel(Running& r);
  void called_back(Running& r, const Status& s);
  void finish(Running& r, const Status& s);
  void emit(Place& at, NodeId n, const std::vector<Value>& outputs, bool is_dead);
  void emit_enter(Place& at, NodeId n, const std::vector<Value>& outputs);
  void hand_out(Place& to, NodeId n, const std::vector<Value>& outputs, bool is_dead);
  Loop& loop_at(Place& at, const std::string& name);
  Place& iteration(Loop& loop, std::int64_t number);
  bool end_loops(Place& at);
  bool end(Loop& loop);
  static void hold(Place* at, int change);
  [[nodiscard]] std::vector<TensorRef> fetched();

  Machine& m_;
  std::uint64_t most_;
  Place root_;
  StepContext context_;
  std::vector<std::pair<Place*, NodeId>> ready_;
  std::deque<Running> running_;
  std::map<std::pair<NodeId, int>, Value> at_root_;
  std::size_t waiting_ = 0;
  bool is_over_ = false;
  std::string not_a_program_;
  OracleStep out_;
};

}  // namespace tarry::oracle
