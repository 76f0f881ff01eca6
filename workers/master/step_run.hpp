// RunGraph at all tasks of a signature, as one call (docs/rules/runtime.md#E.2, #E.3; TensorFlow's RunManyGraphs).
//
// All calls are sent at once; the step ends when all have ended. The first error that is not derived cancels the
// others: calls to other tasks then end at once, while the call to the master's own task is waited for. Cancelling from
// outside does the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workers/master/prepared_graph.hpp"
#include "workers/master/status_group.hpp"

namespace tarry {

struct FedTensor {
  SharedText tensor;
  TensorRef value;
  [[nodiscard]] const std::string& name() const { return tensor; }
};

// One RunStep's share of a step: all of it, or one call of a partial run.
struct StepShare {
  StepId step;
  std::vector<FedTensor> feeds;
  SharedNames fetches;  // of a partial run; a whole step fetches what its signature names
  ExecOptions exec;
  bool is_last_partial = false;
};

struct StepAnswers {
  std::vector<FedTensor> fetched;
  std::vector<std::shared_ptr<const RunGraphDetails>> details;  // of the parts that sent some
};

class StepRun : public std::enable_shared_from_this<StepRun> {
 public:
  using Done = absl::AnyInvocable<void(StatusOr<StepAnswers>) &&>;
  StepRun(SessionSite& site, PreparedGraph& graph, StepShare share)
      : site_(site), graph_(graph), share_(std::move(share)) {}

  // Fails at once: INVALID_ARGUMENT `Duplicated feeds: X`; INTERNAL `No feed index found for feed: X`.
  void start(Done&& done);
  // Called when the client cancels, or the session is closed.
  void cancel();
  // Drops the callback that waits for the end.
  void forget() { const Done unheard = std::move(done_); }
  // Whether a partial RunGraph call to this task is not answered yet. Cancelling it would make the worker hang for ever
  // (docs/rules/runtime.md#D.5.6).
  [[nodiscard]] bool waits_for_partial_run_of(TaskId task) const;

 private:
  [[nodiscard]] Status check_feeds() const;
  [[nodiscard]] StatusOr<std::vector<RunGraphRequest>> requests() const;
  [[nodiscard]] RunGraphRequest request(std::size_t part) const;  // without feeds
  [[nodiscard]] Status add_feeds(RunGraphRequest& r, const GraphPart& part) const;
  void add_fetches(RunGraphRequest& r, const GraphPart& part) const;
  [[nodiscard]] const FedTensor* fed(const SharedText& tensor) const;
  // One call, to the task of a part. Its address does not change.
  struct Part {
    StepRun& run;
    const GraphPart& graph;
    CallRef call = nullptr;
    bool ended = false, retried = false;
  };
  void issue(Part& part, RunGraphRequest&& request);
  [[nodiscard]] Status in_body(const Status& s, TaskId from) const;
  void part_ended(Part& part, StatusOr<RunGraphResponse> response);
  [[nodiscard]] bool retries(Part& part, const Status& s);  // PlantedClusterBug::retry_after_executed
  [[nodiscard]] Status take(const GraphPart& part, RunGraphResponse response);
  void report(const Status& s);
  void mark_error(const Status& s) const;
  void watch();
  void complain() const;
  void finish();
  void end(StatusOr<StepAnswers> answers);

  SessionSite& site_;
  PreparedGraph& graph_;
  StepShare share_;
  Done done_;
  std::vector<Part> parts_;
  std::size_t left_ = 0;
  StatusGroup errors_;
  bool cancels_ = false;
  Nanos began_ = 0;
  StepAnswers answers_;
};

}  // namespace tarry
