// What a client asks its master, and what it does with the answers (docs/rules/runtime.md#E.8).

#include "workers/master/client_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "workers/fake_env.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Answers a step with a number for each tensor that it fetches: 0, 1, ...
struct ScriptedMaster final : MasterService {
  explicit ScriptedMaster(FakeEnv& e) : env(e) {}
  void serve(CreateSessionRequest r, ServerCall<CreateSessionResponse> call) override {
    said.push_back("create " + std::to_string(r.graph->nodes.size()) + " at " + r.target);
    if (!creates_as.ok()) return call.answer(creates_as);
    call.answer(CreateSessionResponse{"S"});
  }
  void serve(ExtendSessionRequest r, ServerCall<ExtendSessionResponse> call) override {
    said.push_back(
        fmt::format("extend {} from version {} by {}", r.session, r.current_version, r.graph->nodes[0].name));
    call.answer(ExtendSessionResponse{r.current_version + 1});
  }
  void serve(RunStepRequest r, ServerCall<RunStepResponse> call) override {
    said.push_back(fmt::format("run {} for {}", fmt::join(r.targets, " "), fmt::join(r.fetches, " ")));
    asked_at.push_back(env.now());
    ids.insert(r.request_id);
    last = r;
    if (is_silent) return;
    if (unavailable > 0) return --unavailable, call.answer(error(Code::kUnavailable, "nobody is there"));
    RunStepResponse answer;
    answer.status = ends_as;
    for (std::size_t i = 0; i < r.fetches.size() && answers_all; ++i)
      answer.tensors.push_back({r.fetches[i], make_scalar(static_cast<float>(i))});
    call.answer(std::move(answer));
  }
  void serve(CloseSessionRequest r, ServerCall<Empty> call) override {
    said.push_back("close " + r.session);
    call.answer(Empty{});
  }
  void serve(ResetRequest r, ServerCall<Empty> call) override {
    said.push_back(fmt::format("reset {}", fmt::join(r.containers, " ")));
    call.answer(Empty{});
  }
  void serve(PartialRunSetupRequest, ServerCall<PartialRunSetupResponse>) override {}
  void serve(ListDevicesRequest, ServerCall<ListDevicesResponse>) override {}
  void serve(MakeCallableRequest, ServerCall<MakeCallableResponse>) override {}
  void serve(RunCallableRequest, ServerCall<RunCallableResponse>) override {}
  void serve(ReleaseCallableRequest, ServerCall<Empty>) override {}

  FakeEnv& env;
  Status creates_as, ends_as;
  int unavailable = 0;
  bool is_silent = false, answers_all = true;
  std::vector<std::string> said;
  std::vector<Nanos> asked_at;
  std::set<std::uint64_t> ids;
  RunStepRequest last;
};

struct Client {
  explicit Client(const SessionConfig& config = {})
      : session(env, master, {{{"x", "NoOp", "", {}, {}}}}, config, "grpc://here:1") {}
  // The numbers that a run gives, or its error.
  std::string run(ClientRun r) {
    std::optional<std::string> got;
    session.run(std::move(r), [&](const StatusOr<std::vector<TensorRef>>& values) {
      got = "";
      if (!values.ok()) got = code_name(values.status().code()) + ": " + std::string(text_of(values.status()));
      for (const TensorRef& t : values.ok() ? *values : std::vector<TensorRef>())
        *got += fmt::format("{} ", t->as<float>()[0]);
    });
    env.run([&] { return got.has_value(); });
    return got.value_or("nothing");
  }
  std::string close() {
    std::optional<Status> got;
    session.close([&](Status s) { got = std::move(s); });
    env.run();
    return got ? std::string(text_of(*got)) : "nothing";
  }

  FakeEnv env;
  ScriptedMaster master{env};
  ClientSession session;
};

TEST(ClientSession, is_created_at_the_first_run_and_extended_by_what_the_graph_has_more) {
  Client c;
  c.run({.targets = {"x"}});
  c.run({.targets = {"x"}});
  c.session.grow({{"y", "NoOp", "", {}, {}}});
  c.run({.targets = {"y"}});
  c.session.grow({{"z", "NoOp", "", {}, {}}});
  c.run({.targets = {"z"}});
  c.run({.targets = {"z"}});
  EXPECT_EQ(c.close(), "");
  EXPECT_THAT(c.master.said,
              ElementsAre("create 1 at grpc://here:1", "run x for ", "run x for ", "extend S from version 0 by y",
                          "run y for ", "extend S from version 1 by z", "run z for ", "run z for ", "close S"));
}

TEST(ClientSession, fetches_a_tensor_once_and_gives_it_as_often_as_it_is_named) {
  Client c;
  EXPECT_EQ(c.run({.fetches = {"a:0", "b:0", "a:0"}}), "0 1 0 ");
  EXPECT_THAT(c.master.last.fetches, ElementsAre("a:0", "b:0"));
  EXPECT_TRUE(c.master.last.errors_in_body);
}

TEST(ClientSession, does_not_fetch_what_it_feeds_and_does_not_run_for_that_alone) {
  Client c;
  const std::vector<FedTensor> fed = {{"f:0", make_scalar(7.0F)}};
  EXPECT_EQ(c.run({.feeds = fed, .fetches = {"f:0", "f:0"}}), "7 7 ");
  EXPECT_THAT(c.master.said, IsEmpty());
  EXPECT_EQ(c.run({.feeds = fed, .fetches = {"a:0", "f:0"}}), "0 7 ");
  EXPECT_THAT(c.master.last.fetches, ElementsAre("a:0"));
  EXPECT_EQ(c.run({.feeds = fed, .fetches = {"f:0"}, .targets = {"x"}}), "7 ");
  EXPECT_EQ(c.master.said.back(), "run x for ");
  EXPECT_EQ(c.run({.feeds = fed}), "") << "it fetches nothing";
  EXPECT_EQ(c.master.asked_at.size(), 3u);
}

TEST(ClientSession, asks_again_with_the_same_id_while_nobody_is_there) {
  Client c;
  c.master.unavailable = 3;
  EXPECT_EQ(c.run({.fetches = {"a:0"}}), "0 ");
  EXPECT_EQ(c.master.ids.size(), 1u);
  EXPECT_EQ(c.master.ids.count(0), 0u) << "0 would be no id";
  EXPECT_THAT(c.master.asked_at, ElementsAre(0, 10'000'000, 23'000'000, 39'900'000)) << "1.3 times as long each time";
  c.run({.fetches = {"a:0"}});
  EXPECT_EQ(c.master.ids.size(), 2u) << "another run";
}

TEST(ClientSession, gives_up_after_ten_more_attempts) {
  Client c;
  c.master.unavailable = 100;
  EXPECT_EQ(c.run({.fetches = {"a:0"}}), "UNAVAILABLE: Graph execution error:\n\nnobody is there");
  EXPECT_EQ(c.master.asked_at.size(), 11u);
}

TEST(ClientSession, says_that_an_error_came_of_running_the_graph_wherever_it_came_from) {
  Client c;
  c.master.creates_as = error(Code::kInternal, "no session");
  EXPECT_EQ(c.run({.targets = {"x"}}), "INTERNAL: Graph execution error:\n\nno session");
  c.master.creates_as = Status();
  c.master.ends_as = error(Code::kAborted, "it broke");
  EXPECT_EQ(c.run({.targets = {"x"}}), "ABORTED: Graph execution error:\n\nit broke");
  EXPECT_EQ(c.master.said.size(), 3u) << "the session that failed was asked for again";
  c.master.ends_as = Status();
  c.master.answers_all = false;
  EXPECT_EQ(c.run({.fetches = {"a:0"}}), "INTERNAL: the master did not answer a:0");
}

TEST(ClientSession, waits_as_long_as_the_run_says_or_else_the_session) {
  Client c(SessionConfig{.operation_timeout_ms = 500});
  c.master.is_silent = true;
  const auto code = [](const std::string& said) { return said.substr(0, said.find(':')); };
  EXPECT_EQ(code(c.run({.targets = {"x"}})), "DEADLINE_EXCEEDED");
  EXPECT_EQ(c.env.now(), 500'000'000);
  EXPECT_EQ(c.master.last.options->timeout_ms, 500);
  EXPECT_EQ(code(c.run({.targets = {"x"}, .options = {.timeout_ms = 20}})), "DEADLINE_EXCEEDED");
  EXPECT_EQ(c.env.now(), 520'000'000);
}

TEST(ClientSession, that_is_closed_runs_nothing_and_that_never_ran_has_nothing_to_close) {
  Client c;
  EXPECT_EQ(c.close(), "");
  EXPECT_EQ(c.run({.targets = {"x"}}), "FAILED_PRECONDITION: Attempted to use a closed Session.");
  EXPECT_THAT(c.master.said, IsEmpty());
}

TEST(ClientSession, resets_a_master_without_a_session) {
  FakeEnv env;
  ScriptedMaster master{env};
  Status ended = error(Code::kInternal, "it did not end");
  ClientSession::reset(env, master, {"a", "b"}, [&](Status s) { ended = std::move(s); });
  env.run();
  EXPECT_EQ(ended, Status());
  EXPECT_THAT(master.said, ElementsAre("reset a b"));
}

}  // namespace
}  // namespace tarry
