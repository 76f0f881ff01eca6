// One signature of a session, cut by task and registered with the workers (docs/rules/runtime.md#A.1; TensorFlow's
// ReffedClientGraph).
//
// Registration happens once, at the first run, with all tasks at the same time; its outcome, even an error, stays.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "workers/master/session_graph.hpp"

namespace tarry {

struct ClientTensor {
  SharedText name;
  NameId key;  // rendezvous key; `none` before registration
};
struct GraphPart {  // of one task
  TaskId task;
  SentGraph graph;
  SharedText handle;  // of the registered graph
  std::vector<ClientTensor> fed,
      fetched;  // tensors that pass through this task's rendezvous
};

class PreparedGraph {
 public:
  // REQUIRES: `site` and `whole` outlive it, and `whole` gave `graph`.
  PreparedGraph(const SessionSite& site, SessionGraph& whole, ClientGraphRef graph, bool is_partial)
      : is_partial(is_partial), site_(site), whole_(whole), client_graph_(std::move(graph)) {}

  // `done` gets the outcome of the one registration, perhaps before this call returns.
  void register_once(StatusCallback done);
  // Drops the callbacks that wait for the registration.
  void forget() { const auto unheard = std::exchange(waiting_, {}); }

  const bool is_partial;
  std::int64_t runs = 0;         // runs that have begun
  std::uint64_t calls_made = 0;  // RunGraph calls; makes their request ids differ
  std::vector<GraphPart> parts;  // after registration

 private:
  [[nodiscard]] Status make_parts();
  [[nodiscard]] GraphPart make_part(const TaskGraph& part) const;
  void send_parts();
  void send(GraphPart& part);
  void registered(GraphPart& part, StatusOr<RegisterGraphResponse> handle);
  void name_keys();
  void finish();

  const SessionSite& site_;
  SessionGraph& whole_;
  ClientGraphRef client_graph_;  // until it is cut
  enum class Stage : std::uint8_t { not_begun, under_way, over } stage_ = Stage::not_begun;
  Status status_;
  std::size_t left_ = 0;
  std::vector<StatusCallback> waiting_;
};

}  // namespace tarry
