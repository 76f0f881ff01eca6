// One signature of a session, cut by task and registered with the workers (docs/rules/runtime.md#A.1; TensorFlow's
// ReffedClientGraph).
//
// Registration happens once, at the first run, with all tasks at the same time; its outcome, even an error, stays.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/master/client_graph.hpp"
#include "workers/master/known_session.hpp"
#include "workers/worker/directory.hpp"

namespace tarry {

// What all parts of a session know of it.
struct SessionSite {
  Directory& directory;
  TaskId master;
  SharedText handle;
  std::shared_ptr<const SessionConfig> config;  // as the workers get it; null = nothing to say
  DeviceSet devices;
  ClientDevice client;
  std::uint64_t names = 0;                                  // made while cutting
  std::map<std::string, TaskId, std::less<>> renamed = {};  // the session's own names of tasks; empty = the server's
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  std::shared_ptr<KnownSession> known = nullptr;          // null = every session starts from nothing
  std::shared_ptr<const Incarnations> renewed = nullptr;  // of what is known

  // The devices and the client as graphs are cut for them: with the incarnations of what is known.
  [[nodiscard]] const DeviceSet& cut_devices() const { return known ? known->devices : devices; }
  [[nodiscard]] const ClientDevice& cut_client() const { return known ? known->client : client; }
  [[nodiscard]] TaskId task(std::string_view name) const;  // none when unknown
  [[nodiscard]] std::string name_of(TaskId task) const;
};

struct ClientTensor {
  SharedText name;
  NameId key;  // of the rendezvous; none before registration
};
struct GraphPart {  // of one task
  TaskId task;
  std::shared_ptr<const GraphSpec> graph;
  std::shared_ptr<KnownPart> known;
  SharedText handle;                       // of the registered graph
  std::vector<ClientTensor> fed, fetched;  // that pass through this task's rendezvous
};

class PreparedGraph {
 public:
  PreparedGraph(SessionSite& site, bool is_partial) : is_partial(is_partial), site_(site) {}

  // REQUIRES: one of the two is called, once, before the first registration.
  void hold(Graph client_graph) { client_graph_ = std::move(client_graph); }
  void hold(std::shared_ptr<KnownSignature> known) { known_ = std::move(known); }
  // `done` gets the sticky outcome, perhaps from inside.
  void register_once(StatusCallback done);
  // Nobody waits for the registration any more.
  void forget() { const auto unheard = std::exchange(waiting_, {}); }

  const bool is_partial;
  std::int64_t runs = 0;         // begun
  std::uint64_t calls_made = 0;  // of RunGraph: tells their request ids apart
  std::vector<GraphPart> parts;  // after registration

 private:
  [[nodiscard]] StatusOr<KnownCut> cut(Graph g) const;
  [[nodiscard]] StatusOr<KnownCut> find_cut();
  [[nodiscard]] Status make_parts();
  [[nodiscard]] GraphPart make_part(const KnownCut::Part& part) const;
  void send_parts();
  void send(GraphPart& part);
  void registered(GraphPart& part, StatusOr<RegisterGraphResponse> handle);
  void name_keys();
  void finish();

  SessionSite& site_;
  Graph client_graph_;
  std::shared_ptr<KnownSignature> known_;
  enum class Stage : std::uint8_t { not_begun, under_way, over } stage_ = Stage::not_begun;
  Status status_;
  std::size_t left_ = 0;
  std::vector<StatusCallback> waiting_;
};

}  // namespace tarry
