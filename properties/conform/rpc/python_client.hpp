// The Python client of a recording; its actions are given by labels ("run([z:0, y:0], x:0=2.0)", "close()").
#pragma once

#include <functional>

#include "properties/conform/rpc/replay.hpp"
#include "workers/master/client_session.hpp"

namespace tarry::rpc {

class PythonClient {
 public:
  // REQUIRES: the case has one graph, the program's.
  PythonClient(Cluster& c, MasterService& master) : PythonClient(c.env, c.the_case, c.graphs, master) {}
  PythonClient(Env& env, const Json& the_case, const std::map<std::string, std::shared_ptr<const GraphSpec>>& graphs,
               MasterService& master);

  // `step` has what the label lacks: the values fed, the nodes added. `done` gets {"code", "message"} or {"code": "OK",
  // "response": {"value"}}.
  void act(const std::string& label, const Json& step, std::function<void(Json)> done);

 private:
  [[nodiscard]] ClientRun run_of(const std::string& label, const Json& step);
  void run(ClientRun run, const std::function<void(Json)>& done);
  void reset(const std::string& label, const std::function<void(Json)>& done);
  [[nodiscard]] ClientSession& session();

  Env& env_;
  const Json& the_case_;
  MasterService& master_;
  std::shared_ptr<const GraphSpec> graph_;
  std::unique_ptr<ClientSession> session_;
  ClientRun callable_;
};

}  // namespace tarry::rpc
