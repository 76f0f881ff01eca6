// The outcome of a call in the transcripts' form.
#pragma once

#include "properties/conform/rpc/json_master.hpp"

namespace tarry::rpc {

// {"code", "message", "payloads", "response"} of an outcome.
template <class Response>
[[nodiscard]] Json outcome(const Env& env, const StatusOr<Response>& r) {
  Json j = to_json(r.status());
  if (!r.ok()) return j;
  if (Json body = to_json(env, *r); !body.empty()) j["response"] = std::move(body);
  return j;
}

}  // namespace tarry::rpc
