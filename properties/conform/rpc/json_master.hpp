// Converts MasterService's requests and responses to the transcripts' JSON, and back.
#pragma once

#include "properties/conform/rpc/json.hpp"
#include "workers/master/messages.hpp"

namespace tarry::rpc {

// The requests of clients, from a transcript.
[[nodiscard]] CreateSessionRequest read(const Json& j, const Reading&, CreateSessionRequest);
[[nodiscard]] ExtendSessionRequest read(const Json& j, const Reading&, ExtendSessionRequest);
[[nodiscard]] PartialRunSetupRequest read(const Json& j, const Reading&, PartialRunSetupRequest);
[[nodiscard]] RunStepRequest read(const Json& j, const Reading&, RunStepRequest);
[[nodiscard]] CloseSessionRequest read(const Json& j, const Reading&, CloseSessionRequest);
[[nodiscard]] ListDevicesRequest read(const Json& j, const Reading&, ListDevicesRequest);
[[nodiscard]] ResetRequest read(const Json& j, const Reading&, ResetRequest);
[[nodiscard]] MakeCallableRequest read(const Json& j, const Reading&, MakeCallableRequest);
[[nodiscard]] RunCallableRequest read(const Json& j, const Reading&, RunCallableRequest);
[[nodiscard]] ReleaseCallableRequest read(const Json& j, const Reading&, ReleaseCallableRequest);

// The requests that a fake master received.
[[nodiscard]] Json to_json(const CreateSessionRequest& r);
[[nodiscard]] Json to_json(const ExtendSessionRequest& r);
[[nodiscard]] Json to_json(const RunStepRequest& r);
[[nodiscard]] Json to_json(const CloseSessionRequest& r);
[[nodiscard]] Json to_json(const ResetRequest& r);

[[nodiscard]] Json to_json(const Env& env, const CreateSessionResponse& r);
[[nodiscard]] Json to_json(const Env& env, const ExtendSessionResponse& r);
[[nodiscard]] Json to_json(const Env& env, const PartialRunSetupResponse& r);
[[nodiscard]] Json to_json(const Env& env, const RunStepResponse& r);
[[nodiscard]] Json to_json(const Env& env, const ListDevicesResponse& r);
[[nodiscard]] Json to_json(const Env& env, const MakeCallableResponse& r);
[[nodiscard]] Json to_json(const Env& env, const RunCallableResponse& r);

}  // namespace tarry::rpc
