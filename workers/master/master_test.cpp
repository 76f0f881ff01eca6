// The master service over one task: what the transcripts that ship do not show (docs/rules/runtime.md#E).

#include "workers/master/master.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/worker/silent_worker.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

const std::string kTask = "/job:master/replica:0/task:0", kCpu = kTask + "/device:CPU:0";

NodeSpec node(std::string name, std::string op, std::vector<std::string> inputs) {
  return {std::move(name), std::move(op), kCpu, std::move(inputs), {{"T", DataType::kFloat}}};
}

// x -> y = -x
GraphSpec negation() {
  GraphSpec g;
  g.nodes = {{"x", "Placeholder", kCpu, {}, {{"dtype", DataType::kFloat}}}, node("y", "Neg", {"x"})};
  return g;
}

TensorRef scalar(float v) {
  MutableTensor t = make_tensor(DataType::kFloat, Shape());
  t->mutable_as<float>()[0] = v;
  return t;
}

struct World {
  World() : directory(env, {{kTask, {kCpu}, 7, "here:1"}}), master(directory, TaskId{0u}, {}) {
    directory.start(TaskId{0u}, std::make_unique<Worker>(directory, TaskId{0u}, WorkerOptions{}));
  }

  template <class Request>
  StatusOr<typename Request::Response> ask(Request request) {
    std::optional<StatusOr<typename Request::Response>> got;
    (void)call_master(master, env, std::move(request),
                      ReplyDone<typename Request::Response>([&got](auto r) { got = std::move(r); }));
    env.run([&] { return got.has_value(); });
    return got ? *std::move(got) : StatusOr<typename Request::Response>(error(Code::kInternal, "no answer"));
  }

  std::string create(SessionConfig config = {}) {
    const auto r =
        ask(CreateSessionRequest{std::make_shared<const GraphSpec>(negation()), std::move(config), "grpc://here:1"});
    return r.ok() ? r->session : std::string(text_of(r.status()));
  }
  StatusOr<RunCallableResponse> call(const std::string& session, std::int64_t handle, std::vector<TensorRef> feeds) {
    return ask(RunCallableRequest{session, handle, std::move(feeds)});
  }

  FakeEnv env;
  Directory directory;
  Master master;
};

TEST(Master, a_callables_handle_counts_from_0_and_its_results_keep_their_order) {
  World w;
  const std::string session = w.create();
  for (std::int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(w.ask(MakeCallableRequest{session, {{"x:0"}, {"y:0", "y:0"}, {}, {}}})->handle, i);
  const auto r = w.call(session, 1, {scalar(3)});
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->fetched.size(), 2u);
  for (const TensorRef& t : r->fetched) EXPECT_EQ(t->as<float>()[0], -3);
}

TEST(Master, a_callable_that_is_not_there_or_is_given_too_little_is_refused) {
  World w;
  const std::string session = w.create();
  EXPECT_EQ(text_of(w.call(session, 0, {}).status()), "No such callable handle: 0");
  ASSERT_TRUE(w.ask(MakeCallableRequest{session, {{"x:0"}, {"y:0"}, {}, {}}}).ok());
  EXPECT_EQ(w.call(session, 0, {}).status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(w.ask(ReleaseCallableRequest{session, 0}).ok());
  EXPECT_EQ(text_of(w.call(session, 0, {scalar(1)}).status()),
            "Attempted to run callable after handle was released: 0");
}

TEST(Master, an_extension_adds_1_to_the_version_and_a_refused_one_nothing) {
  World w;
  const std::string session = w.create();
  const auto extend = [&](std::vector<NodeSpec> nodes, std::int64_t version) {
    GraphSpec g;
    g.nodes = std::move(nodes);
    return w.ask(ExtendSessionRequest{session, std::make_shared<const GraphSpec>(std::move(g)), version});
  };
  EXPECT_EQ(text_of(extend({}, 5).status()), "Current version is 0 but caller expected 5.");
  EXPECT_EQ(text_of(extend({node("y", "Neg", {"x"})}, 0).status()),
            "GraphDef argument to Extend includes node 'y', which was created by a previous call to Create or Extend "
            "in this session.");
  EXPECT_EQ(text_of(extend({node("lost", "Neg", {"nobody"})}, 0).status()), "Node 'lost': Unknown input node 'nobody'");
  EXPECT_EQ(extend({}, 0)->new_version, 1);
  EXPECT_EQ(extend({node("z", "Neg", {"y"})}, 1)->new_version, 2);
  const auto r = w.ask(RunStepRequest{session, {{"x:0", scalar(2)}}, {"z:0"}, {}, {}});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->tensors.at(0).value->as<float>()[0], 2);
}

// Both calls of a worker's have one step and one graph: only their request ids differ.
TEST(Master, a_partial_run_calls_one_worker_twice_and_neither_call_is_taken_for_the_other) {
  World w;
  w.directory.is_exact = true;
  GraphSpec two = negation();
  two.nodes.push_back({"x2", "Placeholder", kCpu, {}, {{"dtype", DataType::kFloat}}});
  two.nodes.push_back(node("z", "AddV2", {"y", "x2"}));
  const std::string session =
      w.ask(CreateSessionRequest{std::make_shared<const GraphSpec>(two), {}, "grpc://here:1"})->session;
  const auto setup = w.ask(PartialRunSetupRequest{session, {"x:0", "x2:0"}, {"y:0", "z:0"}, {}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  const auto first = w.ask(RunStepRequest{
      .session = session, .feeds = {{"x:0", scalar(2)}}, .fetches = {"y:0"}, .partial_run = setup->handle});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->tensors.at(0).value->as<float>()[0], -2);
  const auto second = w.ask(RunStepRequest{
      .session = session, .feeds = {{"x2:0", scalar(5)}}, .fetches = {"z:0"}, .partial_run = setup->handle});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->tensors.at(0).value->as<float>()[0], 3);
}

TEST(Master, a_tensor_that_is_fed_twice_is_refused) {
  World w;
  const std::string session = w.create();
  const std::vector<FedTensor> twice = {{"x:0", scalar(2)}, {"x:0", scalar(3)}};
  EXPECT_EQ(text_of(w.ask(RunStepRequest{.session = session, .feeds = twice, .fetches = {"y:0"}}).status()),
            "Endpoint \"x:0\" fed more than once.");
  const auto setup = w.ask(PartialRunSetupRequest{session, {"x:0"}, {"y:0"}, {}});
  EXPECT_EQ(text_of(w.ask(RunStepRequest{
                              .session = session, .feeds = twice, .fetches = {"y:0"}, .partial_run = setup->handle})
                        .status()),
            "Duplicated feeds: x:0");
}

TEST(Master, a_cluster_of_the_clients_must_have_the_master_under_another_name) {
  World w;
  SessionConfig config;
  config.cluster.jobs["train"][0] = "elsewhere:1";
  EXPECT_EQ(w.create(config),
            "The master (current machine) is not included in the provided cluster_def. job {\n  name: \"train\"\n  "
            "tasks {\n    key: 0\n    value: \"elsewhere:1\"\n  }\n}\n");
  config.cluster.jobs = {{"master", {{0, "here:1"}}}};
  EXPECT_EQ(w.create(config),
            "The ClusterSpec names the job and task index to be the same names that were provided when the server "
            "booted. This is currently not allowed. "
            "Job: master, task index: 0");
}

TEST(Master, a_cluster_of_the_clients_must_have_the_master_once) {
  World w;
  SessionConfig config;
  config.cluster.jobs = {{"a", {{0, "here:1"}}}, {"b", {{3, "here:1"}, {4, "elsewhere:1"}}}};
  EXPECT_EQ(w.create(config),
            "Found multiple matching tasks that correspond to to the master. Master target: 'grpc://here:1'. "
            "ClusterDef: job { name: \"a\" tasks { key: 0 value: \"here:1\" } } job { name: \"b\" "
            "tasks { key: 3 value: \"here:1\" } tasks { key: 4 value: \"elsewhere:1\" } }");
}

TEST(Master, a_filter_that_is_no_device_name_is_refused) {
  World w;
  SessionConfig config;
  config.device_filters = {"/jobps"};
  EXPECT_THAT(w.create(config), HasSubstr("'/jobps' in device_filters is not a device name"));
}

TEST(StatusGroup, several_causes_are_listed_latest_first_and_derived_ones_do_not_count) {
  StatusGroup group;
  group.add(as_derived(error(Code::kAborted, "follows")));
  EXPECT_EQ(text_of(group.concatenated()), "follows");
  group.add(invalid("first cause"));
  EXPECT_EQ(text_of(group.concatenated()), "first cause");
  group.add(error(Code::kOutOfRange, "second cause"));
  EXPECT_EQ(
      text_of(group.concatenated()),
      "\n=====================\nOUT_OF_RANGE: second cause\nINVALID_ARGUMENT: first cause\n=====================\n");
  EXPECT_EQ(group.concatenated().code(), Code::kOutOfRange);
}

// A worker that registers whatever comes. Its steps end at once as `ends` says, or, if that is OK, when they are
// cancelled.
struct ScriptedWorker final : SilentWorker {
  ScriptedWorker(std::string of_device, Status ends_as) : device(std::move(of_device)), ends(std::move(ends_as)) {}
  using SilentWorker::serve;
  void serve(GetStatusRequest, ServerCall<GetStatusResponse> call) override {
    call.answer(GetStatusResponse{{{device, "CPU", 1 << 20, 9, -1}}});
  }
  void serve(CreateWorkerSessionRequest, ServerCall<Empty> call) override { call.answer(Empty{}); }
  void serve(RegisterGraphRequest, ServerCall<RegisterGraphResponse> call) override {
    call.answer(RegisterGraphResponse{"1"});
  }
  void serve(CleanupGraphRequest, ServerCall<Empty> call) override { call.answer(Empty{}); }
  void serve(RunGraphRequest, ServerCall<RunGraphResponse> call) override {
    RunGraphResponse r;
    r.status = ends;
    if (!ends.ok()) return call.answer(std::move(r));
    call.on_cancel([this, call, r] {
      was_cancelled = true;
      call.answer(r);
    });
  }
  std::string device;
  Status ends;
  bool was_cancelled = false;
};

// A master, and two tasks that scripted workers play; a third may play the master's own.
struct ScriptedWorld {
  static std::string task(int i) { return fmt::format("/job:a/replica:0/task:{}", i); }
  static std::string device(int i) { return task(i) + "/device:CPU:0"; }

  ScriptedWorld(Status first_ends, Status second_ends, std::unique_ptr<WorkerService> own = nullptr) {
    if (own == nullptr) own = std::make_unique<Worker>(directory, TaskId{0u}, WorkerOptions{});
    directory.start(TaskId{0u}, std::move(own));
    auto a = std::make_unique<ScriptedWorker>(device(1), std::move(first_ends)),
         b = std::make_unique<ScriptedWorker>(device(2), std::move(second_ends));
    second = b.get();
    directory.start(TaskId{1u}, std::move(a));
    directory.start(TaskId{2u}, std::move(b));
  }
  template <class Request>
  StatusOr<typename Request::Response> ask(Request request) {
    std::optional<StatusOr<typename Request::Response>> got;
    (void)call_master(master, env, std::move(request),
                      ReplyDone<typename Request::Response>([&got](auto r) { got = std::move(r); }));
    env.run([&] { return got.has_value(); });
    return got.value();
  }

  FakeEnv env;
  Directory directory{
      env,
      {{task(0), {device(0)}, 7, "here:1"}, {task(1), {device(1)}, 8, "here:2"}, {task(2), {device(2)}, 9, "here:3"}}};
  Master master{directory, TaskId{0u}, {}};
  const ScriptedWorker* second = nullptr;
};

TEST(Master, takes_an_error_in_a_workers_body_for_a_cause_whatever_it_followed_from) {
  ScriptedWorld w(as_derived(error(Code::kCancelled, "it followed")), Status());
  GraphSpec g;
  for (const int i : {1, 2}) g.nodes.push_back({fmt::format("n{}", i), "NoOp", ScriptedWorld::device(i), {}, {}});
  const auto session = w.ask(CreateSessionRequest{std::make_shared<const GraphSpec>(g), {}, "grpc://here:1"});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto r = w.ask(RunStepRequest{.session = session->session, .targets = {"n1", "n2"}});
  EXPECT_EQ(text_of(r.status()), "From /job:a/replica:0/task:1:\nit followed");
  EXPECT_TRUE(w.second->was_cancelled);
}

// Whether a master still answers after its client has given up a partial run that task 1 has not ended.
bool answers_after_a_partial_run_given_up(ScriptedWorld& w) {
  const std::string device = ScriptedWorld::device(1);
  const auto g =
      std::make_shared<const GraphSpec>(GraphSpec{{{"x", "Placeholder", device, {}, {{"dtype", DataType::kFloat}}},
                                                   {"y", "Neg", device, {"x"}, {{"T", DataType::kFloat}}}}});
  const auto session = w.ask(CreateSessionRequest{g, {}, "grpc://here:1"})->session;
  const auto run = w.ask(PartialRunSetupRequest{session, {"x:0"}, {}, {"y"}});
  EXPECT_TRUE(run.ok()) << run.status();
  bool has_ended = false, has_answer = false;
  RunStepRequest step{.session = session, .feeds = {{"x:0", scalar(2)}}, .partial_run = run->handle};
  const CallRef call =
      call_master(w.master, w.env, std::move(step), ReplyDone<RunStepResponse>([&](auto) { has_ended = true; }));
  w.env.run();
  EXPECT_FALSE(has_ended);
  call->cancel();
  (void)call_master(w.master, w.env, CreateSessionRequest{g, {}, "grpc://here:1"},
                    ReplyDone<CreateSessionResponse>([&](auto) { has_answer = true; }));
  w.env.run();
  return has_answer;
}

TEST(Master, hangs_for_ever_when_a_partial_run_is_given_up_that_its_own_worker_has_not_ended) {
  ScriptedWorld is_behind{Status(), Status(), std::make_unique<ScriptedWorker>(ScriptedWorld::device(0), Status())};
  ScriptedWorld is_done{Status(), Status()};
  EXPECT_FALSE(answers_after_a_partial_run_given_up(is_behind));
  EXPECT_TRUE(answers_after_a_partial_run_given_up(is_done)) << "only another's has not";
}

}  // namespace
}  // namespace tarry
