// A fake worker, as the recorder had it: it does what a worker does, except that it computes nothing (the transcripts'
// README).
//
// It remembers sessions and graphs, answers RecvTensor from a table of values, obeys rules that change its answers, and
// writes down every call that it received. Every answer comes a fixed time after its call.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "properties/conform/rpc/transcript.hpp"
#include "workers/worker/rpc.hpp"
#include "workers/worker/service.hpp"

namespace tarry::rpc {

struct RecordedCall {
  std::string to;
  Method method = Method::get_status;
  Json request, reply;  // `reply` is null until it is answered
  Nanos at = 0, replied_at = -1, cancelled_at = -1;
  std::size_t number = 0;                       // in order of arrival
  std::vector<std::size_t> answered_before;     // calls that had been answered when this one arrived
  std::vector<std::size_t> answered_at_cancel;  // and when it was cancelled
};

// The state that all fakes of a case share.
struct Stage {
  Stage(Directory& d, const Json& s) : directory(d), setup(s), rules(s.value("rules", Json::array())) {}
  Directory& directory;
  const Json& setup;
  Json rules;
  std::vector<std::shared_ptr<RecordedCall>> calls;
  std::vector<Json> pulls;  // RecvTensors that fakes sent to the real task: {"by", "request", "reply"}
  TaskId real;
  std::vector<std::unique_ptr<WorkerService>> gone;  // ended processes: late timers may still refer to them
};

// Which task a fake plays, and its devices.
struct FakeIdentity {
  std::string task;  // "worker:1"
  TaskId id;
  std::vector<DeviceAttributes> devices;
};

// The devices of a fake task: the incarnation of device i of task job:t is 0x1000 (1 + restarts) + 0x100 c + 0x10 t + i
// + 1, where c is the job's first letter, a = 1.
[[nodiscard]] FakeIdentity make_fake(const Directory& directory, const std::string& task, const Json& devices,
                                     int restarts);

[[nodiscard]] std::unique_ptr<WorkerService> start_fake(Stage& stage, FakeIdentity who);
// Both do nothing to a worker that is no fake.
// Ends its connections: every call that it holds fails with UNAVAILABLE and `text`.
void break_connections(WorkerService& fake, const std::string& text);
// Loses its packets: no call that it holds is answered, and it learns of no cancellation.
void fall_silent(WorkerService& fake);

[[nodiscard]] std::string task_name(const std::string& job_and_index);  // "worker:1" -> "/job:worker/replica:0/task:1"

}  // namespace tarry::rpc
