// For tests of masters: one whose workers write down what they hear, and answer as they are told.
#pragma once

#include <string>
#include <vector>

#include "workers/fake_env.hpp"
#include "workers/master/master.hpp"
#include "workers/worker/silent_worker.hpp"

namespace tarry {

// What a worker was asked for, and what it answers.
struct Heard {
  std::vector<CreateWorkerSessionRequest> sessions;
  std::vector<RegisterGraphRequest> graphs;
  std::vector<RunGraphRequest> runs;
  std::vector<StepId> cleaned;
  std::vector<std::string> logging;
  std::vector<std::string> deleted, emptied;  // sessions, containers
  int status_calls = 0;
  Status status_is, opens_as, registers_as, runs_end, cleaned_as, deletes_as, empties_as;
  bool never_says_status = false, never_ends = false, never_cleans = false, never_deletes = false;
};

class RecordingWorker final : public SilentWorker {
 public:
  RecordingWorker(std::string device, Heard& heard) : device_(std::move(device)), heard_(heard) {}
  using SilentWorker::serve;
  void serve(GetStatusRequest, ServerCall<GetStatusResponse> call) override {
    ++heard_.status_calls;
    if (heard_.never_says_status) return;
    if (!heard_.status_is.ok()) return call.answer(heard_.status_is);
    call.answer(GetStatusResponse{{{device_, "CPU", 1 << 20, 9, -1}}});
  }
  void serve(CreateWorkerSessionRequest r, ServerCall<Empty> call) override {
    heard_.sessions.push_back(r);
    answer(call, heard_.opens_as);
  }
  void serve(DeleteWorkerSessionRequest r, ServerCall<Empty> call) override {
    heard_.deleted.push_back(r.session);
    if (!heard_.never_deletes) answer(call, heard_.deletes_as);
  }
  void serve(RegisterGraphRequest r, ServerCall<RegisterGraphResponse> call) override {
    heard_.graphs.push_back(r);
    if (!heard_.registers_as.ok()) return call.answer(heard_.registers_as);
    call.answer(RegisterGraphResponse{"1"});
  }
  void serve(RunGraphRequest r, ServerCall<RunGraphResponse> call) override {
    heard_.runs.push_back(r);
    if (heard_.never_ends) return;
    RunGraphResponse answer;
    answer.status = heard_.runs_end;
    call.answer(std::move(answer));
  }
  void serve(CleanupGraphRequest r, ServerCall<Empty> call) override {
    heard_.cleaned.push_back(r.step);
    if (!heard_.never_cleans) answer(call, heard_.cleaned_as);
  }
  void serve(CleanupAllRequest r, ServerCall<Empty> call) override {
    for (const std::string& container : r.containers) heard_.emptied.push_back(container);
    answer(call, heard_.empties_as);
  }
  void serve(LoggingRequest r, ServerCall<LoggingResponse> call) override {
    heard_.logging.push_back(fmt::format("{}{}{}", r.enable ? "on" : "", r.disable ? "off" : "",
                                         r.fetch.empty() ? "" : fmt::format("fetch {}", r.fetch.size())));
    LoggingResponse answer;
    for (const StepId step : r.fetch)
      answer.steps.emplace_back(step, StepStats{{device_, {{"RecvTensor", "a label", {}, 8}}}});
    call.answer(std::move(answer));
  }

 private:
  static void answer(const ServerCall<Empty>& call, const Status& s) {
    call.answer(s.ok() ? StatusOr<Empty>(Empty{}) : s);
  }

  std::string device_;
  Heard& heard_;
};

// A master at task 0; its own worker and another one are recording ones.
struct Watched {
  static std::string task(int i) { return fmt::format("/job:a/replica:0/task:{}", i); }
  static std::string device(int i) { return task(i) + "/device:CPU:0"; }

  Watched() {
    directory.auditor = &auditor;
    directory.is_exact = true;  // requests have ids
    directory.start(TaskId{0u}, std::make_unique<RecordingWorker>(device(0), own));
    directory.start(TaskId{1u}, std::make_unique<RecordingWorker>(device(1), other));
  }
  template <class Request>
  StatusOr<typename Request::Response> ask(Request request) {
    StatusOr<typename Request::Response> got = error(Code::kInternal, "no answer");
    (void)call_master(master, env, std::move(request),
                      ReplyDone<typename Request::Response>([&got](auto r) { got = std::move(r); }));
    env.run();
    return got;
  }
  // A session with an op at each of the tasks that are named.
  std::string open(std::initializer_list<int> tasks, SessionConfig config = {}) {
    GraphSpec g;
    for (const int i : tasks) g.nodes.push_back({fmt::format("n{}", i), "NoOp", device(i), {}, {}});
    return ask(CreateSessionRequest{std::make_shared<const GraphSpec>(g), std::move(config), "grpc://here:1"})->session;
  }
  StatusOr<RunStepResponse> step(const std::string& session, const std::vector<std::string>& targets = {"n1"},
                                 TraceLevel trace = TraceLevel::none) {
    return ask(RunStepRequest{.session = session, .targets = targets, .options = StepOptions{trace}});
  }
  [[nodiscard]] bool has(Mark m) { return auditor.audit().marks.test(static_cast<std::size_t>(m)); }
  // Warnings and errors.
  [[nodiscard]] std::vector<std::string> logged() const {
    std::vector<std::string> all;
    for (const auto& [at, event] : env.events)
      if (const auto* line = std::get_if<LogLine>(&event); line != nullptr && line->level != 'I')
        all.push_back(fmt::format("{} {}", line->level, env.text(line->text)));
    return all;
  }

  FakeEnv env;
  Auditor auditor{env};
  Directory directory{env, {{task(0), {device(0)}, 7, "here:1"}, {task(1), {device(1)}, 8, "there:1"}}};
  Master master{directory, TaskId{0u}, {}};
  Heard own, other;
};

}  // namespace tarry
