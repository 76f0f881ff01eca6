// Clients: checkpoints, and how they recover (docs/rules/runtime.md#E.6).

#include <optional>
#include <set>

#include "results/laws/follow.hpp"

namespace tarry {
namespace {

constexpr std::int32_t kAborted = 10, kUnavailable = 14;  // the codes that a client recovers from
bool is_recovered_from(std::int32_t code) { return code == kAborted || code == kUnavailable; }

// All checkpoints are gone.
bool loses_checkpoints(const AuditedRun& run, const ConditionChanged& e) {
  return run.log.name(e.kind) == "lose_checkpoints";
}

class RestoringLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) { restoring_.erase(e.task); }
  void on(const ConditionChanged& e) {
    if (loses_checkpoints(run_, e)) files_.clear(), merged_.clear();
  }
  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (f.what == What::checkpoint_saved) files_[f.text][f.name] = {f.number, f.other == 1};
    if (f.what == What::checkpoint_merged) {
      if (std::exchange(merged_[f.text], f.step) != f.step) files_[f.text].clear();  // a file of an earlier save
      files_[f.text].merge(std::exchange(files_[f.name], {}));
    }
    if (f.what == What::model_restored) restoring_[f.task] = {f.text, {}, files_[f.text]};
    if (f.what == What::value_assigned)
      for (auto& [task, r] : restoring_)
        if (r.step == f.step) take(r, f);
  }
  void on(const StepBegan& e) {
    const auto it = restoring_.find(e.task);
    if (it != restoring_.end() && e.purpose == Purpose::restore) it->second.step = e.step;
  }
  void on(const StepEnded& e) {
    const auto it = restoring_.find(e.task);
    if (it == restoring_.end() || it->second.step != e.step) return;
    if (e.code == 0 && !it->second.missing.empty())
      broken("{} restored {} without {}", run_.show(e.step), run_.text(it->second.file),
             run_.text(it->second.missing.begin()->first));
    restoring_.erase(it);
  }

 private:
  struct Saved {
    std::uint64_t digest = 0;
    bool is_part = false;  // of a tensor; the variable that has it has another name
  };
  using Tensors = std::map<std::uint32_t, Saved>;  // by name
  struct Restoring {
    std::uint32_t file = 0;
    StepId step;
    Tensors missing;
  };
  void take(Restoring& r, const AuditFact& f) {
    auto it = r.missing.find(f.name);
    if (it != r.missing.end() && it->second.digest != f.number)
      return broken("{} gave {} another value than {} has", run_.show(f.step), run_.text(f.name), run_.text(r.file));
    if (it == r.missing.end())
      it = std::ranges::find_if(
          r.missing, [&](const auto& named) { return named.second.is_part && named.second.digest == f.number; });
    if (it != r.missing.end()) r.missing.erase(it);
  }

  std::map<std::uint32_t, Tensors> files_;
  std::map<std::uint32_t, StepId> merged_;  // files, and the steps that merged them
  std::map<TaskId, Restoring> restoring_;
};

class CheckpointLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ConditionChanged& e) {
    if (loses_checkpoints(run_, e)) latest_ = 0;
  }
  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (f.what == What::checkpoint_listed) {
      if (!saved_.erase(f.task))
        return broken("{} listed {}, which it had not saved", run_.show(f.task), run_.text(f.text));
      latest_ = f.text;
    }
    if (f.what == What::model_restored && f.text != latest_)
      broken("{} restored {}, but the latest checkpoint is {}", run_.show(f.task), run_.text(f.text),
             latest_ == 0 ? "none" : run_.text(latest_));
  }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::save) saved_.erase(e.task);
    if (e.purpose == Purpose::init && latest_ != 0)
      broken("{} initialises the model, though there is {}", run_.show(e.step), run_.text(latest_));
  }
  void on(const StepEnded& e) {
    const StepStory* story = run_.find(e.step);
    if (story != nullptr && story->purpose == Purpose::save && e.code == 0) saved_.insert(e.task);
  }

 private:
  std::set<TaskId> saved_;  // clients that have saved and not yet listed
  std::uint32_t latest_ = 0;
};

// The stage that comes before it in a client's life; none where several may.
std::optional<SessionStage> stage_before(SessionStage stage) {
  using enum SessionStage;
  if (stage == waiting || stage == ready) return created;
  if (stage == looping) return ready;
  return std::nullopt;
}

const char* stage_text(SessionStage stage) {
  static constexpr const char* kWords[] = {"created", "waiting", "ready", "looping", "left_loop", "closed", "failed"};
  return kWords[static_cast<std::size_t>(stage)];
}

// Codes of steps that no fault, no kernel and no client of a job gives: of deadlines, files and permissions. A torn
// checkpoint gives DATA_LOSS, 15.
bool is_foreign(std::int32_t code) { return code == 2 || code == 4 || code == 6 || code == 7 || code > 15; }

class ClientLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) {
    lost_.erase(e.task);
    stages_.erase(e.task);
  }
  void on(const SessionMoved& e) {
    move(e);
    if (e.stage == SessionStage::created) lost_.erase(e.task);
    if (e.stage == SessionStage::failed && lost_.contains(e.task))
      broken("{} left training, though it can recover: {}", run_.show(e.task), run_.log.name(e.detail));
  }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train && lost_.contains(e.task))
      broken("{} began in the session that {} had lost", run_.show(e.step), run_.show(lost_.at(e.task)));
  }
  void on(const StepEnded& e) {
    const StepStory* story = run_.find(e.step);
    if (is_foreign(e.code)) broken("{} ended with the code {}, which nothing gives", run_.show(e.step), e.code);
    if (story == nullptr || story->purpose != Purpose::train) return;
    if (is_recovered_from(e.code)) lost_[e.task] = e.step;
  }

 private:
  void move(const SessionMoved& e) {
    const auto [it, is_first] = stages_.try_emplace(e.task, e.stage);
    const SessionStage before = std::exchange(it->second, e.stage);
    const auto wanted = stage_before(e.stage);
    if (wanted && (is_first || before != *wanted))
      broken("the session of {} was {} without being {} before", run_.show(e.task), stage_text(e.stage),
             stage_text(*wanted));
    if (!is_first && before == SessionStage::closed)
      broken("the session of {} was {} after the last was closed", run_.show(e.task), stage_text(e.stage));
  }

  std::map<TaskId, SessionStage> stages_;
  std::map<TaskId, StepId> lost_;  // clients whose session is lost, and the step that told them
};

}  // namespace

std::string breach_of_restoring(const AuditedRun& run) { return first_breach_of<RestoringLaw>(run); }
std::string breach_of_checkpoints(const AuditedRun& run) { return first_breach_of<CheckpointLaw>(run); }
std::string breach_of_clients(const AuditedRun& run) { return first_breach_of<ClientLaw>(run); }

}  // namespace tarry
