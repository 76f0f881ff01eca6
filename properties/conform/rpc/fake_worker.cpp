#include "properties/conform/rpc/fake_worker.hpp"

#include <algorithm>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/outcome.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/sessions.hpp"

namespace tarry::rpc {
namespace {

struct Taken {  // a call, and the rule for it
  std::shared_ptr<RecordedCall> record;
  Json rule;
};

// "device:CPU:0" of a full name.
std::string_view local_part(std::string_view device) { return device.substr(device.rfind('/') + 1); }

DataType value_type(const Json& name) {
  const auto type = parse_type_name(name.get<std::string>());
  if (!type) malformed("values: unknown dtype {}", name.dump());
  return *type;
}

TensorRef zero(DataType type) {
  return tensor_from({{"dtype", enum_name(type)}, {"shape", Json::array()}, {"value", Json::array({0})}});
}

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
    const auto all = held_;
    for (const auto& [number, held] : all) {
      held.cancelled();
      held.over(error(Code::kUnavailable, "{}", text));
    }
    held_.clear();
  }
  void fall_silent() { held_.clear(); }

 private:
  struct Held {  // a call without an answer
    std::function<void(Status)> over;
    std::function<void()> cancelled;
  };

  template <class Request>
  void take_empty(const Request& r, const ServerCall<Empty>& c) {
    take(r, c, [] { return StatusOr<Empty>(Empty{}); });
  }

  // Writes the call down and answers it after the usual time, or as a rule says.
  template <class Request, class Answer>
  void take(const Request& request, ServerCall<typename Request::Response> call, Answer answer) {
    const Taken taken = write_down(Request::kMethod, to_json(stage_.directory.env, request));
    reply_later(taken, call, std::move(answer));
  }

  template <class Response, class Answer>
  void reply_later(const Taken& taken, ServerCall<Response> call, Answer answer) {
    const auto reply = [this, taken, call, answer] {
      if (!held_.contains(taken.record->number)) return;  // nobody hears it
      StatusOr<Response> r = taken.rule.contains("code") ? StatusOr<Response>(ruled(taken.rule)) : answer();
      if (r.ok()) put_into_body(taken.rule, *r);
      finish(*taken.record, outcome(stage_.directory.env, r));
      if (r.ok()) drop_dead_value(*r);
      call.answer(std::move(r));
    };
    const TimerId timer = schedule(taken.rule, reply);
    const auto gave_up = [this, taken, timer, reply] { cancelled(taken, timer, reply); };
    held_[taken.record->number] = {[call](Status s) { call.answer(std::move(s)); },
                                   gave_up};  // before the timer can run
    call.on_cancel(gave_up);
  }

  static void put_into_body(const Json& rule, RunGraphResponse& r) {
    if (rule.contains("body_code"))
      r.status = Status(code_from(rule.at("body_code")), rule.value("body_message", std::string()));
  }
  template <class Response>
  static void put_into_body(const Json&, Response&) {}

  // The real one's answer carries a value even when it is dead; ours would take it for alive.
  static void drop_dead_value(RecvTensorResponse& r) {
    if (r.value.is_dead) r.value.tensor = nullptr;
  }
  template <class Response>
  static void drop_dead_value(Response&) {}

  template <class Then>
  TimerId schedule(const Json& rule, Then then) {
    Env& env = stage_.directory.env;
    const bool hangs = rule.value("hang", false);
    if (hangs && !rule.contains("hang_s")) return TimerId::none();
    return env.after(nanos(hangs ? seconds_at(rule, "hang_s", 0)
                                 : seconds_at(rule, "delay_s", seconds_at(stage_.setup, "reply_delay_s", 0))),
                     std::move(then));
  }

  // Who hangs until then says so; who only takes its time answers now, unless it does not look.
  template <class Reply>
  void cancelled(const Taken& taken, TimerId timer, const Reply& reply) {
    Env& env = stage_.directory.env;
    RecordedCall& record = *taken.record;
    if (!held_.contains(record.number)) return;  // does not hear of it
    record.cancelled_at = env.now();
    record.answered_at_cancel = answered();
    const bool hangs = taken.rule.value("hang", false);
    if (!hangs && !(taken.rule.contains("delay_s") && taken.rule.value("stop_on_cancel", true))) return;
    if (timer.valid()) env.cancel(timer);
    if (hangs)
      finish(record, {{"code", "CANCELLED"}, {"message", "held until the call was cancelled"}});
    else
      reply();
  }

  void finish(RecordedCall& record, Json reply) {
    held_.erase(record.number);
    reply.erase("payloads");  // are not written down there
    record.reply = std::move(reply);
    record.replied_at = stage_.directory.env.now();
  }

  [[nodiscard]] std::vector<std::size_t> answered() const {
    std::vector<std::size_t> numbers;
    for (const auto& call : stage_.calls)
      if (call->replied_at >= 0 && call->cancelled_at != stage_.directory.env.now())
        numbers.push_back(call->number);  // cancelled together: not before
    return numbers;
  }

  Taken write_down(Method m, Json request) {
    auto record = std::make_shared<RecordedCall>(
        RecordedCall{who_.task, m, std::move(request), nullptr, stage_.directory.env.now()});
    record->number = stage_.calls.size();
    record->answered_before = answered();
    stage_.calls.push_back(record);
    return {record, rule_for(m)};
  }

  Json rule_for(Method m) {
    const int nth = ++count_[m];
    for (const Json& rule : stage_.rules) {
      if (rule.at("method") != method_name(m) || rule.value("task", who_.task) != who_.task) continue;
      const int first = rule.value("nth", 0), last = rule.value("to_nth", first);
      if (first == 0 || (nth >= first && nth <= last)) return rule;
    }
    return Json::object();
  }

  static Status ruled(const Json& rule) {
    const Status s(code_from(rule.at("code")), rule.value("message", std::string()));
    return rule.value("derived", false) ? as_derived(s) : s;
  }

  [[nodiscard]] Status unknown_session(const std::string& session) const {
    return error(Code::kAborted, "Session handle is not found: {}. Possibly this worker (\"{}\") just restarted.",
                 session, task_name(who_.task));
  }

  StatusOr<RegisterGraphResponse> register_graph(const RegisterGraphRequest& r) {
    if (r.session_was_created && !sessions_.contains(r.session)) return unknown_session(r.session);
    const std::string handle = fmt::format("{:016x}", ++graph_count_);
    graphs_[handle] = r.graph.spec;
    return RegisterGraphResponse{handle};
  }

  [[nodiscard]] Status runnable(const RunGraphRequest& r) const {
    if (!sessions_.contains(r.session)) return unknown_session(r.session);
    if (!graphs_.contains(r.graph)) return error(Code::kAborted, "Graph handle is not found: {}", r.graph.get());
    return {};
  }

  StatusOr<RunGraphResponse> run(const RunGraphRequest& r) const;
  [[nodiscard]] std::vector<std::string> keys_to_pull(const RunGraphRequest& r) const;
  void pull(const RunGraphRequest& r, std::function<void()> then);
  StatusOr<RecvTensorResponse> tensor(const RecvTensorRequest& r) const;
  [[nodiscard]] Received value_of(const std::string& node, const std::string& tensor_name,
                                  std::int64_t iteration) const;

  Stage& stage_;
  FakeIdentity who_;
  std::set<std::string> sessions_;
  std::map<std::string, std::shared_ptr<const GraphSpec>> graphs_;
  std::uint64_t graph_count_ = 0;
  std::map<Method, int> count_;
  std::uint64_t pulls_ = 0;
  std::map<std::size_t, Held> held_;  // by number of the call
};

// What it needs of the real task comes first.
void Fake::serve(RunGraphRequest r, ServerCall<RunGraphResponse> c) {
  const Taken taken = write_down(Method::run_graph, to_json(stage_.directory.env, r));
  pull(r, [this, taken, c, r] { reply_later(taken, c, [this, r] { return run(r); }); });
}

// Receives outside loops whose sender is the real task.
std::vector<std::string> Fake::keys_to_pull(const RunGraphRequest& r) const {
  std::vector<std::string> keys;
  if (!stage_.setup.value("fakes_pull_their_recvs", false) || r.is_partial || !runnable(r).ok()) return keys;
  for (const NodeSpec& n : graphs_.at(r.graph)->nodes) {
    const auto text = [&](const char* name) {
      const auto* found = n.attrs.get<std::string>(name);
      return found == nullptr ? std::string() : *found;
    };
    const bool is_recv = n.op == "_Recv" && !(!n.inputs.empty() && n.inputs[0].starts_with("^_cloop"));
    const auto* incarnation = n.attrs.get<std::int64_t>("send_device_incarnation");
    if (!is_recv || incarnation == nullptr ||
        !text("send_device").starts_with(stage_.directory.tasks[stage_.real.index()].name + "/"))
      continue;
    keys.push_back(make_key(text("send_device"), static_cast<std::uint64_t>(*incarnation), text("recv_device"),
                            text("tensor_name")));
  }
  return keys;
}

void Fake::pull(const RunGraphRequest& r, std::function<void()> then) {
  const std::vector<std::string> keys = keys_to_pull(r);
  if (keys.empty()) return then();
  auto left = std::make_shared<std::size_t>(keys.size());
  for (const std::string& key : keys) {
    RecvTensorRequest request;
    request.step = r.step;
    request.key = key_from_text(stage_.directory.env, key);
    request.request_id = stage_.directory.request_id(r.step, who_.id, ++pulls_);
    (void)call(stage_.directory, who_.id, stage_.real, request,
               [this, request, left, then](const StatusOr<RecvTensorResponse>& answer) {
                 const Env& env = stage_.directory.env;
                 stage_.pulls.push_back(
                     {{"by", who_.task}, {"request", to_json(env, request)}, {"reply", outcome(env, answer)}});
                 if (--*left == 0) then();
               });
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
  if (!details->stats.empty() || !details->partition_graphs.empty()) response.details = std::move(details);
  return response;
}

Received Fake::value_of(const std::string& node, const std::string& tensor_name, std::int64_t iteration) const {
  const Json dead = stage_.setup.value("dead", Json::array());
  const bool is_dead = std::ranges::any_of(dead, [&](const Json& d) { return d == node || d == "every tensor"; });
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
    if (value.contains("dtype")) type = value_type(value.at("dtype"));
    const Json all = value.at("by_iter");
    if (all.empty()) malformed("values: '{}' has an empty 'by_iter'", node);
    value = all.at(std::min(static_cast<std::size_t>(iteration), all.size() - 1));
    if (value.is_null()) return {zero(type), true};
  }
  if (is_dead) return {zero(type), true};
  Json shape = Json::array(), flat = value.is_array() ? value : Json::array({value});
  if (value.is_array()) shape.push_back(value.size());
  return {tensor_from({{"dtype", enum_name(type)}, {"shape", shape}, {"value", flat}}), false};
}

StatusOr<RecvTensorResponse> Fake::tensor(const RecvTensorRequest& r) const {
  const auto key = parse_key(stage_.directory.env.text(r.key.text));
  if (!key.ok()) return key.status();
  const auto sender = std::ranges::find_if(
      who_.devices, [&](const DeviceAttributes& d) { return local_part(d.name) == local_part(key->send_device); });
  const std::uint64_t have = sender == who_.devices.end() ? 0 : sender->incarnation;
  if (have != key->incarnation)
    return error(Code::kAborted,
                 "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job (\"{}\") was probably "
                 "restarted. Check your worker job for the "
                 "reason why it was restarted.",
                 key->incarnation, have, task_name(who_.task));
  const std::string name(key->tensor_name);  // edge_<id>_NODE
  const std::size_t second = name.find('_', name.find('_') + 1);
  return RecvTensorResponse{
      value_of(second == std::string::npos ? name : name.substr(second + 1), name, r.key.iteration)};
}

}  // namespace

std::string task_name(const std::string& job_and_index) {
  const std::size_t colon = job_and_index.find(':');
  return fmt::format("/job:{}/replica:0/task:{}", job_and_index.substr(0, colon), job_and_index.substr(colon + 1));
}

FakeIdentity make_fake(const Directory& directory, const std::string& task, const Json& devices, int restarts) {
  constexpr std::uint64_t kMostTasks = 100'000;
  FakeIdentity who{task, directory.find(task_name(task)), {}};
  const std::uint64_t letter = static_cast<std::uint64_t>(task[0]) - 'a' + 1,
                      index = whole_number(std::string_view(task).substr(task.find(':') + 1), kMostTasks);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string local = devices.at(i);
    const std::uint64_t incarnation =
        0x1000 * static_cast<std::uint64_t>(1 + restarts) + 0x100 * letter + 0x10 * index + i + 1;
    who.devices.push_back({fmt::format("{}/device:{}", task_name(task), local), local.substr(0, local.find(':')),
                           256 << 20, incarnation, 0});
  }
  return who;
}

std::unique_ptr<WorkerService> start_fake(Stage& stage, FakeIdentity who) {
  return std::make_unique<Fake>(stage, std::move(who));
}
void break_connections(WorkerService& fake, const std::string& text) {
  if (auto* f = dynamic_cast<Fake*>(&fake)) f->break_connections(text);
}
void fall_silent(WorkerService& fake) {
  if (auto* f = dynamic_cast<Fake*>(&fake)) f->fall_silent();
}

}  // namespace tarry::rpc
