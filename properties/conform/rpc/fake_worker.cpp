#include "properties/conform/rpc/fake_worker.hpp"

#include <algorithm>

#include "workers/rendezvous/key.hpp"
#include "workers/worker/sessions.hpp"

namespace tarry::rpc {
namespace {

constexpr double kSecond = 1e9;

Nanos nanos(double seconds) { return static_cast<Nanos>(seconds * kSecond); }

class Fake final : public WorkerService {
 public:
  Fake(Stage& stage, FakeIdentity who) : stage_(stage), who_(std::move(who)) {}

  void serve(GetStatusRequest r, ServerCall<GetStatusResponse> c) override {
    take(r, c, [this] { return StatusOr<GetStatusResponse>(GetStatusResponse{who_.devices}); });
  }
  void serve(CreateWorkerSessionRequest r, ServerCall<Empty> c) override {
    take(r, c, [this, session = r.session] {
      sessions_.insert(session);
      return StatusOr<Empty>(Empty{});
    });
  }
  void serve(DeleteWorkerSessionRequest r, ServerCall<Empty> c) override {
    take(r, c, [this, session = r.session] {
      sessions_.erase(session);
      return StatusOr<Empty>(Empty{});
    });
  }
  void serve(RegisterGraphRequest r, ServerCall<RegisterGraphResponse> c) override {
    take(r, c, [this, r] { return register_graph(r); });
  }
  void serve(DeregisterGraphRequest r, ServerCall<Empty> c) override { take_empty(r, c); }
  void serve(RunGraphRequest r, ServerCall<RunGraphResponse> c) override;
  void serve(CleanupGraphRequest r, ServerCall<Empty> c) override { take_empty(r, c); }
  void serve(CleanupAllRequest r, ServerCall<Empty> c) override { take_empty(r, c); }
  void serve(RecvTensorRequest r, ServerCall<RecvTensorResponse> c) override {
    take(r, c, [this, r] { return tensor(r); });
  }
  void serve(LoggingRequest r, ServerCall<LoggingResponse> c) override {
    take(r, c, [] { return StatusOr<LoggingResponse>(LoggingResponse{}); });
  }
  void serve(TracingRequest r, ServerCall<Empty> c) override { take_empty(r, c); }
  void serve(MarkRecvFinishedRequest r, ServerCall<Empty> c) override { take_empty(r, c); }

  void break_connections(const std::string& text) {
    for (auto& [number, over] : std::exchange(held_, {})) over(error(Code::kUnavailable, "{}", text));
  }

 private:
  template <class Request>
  void take_empty(const Request& r, const ServerCall<Empty>& c) {
    take(r, c, [] { return StatusOr<Empty>(Empty{}); });
  }

  // Writes the call down and answers it after the usual time, or as a rule says.
  template <class Request, class Answer>
  void take(const Request& request, ServerCall<typename Request::Response> call, Answer answer) {
    using Response = typename Request::Response;
    const std::shared_ptr<RecordedCall> record = write_down(Request::kMethod, to_json(stage_.directory.env, request));
    const Json rule = rule_for(Request::kMethod);
    held_[record->number] = [call](Status s) { call.answer(std::move(s)); };
    const TimerId timer = schedule(rule, [this, record, rule, call, answer]() mutable {
      StatusOr<Response> r = rule.contains("code") ? StatusOr<Response>(ruled(rule)) : answer();
      if constexpr (std::is_same_v<Response, RunGraphResponse>)
        if (r.ok() && rule.contains("body_code")) r->status = Status(code_from(rule["body_code"]), rule.value("body_message", std::string()));
      finish(*record, outcome(stage_.directory.env, r));
      call.answer(std::move(r));
    });
    call.on_cancel([this, record, rule, timer] { cancelled(*record, rule, timer); });
  }

  template <class Then>
  TimerId schedule(const Json& rule, Then then) {
    Env& env = stage_.directory.env;
    if (rule.value("hang", false)) {
      if (!rule.contains("hang_s")) return TimerId::none();
      return env.after(nanos(rule["hang_s"]), std::move(then));
    }
    return env.after(nanos(rule.value("delay_s", stage_.setup.value("reply_delay_s", 0.0))), std::move(then));
  }

  void cancelled(RecordedCall& record, const Json& rule, TimerId timer) {
    Env& env = stage_.directory.env;
    record.cancelled_at = env.now();
    const bool waits = rule.value("hang", false) || rule.contains("delay_s");
    if (!waits || !rule.value("stop_on_cancel", true)) return;  // its answer comes all the same
    if (timer.valid()) env.cancel(timer);
    finish(record, {{"code", "CANCELLED"}, {"message", "held until the call was cancelled"}});
  }

  void finish(RecordedCall& record, Json reply) {
    held_.erase(record.number);
    record.reply = std::move(reply);
    record.replied_at = stage_.directory.env.now();
  }

  std::shared_ptr<RecordedCall> write_down(Method m, Json request) {
    auto record = std::make_shared<RecordedCall>(RecordedCall{who_.task, m, std::move(request), nullptr, stage_.directory.env.now()});
    record->number = stage_.calls.size();
    for (const auto& earlier : stage_.calls)
      if (earlier->replied_at >= 0) record->answered_before.push_back(earlier->number);
    stage_.calls.push_back(record);
    return record;
  }

  Json rule_for(Method m) {
    const int nth = ++count_[m];
    for (const Json& rule : stage_.setup.value("rules", Json::array())) {
      if (rule.at("method") != method_name(m) || rule.value("task", who_.task) != who_.task) continue;
      const int first = rule.value("nth", 0), last = rule.value("to_nth", first);
      if (first == 0 || (nth >= first && nth <= last)) return rule;
    }
    return Json::object();
  }

  static Status ruled(const Json& rule) {
    const Status s(code_from(rule["code"]), rule.value("message", std::string()));
    return rule.value("derived", false) ? as_derived(s) : s;
  }

  [[nodiscard]] Status unknown_session(const std::string& session) const {
    return possibly_restarted(error(Code::kAborted, "Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.", session, task_name(who_.task)));
  }

  StatusOr<RegisterGraphResponse> register_graph(const RegisterGraphRequest& r) {
    if (r.session_was_created && !sessions_.contains(r.session)) return unknown_session(r.session);
    const std::string handle = fmt::format("{:016x}", ++graph_count_);
    graphs_[handle] = r.graph;
    return RegisterGraphResponse{handle};
  }

  [[nodiscard]] Status runnable(const RunGraphRequest& r) const {
    if (!sessions_.contains(r.session)) return unknown_session(r.session);
    if (!graphs_.contains(r.graph)) return error(Code::kAborted, "Graph handle is not found: {}", r.graph);
    return {};
  }

  StatusOr<RunGraphResponse> run(const RunGraphRequest& r) const;
  void pull(const RunGraphRequest& r, Callback then);
  StatusOr<RecvTensorResponse> tensor(const RecvTensorRequest& r) const;
  [[nodiscard]] Received value_of(const std::string& node, const std::string& tensor_name, std::int64_t iteration) const;

  Stage& stage_;
  FakeIdentity who_;
  std::set<std::string> sessions_;
  std::map<std::string, std::shared_ptr<const GraphSpec>> graphs_;
  std::uint64_t graph_count_ = 0;
  std::map<Method, int> count_;
  std::map<std::size_t, std::function<void(Status)>> held_;  // by number of the call
};

void Fake::serve(RunGraphRequest r, ServerCall<RunGraphResponse> c) {
  if (!stage_.setup.value("fakes_pull_their_recvs", false) || r.is_partial || !runnable(r).ok()) return take(r, c, [this, r] { return run(r); });
  // What it needs of the real task comes first.
  auto pulled = std::make_shared<bool>(false);
  take(r, c, [this, r] { return run(r); });
  pull(r, [pulled] { *pulled = true; });
}

void Fake::pull(const RunGraphRequest& r, Callback) {
  const auto graph = graphs_.at(r.graph);
  for (const NodeSpec& n : graph->nodes) {
    if (n.op != "_Recv" && n.op != "_HostRecv") continue;
    const auto text = [&](const char* name) { return *n.attrs.get<std::string>(name); };
    if (!text("send_device").starts_with(stage_.directory.tasks[stage_.real.index()].name + "/")) continue;
    const std::string key = make_key(text("send_device"), static_cast<std::uint64_t>(*n.attrs.get<std::int64_t>("send_device_incarnation")), text("recv_device"), text("tensor_name"));
    stage_.pulls.push_back(who_.task + " " + key);
    RecvTensorRequest request;
    request.step = r.step;
    request.key = key_from_text(stage_.directory.env, key);
    (void)call(stage_.directory, who_.id, stage_.real, request, [](StatusOr<RecvTensorResponse>) {});
  }
}

StatusOr<RunGraphResponse> Fake::run(const RunGraphRequest& r) const {
  TARRY_RETURN_IF_ERROR(runnable(r));
  RunGraphResponse response;
  const GraphSpec& graph = *graphs_.at(r.graph);
  auto details = std::make_shared<RunGraphDetails>();
  if (r.exec.record_timeline || r.exec.record_costs) {
    std::vector<NodeStats> nodes;
    for (const NodeSpec& n : graph.nodes) nodes.push_back({n.name, "", {}, 0});
    details->stats.push_back({who_.devices.front().name, std::move(nodes)});
  }
  if (r.exec.record_partition_graphs) details->partition_graphs.push_back(graph);
  response.details = std::move(details);
  return response;
}

Received Fake::value_of(const std::string& node, const std::string& tensor_name, std::int64_t iteration) const {
  const Json dead = stage_.setup.value("dead", Json::array());
  if (std::ranges::any_of(dead, [&](const Json& d) { return d == node; })) return {nullptr, true};
  Json value = stage_.setup.value("values", Json::object()).value(node, Json(0));
  DataType type = DataType::kFloat;
  bool is_control = false;
  for (const auto& [handle, graph] : graphs_)
    for (const NodeSpec& n : graph->nodes) {
      const auto* name = n.attrs.get<std::string>("tensor_name");
      if (name == nullptr || *name != tensor_name || !n.op.ends_with("Send")) continue;
      if (const auto* t = n.attrs.get<DataType>("T")) type = *t;
      is_control = !n.inputs.empty() && n.inputs[0].find("/ctrl_") != std::string::npos;
    }
  if (is_control) return {make_tensor(DataType::kFloat, Shape({0})), false};
  if (value.is_object()) {
    if (value.contains("dtype")) type = *parse_type_name(value["dtype"].get<std::string>());
    const Json& all = value.at("by_iter");
    value = all[std::min(static_cast<std::size_t>(iteration), all.size() - 1)];
    if (value.is_null()) return {nullptr, true};
  }
  Json shape = Json::array(), flat = value.is_array() ? value : Json::array({value});
  if (value.is_array()) shape.push_back(value.size());
  return {tensor_from({{"dtype", enum_name(type)}, {"shape", shape}, {"value", flat}}), false};
}

StatusOr<RecvTensorResponse> Fake::tensor(const RecvTensorRequest& r) const {
  const auto key = parse_key(stage_.directory.env.text(r.key.text));
  if (!key.ok()) return key.status();
  const auto sender = std::ranges::find(who_.devices, key->send_device, &DeviceAttributes::name);
  const std::uint64_t have = sender == who_.devices.end() ? 0 : sender->incarnation;
  if (have != key->incarnation)
    return error(Code::kAborted, "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job (\"{}\") was probably restarted. Check your worker job for the "
                                 "reason why it was restarted.", key->incarnation, have, task_name(who_.task));
  const std::string name(key->tensor_name);  // edge_<id>_NODE
  const std::size_t second = name.find('_', name.find('_') + 1);
  return RecvTensorResponse{value_of(second == std::string::npos ? name : name.substr(second + 1), name, r.key.iteration)};
}

}  // namespace

std::string task_name(const std::string& job_and_index) {
  const std::size_t colon = job_and_index.find(':');
  return fmt::format("/job:{}/replica:0/task:{}", job_and_index.substr(0, colon), job_and_index.substr(colon + 1));
}

FakeIdentity make_fake(const Directory& directory, const std::string& task, const Json& devices, int restarts) {
  FakeIdentity who{task, directory.find(task_name(task)), {}};
  const std::uint64_t letter = static_cast<std::uint64_t>(task[0] - 'a' + 1), index = std::stoull(task.substr(task.find(':') + 1));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string local = devices[i];
    const std::uint64_t incarnation = 0x1000 * static_cast<std::uint64_t>(1 + restarts) + 0x100 * letter + 0x10 * index + i + 1;
    who.devices.push_back({fmt::format("{}/device:{}", task_name(task), local), local.substr(0, local.find(':')), 256 << 20, incarnation, 0});
  }
  return who;
}

std::unique_ptr<WorkerService> start_fake(Stage& stage, FakeIdentity who) { return std::make_unique<Fake>(stage, std::move(who)); }
void break_connections(WorkerService& fake, const std::string& text) { static_cast<Fake&>(fake).break_connections(text); }

}  // namespace tarry::rpc
