#include "results/losses.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/event_reader.hpp"

namespace tarry {
namespace {

class LossReader {
 public:
  explicit LossReader(const EventLog& log) : log_(log) {
    absl::flat_hash_map<StepId, int> pushes;
    for (const LoggedEvent& e : log.events()) {
      if (const auto* s = std::get_if<SessionMoved>(&e.event)) clients_.insert(s->task);
      if (const auto* p = std::get_if<GradientPushed>(&e.event))
        pushes_of_a_step_ = std::max(pushes_of_a_step_, ++pushes[p->step]);
    }
  }

  Losses run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
    }
    return std::move(out_);
  }

 private:
  using Doing = Loss::Doing;
  struct TrainingStep {
    StepId step;
    int pushes = 0;
  };
  struct Orphan {
    std::size_t loss = 0;
    int pushes = 0;
  };

  // Whether its gradients for all variables have arrived: the next thing that it does is to wait for its token.
  [[nodiscard]] bool is_all(int pushes) const { return pushes > 0 && pushes >= pushes_of_a_step_; }

  // Null unless it is open.
  TrainingStep* find(StepId step) {
    const auto client = client_of_.find(step);
    const auto it = client == client_of_.end() ? open_.end() : open_.find(client->second);
    return it != open_.end() && it->second.step == step ? &it->second : nullptr;
  }

 public:
  void on(const StepBegan& e) {
    if (e.purpose != Purpose::train) return;
    open_[e.task] = {e.step, 0};
    client_of_[e.step] = e.task;
  }
  void on(const StepEnded& e) {
    if (const auto it = open_.find(e.task); it != open_.end() && it->second.step == e.step) {
      if (e.code == 0) trained_.insert(e.task);
      open_.erase(it);
    }
    if (client_of_.erase(e.step) > 0 && e.code != 0) trained_.erase(e.task);  // its session is over
  }
  void on(const GradientPushed& e) {
    if (TrainingStep* step = find(e.step); step != nullptr) ++step->pushes;
    if (const auto it = orphans_.find(e.step); it != orphans_.end() && is_all(++it->second.pushes))
      out_.processes[it->second.loss].doing = Loss::Doing::waiting_for_token;  // the rest was on its way
  }
  // What a step takes from a queue after its push is its token: from then on it holds a credit again, though the step
  // is not over. A token that is taken for a step whose client is gone, before the news of that has come, is lost with
  // it.
  void on(const Dequeued& e) {
    if (const TrainingStep* step = find(e.step); step != nullptr && is_all(step->pushes)) {
      trained_.insert(client_of_.at(e.step));
      open_.erase(client_of_.at(e.step));
    }
    if (const auto it = orphans_.find(e.step); it != orphans_.end())
      out_.processes[it->second.loss].doing = Loss::Doing::nothing;
  }
  void on(const AggregateTaken&) {
    last_aggregate_ = now_;
    for (Loss& l : out_.processes)
      if (l.next_aggregate < 0) l.next_aggregate = now_;
  }
  void on(const ProcessEnded& e) {
    const bool is_first = trained_.erase(e.task) == 0;
    Loss loss{.task = e.task, .doing = is_first ? Doing::before_first_step : Doing::nothing, .at = now_};
    loss.last_aggregate = last_aggregate_;
    if (const auto it = open_.find(e.task); it != open_.end()) {
      loss.doing = is_all(it->second.pushes) ? Doing::waiting_for_token
                   : is_first                ? Doing::in_first_step
                                             : Doing::computing;
      orphans_[it->second.step] = {out_.processes.size(), it->second.pushes};
    }
    open_.erase(e.task);
    out_.processes.push_back(loss);
  }
  void on(const ProcessBegan& e) {
    if (!clients_.contains(e.task)) is_back(e.task);
  }
  void on(const SessionMoved& e) {
    if (e.stage == SessionStage::created || e.stage == SessionStage::waiting) trained_.erase(e.task);  // made anew
    if (e.stage == SessionStage::ready) is_back(e.task);
  }
  void on(const ScalarAssigned& e) {
    if (log_.name(e.variable) != "global_step") return;
    if (e.value < global_step_) set_back(e.value);
    if (e.value > global_step_) reached_[e.value] = now_;
    global_step_ = e.value;
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  void is_back(TaskId task) {
    for (Loss& l : out_.processes)
      if (l.task == task && l.back < 0) l.back = std::max<Nanos>(0, now_);  // below 0 = never
  }

  void set_back(std::int64_t to) {
    const auto above = reached_.upper_bound(to);
    const Nanos from = above == reached_.begin() ? 0 : std::max<Nanos>(0, std::prev(above)->second);
    out_.setbacks.push_back(
        {now_, global_step_, to, from, reached_.empty() ? from : std::max(from, reached_.rbegin()->second)});
    reached_.erase(above, reached_.end());
    reached_[to] = now_;
  }

  const EventLog& log_;
  Losses out_;
  std::set<TaskId> clients_, trained_;  // trained_: in their sessions they had a token, or ended a step
  std::map<TaskId, TrainingStep> open_;
  absl::flat_hash_map<StepId, TaskId> client_of_;  // of training steps; looked up, never iterated
  std::map<StepId, Orphan> orphans_;               // steps whose clients ended, and the losses they belong to
  int pushes_of_a_step_ = 0;                       // of one that pushed to all accumulators
  Nanos last_aggregate_ = -1, now_ = 0;
  std::int64_t global_step_ = 0;
  std::map<std::int64_t, Nanos> reached_;  // when the global step came to a value, up to what it is now
};

}  // namespace

Losses read_losses(const EventLog& log) { return LossReader(log).run(); }

}  // namespace tarry
