#include "properties/conform/rpc/fake_master.hpp"

#include "properties/conform/rpc/outcome.hpp"

namespace tarry::rpc {
namespace {

void put_into_body(const Json& rule, RunStepResponse& r) {
  if (!rule.contains("body_code")) return;
  r = {};
  r.status = Status(code_from(rule.at("body_code")), rule.value("body_message", std::string()));
}
template <class Response>
void put_into_body(const Json&, Response&) {}

template <class Response>
Json reply_json(const Env& env, const StatusOr<Response>& r) {
  Json j = outcome(env, r);
  if (r.ok() && !j.contains("response")) j["response"] = Json::object();
  return j;
}

}  // namespace

Json FakeMaster::rule_for(const std::string& method) {
  const int nth = ++count_[method];
  for (const Json& rule : setup_.value("rules", Json::array())) {
    const int first = rule.value("nth", 0), last = rule.value("to_nth", first);
    if (rule.at("method") == method && (first == 0 || (nth >= first && nth <= last))) return rule;
  }
  return Json::object();
}

// A rule changes the answer; one that hangs is answered when the caller has given up. Gives the rule.
template <class Response>
Json FakeMaster::take(const std::string& method, Json request, const ServerCall<Response>& call, Response response) {
  const Json rule = rule_for(method);
  const auto record = calls.emplace_back(
      std::make_shared<MasterCall>(MasterCall{method, std::move(request), nullptr, in_seconds(call.timeout())}));
  put_into_body(rule, response);
  StatusOr<Response> r =
      rule.contains("code")
          ? StatusOr<Response>(Status(code_from(rule.at("code")), rule.value("message", std::string())))
          : std::move(response);
  record->reply = reply_json(env_, r);
  if (rule.value("hang", false))
    call.on_cancel([record] { record->cancelled = true; });
  else
    call.answer(std::move(r));
  return rule;
}

void FakeMaster::serve(CreateSessionRequest r, ServerCall<CreateSessionResponse> c) {
  take("CreateSession", to_json(r), c, CreateSessionResponse{setup_.at("session_handle")});
}
void FakeMaster::serve(ExtendSessionRequest r, ServerCall<ExtendSessionResponse> c) {
  const bool succeeds = !take("ExtendSession", to_json(r), c, ExtendSessionResponse{version_ + 1}).contains("code");
  version_ += succeeds ? 1 : 0;
}
void FakeMaster::serve(RunStepRequest r, ServerCall<RunStepResponse> c) { take("RunStep", to_json(r), c, answer(r)); }
void FakeMaster::serve(CloseSessionRequest r, ServerCall<Empty> c) { take("CloseSession", to_json(r), c, Empty{}); }
void FakeMaster::serve(ResetRequest r, ServerCall<Empty> c) { take("Reset", to_json(r), c, Empty{}); }

RunStepResponse FakeMaster::answer(const RunStepRequest& r) const {
  RunStepResponse response;
  for (const std::string& f : r.fetches)
    response.tensors.push_back(
        {f, tensor_from(
                {{"dtype", "DT_FLOAT"}, {"shape", Json::array()}, {"value", {setup_.at("values").value(f, 1.0)}}})});
  return response;
}

}  // namespace tarry::rpc
