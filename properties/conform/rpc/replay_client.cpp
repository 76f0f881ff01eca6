// A client case: what a Python program does, and the calls that our client makes for it.

#include <algorithm>

#include "placer/graph/read.hpp"
#include "properties/conform/rpc/fake_master.hpp"
#include "properties/conform/rpc/python_client.hpp"
#include "properties/conform/rpc/symbols.hpp"

namespace tarry::rpc {
namespace {

constexpr double kClientPatience = 60;

StatusOr<std::map<std::string, std::shared_ptr<const GraphSpec>>> graphs_of(const Json& the_case) {
  std::map<std::string, std::shared_ptr<const GraphSpec>> graphs;
  const Json written = the_case.value("graphs", Json::object());
  for (const auto& [name, graph] : written.items()) {
    TARRY_ASSIGN(GraphSpec g, parse_graph_json(graph.dump()));
    graphs[name] = std::make_shared<const GraphSpec>(std::move(g));
  }
  return graphs;
}

class ClientReplay {
 public:
  ClientReplay(const Json& the_case, std::map<std::string, std::shared_ptr<const GraphSpec>> graphs)
      : case_(the_case),
        graphs_(std::move(graphs)),
        master_(env_, the_case.at("setup")),
        client_(env_, the_case, graphs_, master_) {}

  std::vector<std::string> run() {
    for (const Json& step : case_.at("steps")) {
      do_step(step);
      ++at_;
    }
    return differences_;
  }

 private:
  void do_step(const Json& step) {
    const std::size_t first = master_.calls.size();
    std::optional<Json> got;
    client_.act(step.at("python"), step, [&got](Json j) { got = std::move(j); });
    bool over = false;
    const TimerId timer = env_.after(nanos(kClientPatience), [&over] { over = true; });
    env_.run_until([&] { return over || got.has_value(); });
    env_.cancel(timer);
    settle();
    note(got ? difference(as_recorded(*got), plain(step.at("got")), "got") : "no answer");
    compare_calls(step, first);
  }

  void settle() {
    bool over = false;
    env_.after(1'000'000, [&over] { over = true; });
    env_.run_until([&] { return over; });
  }

  // {"value"} or {"error", "message"}.
  static Json as_recorded(const Json& got) {
    if (got.at("code") == "OK") return got.at("response");
    return plain({{"error", got.at("code")}, {"message", got.at("message")}});
  }

  void compare_calls(const Json& step, std::size_t first) {
    std::vector<Json> ours, theirs;
    for (std::size_t i = first; i < master_.calls.size(); ++i) ours.push_back(call_json(*master_.calls[i]));
    for (const Json& call : step.value("calls", Json::array())) theirs.push_back(canonical(plain(call)));
    if (ours.size() != theirs.size()) note(difference_of_sets(ours, theirs));
    for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
      note(difference(ours[i], theirs[i], fmt::format("call {}", i)));
  }

  [[nodiscard]] static Json call_json(const MasterCall& call) {
    Json j{{"method", call.method}, {"request", call.request}, {"reply", call.reply}};
    if (j["request"].contains("request_id")) j["request"]["request_id"] = "$REQ";
    if (call.cancelled) j["cancelled"] = true;
    if (call.deadline_s > 0) j["deadline_s"] = call.deadline_s;
    return canonical(plain(j));
  }

  void note(const std::string& d) {
    if (!d.empty()) differences_.push_back(fmt::format("step {}: {}", at_, d));
  }

  const Json& case_;
  std::map<std::string, std::shared_ptr<const GraphSpec>> graphs_;
  LocalEnv env_;
  FakeMaster master_;
  PythonClient client_;
  std::size_t at_ = 0;
  std::vector<std::string> differences_;
};

}  // namespace

StatusOr<std::vector<std::string>> replay_client(const Json& the_case) {
  TARRY_ASSIGN(auto graphs, graphs_of(the_case));
  return ClientReplay(the_case, std::move(graphs)).run();
}

}  // namespace tarry::rpc
