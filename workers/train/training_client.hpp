// A training client: MonitoredTrainingSession and its loop, for one worker task (docs/rules/runtime.md#E.6, #F.1,
// #F.2).
//
// The chief initialises the model; the others check whether it is ready and, if not, close their session and check
// again 30 s later with a new one. Under SyncReplicasOptimizer the hook then sets local_step; the chief's also sets the
// accumulators' steps, puts the initial tokens in, and starts the thread that repeats the sync op: the next take is
// issued when the last sync step has ended at the chief. After ABORTED and UNAVAILABLE the client makes a new session
// and repeats the step; OUT_OF_RANGE ends the loop without an error; any other error ends it with that error.
//
// At the end of the loop the chief closes the queue of its runner (in 2.15.1 the token queue itself, in older releases
// a dummy queue: QueueRunnerEra), then waits at most 120 s for the runner's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/master/master_session.hpp"
#include "workers/train/coordinator.hpp"
#include "workers/train/program.hpp"
#include "workers/train/start_gate.hpp"
#include "workers/train/step_timer.hpp"
#include "workers/train/task.hpp"

namespace tarry {

inline constexpr char kCheckpoints[] = "checkpoints/model.ckpt";  // where a job's checkpoints go: PREFIX-STEP

enum class QueueRunnerEra { closes_token_queue, closes_dummy_queue };

struct TrainOptions {
  SessionOptions session;
  std::optional<int> num_tokens;  // replaces the program's; 0 = the op for the initial tokens is not run
  QueueRunnerEra era = QueueRunnerEra::closes_token_queue;
  bool sync_thread = true;        // false = the chief's queue runners are not started, so the sync op never runs
  std::vector<std::string> also;  // further ops that every training step of this client runs
  Nanos recovery_wait = 30'000'000'000;
  Nanos stop_grace = 120'000'000'000;
  std::optional<std::int64_t> last_global_step;  // StopAtStepHook
  std::optional<std::int64_t> steps;             // this client's own limit
  std::optional<std::int64_t> save_steps;        // CheckpointSaverHook, on the chief: every save_steps global steps,
  std::optional<Nanos> save_every;               // or after this time; neither = no checkpoint directory
  std::size_t keep_checkpoints = 5;
  Nanos start_after = 0;       // the session is created this long after the start
  Nanos first_step_after = 0;  // the first step begins this long after the start
  bool joins_gate = true;      // false = does not wait for the StartGate
};

enum class Failed : std::uint8_t { while_creating, in_a_step, between_steps };

class TrainingClient {
 public:
  // `gate` may be null: then no client waits for the others.
  TrainingClient(Directory& directory, TaskId task, const ClientProgram& program, TrainOptions options,
                 StartGate* gate);

  void start();
  // Makes no training step after the present one, and closes its session.
  void stop() { stop_requested_ = true; }
  [[nodiscard]] bool is_finished() const { return finished_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] const Status& outcome() const { return outcome_; }

 private:
  using Fetched = StatusOr<std::vector<TensorRef>>;

  // Its sessions (life.cpp). `when`: what failed, if it was not the session's making.
  Task<Status> live();
  Task<Status> make_session_and_train(Failed* when);
  Task<Status> close_broken_session();
  Task<Status> forget_session();
  Task<Status> close_session();
  [[nodiscard]] Status root_cause_of(const Status& failed) const;
  [[nodiscard]] bool ends_cleanly(const Status& ended) const;
  void leave_loop(const Status& ended);
  Task<Status> create_session();
  Task<Status> initialize();
  Task<Status> wait_until_ready();
  [[nodiscard]] int initial_tokens() const;
  [[nodiscard]] Status begin_hook() const;  // SyncReplicasOptimizer's hook on the chief, before there is a session
  Task<Status> run_hook();
  Task<Status> prepare_signatures();
  Task<Status> train();
  Task<Status> train_step();
  Task<Fetched> run(std::vector<FedTensor> feeds, SharedNames fetches, SharedNames targets, Purpose purpose);
  Task<Fetched> run_in(MasterSession& session, std::vector<FedTensor> feeds, SharedNames fetches, SharedNames targets,
                       Purpose purpose);
  Task<Status> run_ops(SharedNames targets, Purpose purpose);
  Task<Status> run_ops_in(MasterSession& session, SharedNames targets, Purpose purpose);
  // Checkpoints (checkpoints.cpp).
  [[nodiscard]] bool saves() const {
    return program_.is_chief && (options_.save_steps || options_.save_every) && !program_.saver.save.empty();
  }
  Task<Status> restore(std::string prefix);
  Task<Status> save(std::int64_t step);
  void list_checkpoint(const std::string& prefix);
  void audit(AuditFact::What what, std::string_view file = "") const;
  Task<Status> save_first();
  Task<Status> save_when_due(std::int64_t stale_step);
  Task<Status> save_last();
  Task<Status> run_local_init();
  // "None", or a text that lists the variables without a value.
  Task<StatusOr<std::string>> what_is_missing(std::string tensor);
  Task<StatusOr<std::int64_t>> read_global_step();
  struct EnqueueThread {
    std::string name, op, close_op;     // the last thread of a runner closes its queue
    std::shared_ptr<std::size_t> left;  // threads of the runner
    Purpose purpose = Purpose::queue_runner;
  };
  Task<bool> enqueue_for_ever(EnqueueThread thread);
  Task<bool> close_queue_on_stop(std::string name, std::string op);
  Task<bool> sleep(Nanos duration);
  Task<bool> pass_gate();
  void start_queue_runner(const QueueRunner& runner, Purpose purpose);
  void add_feed(const Feed& f);
  [[nodiscard]] std::vector<FedTensor> feeds_of_step() const;
  void move_to(SessionStage stage, std::string_view detail = "");
  void log(char level, std::string_view text);

  Directory& directory_;
  Env& env_;
  TaskId task_;
  std::uint32_t process_;  // how many the task had before
  const ClientProgram& program_;
  TrainOptions options_;
  StartGate* gate_;
  struct ValuedFeed {
    std::size_t place = 0;  // in feeds_
    const Feed* feed = nullptr;
    std::uint64_t key = 0;  // of its draws
  };
  std::vector<FedTensor> feeds_;  // of a step, but for those with values
  std::vector<ValuedFeed> valued_;
  SharedNames step_fetches_, step_targets_;  // of a training step
  std::unique_ptr<MasterSession> session_;
  std::vector<std::unique_ptr<MasterSession>> earlier_;  // kept, since threads and late answers may still refer to them
  std::shared_ptr<Coordinator> coordinator_;
  std::vector<Task<bool>> threads_;
  std::optional<Task<Status>> main_;
  std::int64_t steps_ = 0;
  StepTimer save_timer_;
  bool stop_requested_ = false, finished_ = false;
  bool has_left_loop_ = false;  // what fails now is not tried again
  bool keeps_session_ = false;  // PlantedClusterBug::session_not_anew
  Status outcome_;
};

}  // namespace tarry
