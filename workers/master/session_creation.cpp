// A session's life: finding devices, placing the graph, opening and deleting the workers' sessions
// (docs/rules/runtime.md#E.1).

#include <algorithm>
#include <utility>

#include "workers/master/master_session.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {

struct MasterSession::Creation {
  std::unique_ptr<MasterSession> session;
  WrittenGraph graph;
  Created done;
};

MasterSession::MasterSession(Directory& directory, TaskId master, SessionOptions options)
    : site_{directory,      master,      fmt::format("{:016x}", directory.env.random().next()),
            options.config, DeviceSet(), ClientDevice()},
      options_(std::move(options)),
      graph_(site_, options_.soft_placement),
      graphs_(site_, graph_),
      sessions_(site_) {}

// Steps in progress hold what holds them.
MasterSession::~MasterSession() {
  *site_.alive = false;
  for (const auto& run : running_) run->forget();
  graphs_.forget();
}

void MasterSession::create(Directory& directory, TaskId master, WrittenGraph graph, SessionOptions options,
                           Created done) {
  auto creation = std::make_shared<Creation>();
  creation->session.reset(new MasterSession(directory, master, std::move(options)));
  creation->graph = std::move(graph);
  creation->done = std::move(done);
  MasterSession& session = *creation->session;
  if (Status s = session.find_tasks(); !s.ok()) return std::move(creation->done)(std::move(s));
  session.ask_devices(creation);
}

Status MasterSession::find_tasks() {
  TARRY_ASSIGN(filters_, DeviceFilters::parse(options_.device_filters));
  tasks_ = is_renamed() ? options_.cluster : admitted_tasks(site_.directory, site_.master, filters_);
  if (!is_renamed()) return {};
  std::erase_if(tasks_, [&](const NamedTask& t) {
    return t.task != site_.master && !filters_.admits(parse_device_name(t.name));
  });
  for (const NamedTask& t : tasks_) site_.renamed[t.name] = t.task;
  return {};
}

// GetStatus to every task; then the graph is placed; then a worker session on every task.
void MasterSession::ask_devices(const std::shared_ptr<Creation>& c) {
  find_devices(site_.directory, site_.master, tasks_,
               [this, c](StatusOr<std::vector<std::vector<DeviceAttributes>>> found) {
                 const Status s = found.ok() ? build(*found, c->graph) : found.status();
                 if (!s.ok()) return std::move(c->done)(s);
                 open_worker_sessions(c);
               });
}

Status MasterSession::build(const std::vector<std::vector<DeviceAttributes>>& found, const WrittenGraph& written) {
  for (std::size_t t = 0; t < tasks_.size(); ++t) TARRY_RETURN_IF_ERROR(add_devices(tasks_[t], found[t]));
  if (options_.config && options_.config->session_thread_pools > 0)
    return invalid("Distributed session does not support session thread pool options.");
  if (options_.config && options_.config->graph.place_pruned_graph) {
    site_.directory.log(site_.master, 'W', "Distributed session does not support the place_pruned_graph option.");
    auto config = std::make_shared<SessionConfig>(*options_.config);
    config->graph.place_pruned_graph = false;
    options_.config = site_.config = std::move(config);
  }
  return graph_.create(written);
}

// Of its own task a session has all devices; of the others those that the filters admit.
Status MasterSession::add_devices(const NamedTask& task, const std::vector<DeviceAttributes>& found) {
  const bool is_own = task.task == site_.master;
  for (const DeviceAttributes& d : found) {
    if (!is_own && !filters_.admits(parse_device_name(d.name))) continue;
    TARRY_ASSIGN(const DeviceId id, site_.devices.add(d.name, d.type, d.incarnation));
    if (is_own && &d == found.data()) site_.client = {id, d.name, d.incarnation};
    (is_own && (!is_renamed() || &d == found.data()) ? local_devices_ : remote_devices_).push_back(d);
  }
  return {};
}

ListDevicesResponse MasterSession::list_devices() const {
  if (is_renamed()) return {local_devices_, remote_devices_};
  ListDevicesResponse r{local_devices_, {}};
  r.local.insert(r.local.end(), remote_devices_.begin(), remote_devices_.end());
  return r;
}

// ---- the workers' sessions ----

void MasterSession::open_worker_sessions(const std::shared_ptr<Creation>& c) {
  sessions_.open(tasks_, {local_devices_, remote_devices_}, [this, c](Status s) {
    if (s.ok()) return std::move(c->done)(std::move(c->session));
    mark(site_.directory.auditor, Mark::session_half_made);
    sessions_.close([c, s](const Status&) { std::move(c->done)(s); });
  });
}

// Own steps first: their errors say why they ended.
void MasterSession::close(StatusCallback done) {
  closed_ = true;
  mark_if(not_over_ > 0, site_.directory.auditor, Mark::session_closed_in_a_step);
  const auto running = running_;
  mark_if(!running.empty(), site_.directory.auditor, Mark::step_cancelled_by_close);
  for (const auto& run : running) run->cancel();
  auto rest = [this, alive = site_.alive, done = std::move(done)]() mutable {
    if (*alive) sessions_.close(std::move(done));
  };
  if (not_over_ == 0) return rest();
  when_over_.emplace_back(std::move(rest));
}

}  // namespace tarry
