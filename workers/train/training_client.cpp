#include "workers/train/training_client.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

// Named: g++ 12 destroys temporaries in an awaited call twice.
const std::vector<FedTensor> kNoFeeds;
const SharedNames kNoNames;

// The ready ops answer with the names of what is not initialised: none = ready. Names that are not known here are as
// many as there are.
std::string not_initialized(const TensorRef& t) {
  if (t->elements() == 0) return "None";
  if (!t->has_data()) return fmt::format("Variables not initialized: {} of them", t->elements());
  return fmt::format("Variables not initialized: {}", fmt::join(t->strings(), ", "));
}

bool is_integer(DataType t) { return t == DataType::kInt32 || t == DataType::kInt64; }

SharedNames only(const std::string& name) { return name.empty() ? SharedNames() : SharedNames({name}); }

}  // namespace

TrainingClient::TrainingClient(Directory& directory, TaskId task, const ClientProgram& program, TrainOptions options,
                               StartGate* gate)
    : directory_(directory),
      env_(directory.env),
      task_(task),
      process_(directory.life(task)),
      program_(program),
      options_(std::move(options)),
      gate_(gate) {
  for (const Feed& f : program.feeds)
    if (!f.optional || f.values) add_feed(f);
  if (options_.last_global_step || saves()) step_fetches_ = only(global_step_tensor(program_));
  std::vector<std::string> targets = program_.targets;
  targets.insert(targets.end(), options_.also.begin(), options_.also.end());
  step_targets_ = std::move(targets);
}

void TrainingClient::add_feed(const Feed& f) {
  const bool has_values = f.shape.elements() <= (is_integer(f.dtype) ? kKnownIntegers : kKnownOthers);
  if (f.values) {
    valued_.push_back({feeds_.size(), &f, feed_key(env_.random(), task_.index(), f.tensor)});
  }
  feeds_.push_back(
      {f.tensor, has_values ? TensorRef(make_tensor(f.dtype, f.shape)) : make_shape_only(f.dtype, f.shape)});
}

std::vector<FedTensor> TrainingClient::feeds_of_step() const {
  std::vector<FedTensor> feeds = feeds_;
  const auto step = static_cast<std::uint64_t>(steps_);
  for (const ValuedFeed& v : valued_)
    feeds[v.place].value = fed_value(*v.feed->values, v.feed->dtype, v.feed->shape, v.key, step);
  return feeds;
}

void TrainingClient::move_to(SessionStage stage, std::string_view detail) {
  audit(AuditFact::What::client_acted);
  env_.note(SessionMoved{task_, stage, env_.name(detail)});
}
void TrainingClient::log(char level, std::string_view text) { env_.note(LogLine{task_, level, env_.name(text)}); }

void TrainingClient::start() {
  main_.emplace(live());
  main_->start();
}

Task<bool> TrainingClient::sleep(Nanos duration) {
  auto wait =
      await<bool>([this, duration](auto resume) { env_.after(task_, duration, [resume]() mutable { resume(true); }); });
  co_return co_await wait;
}

// ---- a session ----

Task<Status> TrainingClient::create_session() {
  log('I', "Graph was finalized.");
  for (;;) {
    coordinator_ = std::make_shared<Coordinator>();  // the threads of an earlier session keep theirs
    auto creating = await<StatusOr<std::unique_ptr<MasterSession>>>([this](auto resume) {
      MasterSession::create(directory_, task_, {program_.graph, change_of(program_)}, options_.session,
                            [resume](StatusOr<std::unique_ptr<MasterSession>> s) mutable { resume(std::move(s)); });
    });
    StatusOr<std::unique_ptr<MasterSession>> created = co_await creating;
    if (!created.ok()) co_return created.status();
    session_ = *std::move(created);
    move_to(SessionStage::created);
    Status s;
    if (program_.is_chief)
      s = co_await initialize();
    else
      s = co_await wait_until_ready();
    if (s.code() != Code::kNotFound || program_.is_chief) {
      if (!s.ok()) co_return s;
      break;
    }
    mark(directory_.auditor, Mark::model_not_ready);
    move_to(SessionStage::waiting, text_of(s));
    log('I', text_of(s));
    (void)co_await close_session();
    co_await sleep(options_.recovery_wait);
  }
  for (const QueueRunner& runner : program_.queue_runners) start_queue_runner(runner, Purpose::queue_runner);
  Status s = co_await save_first();
  if (s.ok()) s = co_await run_hook();
  if (!s.ok()) co_return s;
  move_to(SessionStage::ready);
  co_return Status();
}

Task<Status> TrainingClient::initialize() {
  const SharedNames init = only(program_.init_op);
  const bool forgets = directory_.planted == PlantedClusterBug::restart_forgets_step && directory_.life(task_) > 0;
  const std::string checkpoint = saves() && !forgets ? directory_.files.latest(kCheckpoints) : "";
  Status s;
  if (!checkpoint.empty())
    s = co_await restore(checkpoint);
  else
    s = co_await run_ops(init, Purpose::init);
  if (!s.ok()) co_return s;
  StatusOr<std::string> missing = co_await what_is_missing(program_.ready_for_local_init);
  if (!missing.ok()) co_return missing.status();
  if (*missing != "None")
    co_return error(Code::kFailedPrecondition, "Init operations did not make model ready for local_init.  Init op: {}",
                    program_.init_op);
  s = co_await run_local_init();
  if (!s.ok()) co_return s;
  missing = co_await what_is_missing(program_.ready);
  if (!missing.ok()) co_return missing.status();
  if (*missing != "None")
    co_return error(Code::kFailedPrecondition,
                    "Init operations did not make model ready.  Init op: {}, local_init_op: {}", program_.init_op,
                    program_.local_init_op);
  co_return Status();
}

// NOT_FOUND = not ready yet: the caller waits and tries again with a new session.
Task<Status> TrainingClient::wait_until_ready() {
  StatusOr<std::string> missing = co_await what_is_missing(program_.ready_for_local_init);
  if (!missing.ok()) co_return missing.status();
  if (*missing != "None")
    co_return error(Code::kNotFound, "Waiting for model to be ready.  Ready_for_local_init_op:  {}, ready: None",
                    *missing);
  Status s = co_await run_local_init();
  if (!s.ok()) co_return s;
  missing = co_await what_is_missing(program_.ready);
  if (!missing.ok()) co_return missing.status();
  if (*missing != "None")
    co_return error(Code::kNotFound, "Waiting for model to be ready.  Ready_for_local_init_op:  None, ready: {}",
                    *missing);
  co_return Status();
}

Task<Status> TrainingClient::run_local_init() {
  const SharedNames op = only(program_.local_init_op);
  log('I', "Running local_init_op.");
  Status s = co_await run_ops(op, Purpose::local_init);
  if (s.ok()) log('I', "Done running local_init_op.");
  co_return s;
}

int TrainingClient::initial_tokens() const {
  const int wanted = options_.num_tokens.value_or(program_.sync->num_tokens);
  return wanted < 0 ? program_.sync->replicas_to_aggregate : wanted;
}

Status TrainingClient::begin_hook() const {
  if (!program_.sync || !program_.is_chief) return {};
  const int needed = program_.sync->replicas_to_aggregate - program_.sync->total_replicas;
  if (initial_tokens() >= needed) return {};
  return invalid("Too few tokens to finish the first step: {} (given) vs {} (needed)", initial_tokens(), needed);
}

Task<Status> TrainingClient::run_hook() {
  if (!program_.sync) co_return Status();
  const SyncProgram& sync = *program_.sync;
  const int tokens = initial_tokens();
  StatusOr<std::string> missing = co_await what_is_missing(sync.ready_for_local_init);
  if (!missing.ok()) co_return missing.status();
  if (*missing != "None")
    co_return error(Code::kFailedPrecondition,
                    "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: {}",
                    sync.local_init_op);
  const SharedNames hook = only(sync.local_init_op), fill = only(sync.init_tokens_op);
  Status s = co_await run_ops(hook, Purpose::hook_init);
  if (!s.ok() || !program_.is_chief) co_return s;
  env_.note(SyncPlanned{task_, sync.replicas_to_aggregate, sync.total_replicas, tokens});
  if (tokens > 0) s = co_await run_ops(fill, Purpose::init_tokens);
  if (s.ok() && options_.sync_thread) start_queue_runner(sync.chief_runner, Purpose::sync);
  co_return s;
}

// ---- training ----

Task<Status> TrainingClient::prepare_signatures() {
  Signature signature{{}, step_fetches_, step_targets_};
  for (const FedTensor& f : feeds_) signature.feeds.push_back(f.name());
  for (auto* list : {&signature.feeds, &signature.targets}) std::ranges::sort(*list);
  auto prepared = await<Status>([this, &signature](auto resume) {
    session_->prepare(signature, [resume](Status s) mutable { resume(std::move(s)); });
  });
  co_return co_await prepared;
}

Task<bool> TrainingClient::pass_gate() {
  if (gate_ != nullptr && options_.joins_gate) {
    auto opened = await<bool>([this](auto resume) { gate_->arrive(task_, [resume]() mutable { resume(true); }); });
    co_await opened;
  }
  co_return true;
}

Task<Status> TrainingClient::train() {
  if (steps_ == 0) {
    Status s = co_await prepare_signatures();
    if (!s.ok()) co_return s;
    co_await pass_gate();
    if (const Nanos wait = std::exchange(options_.first_step_after, 0); wait > 0)
      co_await sleep(wait);  // once, however many sessions it takes
  }
  move_to(SessionStage::looping);
  Status s;
  while (s.ok() && !stop_requested_ && !coordinator_->should_stop()) s = co_await train_step();
  s = root_cause_of(s);
  if (!saves() || !ends_cleanly(s)) co_return s;
  Status saved = co_await save_last();
  has_left_loop_ = !saved.ok();
  co_return saved.ok() ? s : saved;
}

Task<Status> TrainingClient::train_step() {
  const std::vector<FedTensor> feeds = feeds_of_step();
  Fetched fetched = co_await run(feeds, step_fetches_, step_targets_, Purpose::train);
  if (!fetched.ok()) co_return fetched.status();
  ++steps_;
  if (saves()) {
    Status saved = co_await save_when_due(integer_or((*fetched)[0], 0));
    if (!saved.ok()) co_return saved;
  }
  if (options_.steps && steps_ >= *options_.steps) stop_requested_ = true;
  if (options_.last_global_step && integer_or((*fetched)[0], 0) + 1 >= *options_.last_global_step) {
    StatusOr<std::int64_t> now = co_await read_global_step();
    if (!now.ok()) co_return now.status();
    if (*now >= *options_.last_global_step) stop_requested_ = true;
  }
  co_return Status();
}

Task<TrainingClient::Fetched> TrainingClient::run(std::vector<FedTensor> feeds, SharedNames fetches,
                                                  SharedNames targets, Purpose purpose) {
  return run_in(*session_, std::move(feeds), std::move(fetches), std::move(targets), purpose);
}

Task<TrainingClient::Fetched> TrainingClient::run_in(MasterSession& session, std::vector<FedTensor> feeds,
                                                     SharedNames fetches, SharedNames targets, Purpose purpose) {
  audit(AuditFact::What::client_acted);
  auto running = await<Fetched>([&](auto resume) {
    session.run(std::move(feeds), std::move(fetches), std::move(targets), purpose,
                [resume](Fetched f) mutable { resume(std::move(f)); });
  });
  co_return co_await running;
}

Task<Status> TrainingClient::run_ops(SharedNames targets, Purpose purpose) {
  return run_ops_in(*session_, std::move(targets), purpose);
}

Task<Status> TrainingClient::run_ops_in(MasterSession& session, SharedNames targets, Purpose purpose) {
  if (targets.empty()) co_return Status();
  Fetched fetched = co_await run_in(session, kNoFeeds, kNoNames, targets, purpose);
  co_return fetched.status();
}

Task<StatusOr<std::string>> TrainingClient::what_is_missing(std::string tensor) {
  if (tensor.empty()) co_return std::string("None");
  SharedNames fetches = only(tensor);
  Fetched fetched = co_await run(kNoFeeds, fetches, kNoNames, Purpose::ready_check);
  if (fetched.ok()) co_return not_initialized((*fetched)[0]);
  const std::string text(text_of(fetched.status()));
  if (fetched.status().code() == Code::kFailedPrecondition && text.find("uninitialized") != std::string::npos)
    co_return text;
  co_return fetched.status();
}

}  // namespace tarry
