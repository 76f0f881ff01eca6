// Calls: once each, to present processes, among those that may call each other (docs/rules/runtime.md#D.2, #D.7, #D.9,
// #E.1).

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <set>

#include "results/laws/follow.hpp"

namespace tarry {
namespace {

class RequestLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (f.what == What::request_taken && !taken_.insert({f.task, f.process, f.number}).second)
      broken("{} executed request {:016x} of {} a second time", run_.show(f.task), f.number, run_.show(f.step));
    if (f.what == What::run_began && !began_.insert({f.task, f.process, f.step.value}).second)
      broken("{} began at {} a second time", run_.show(f.step), run_.show(f.task));
  }

 private:
  using OfProcess = std::tuple<TaskId, std::uint64_t, std::uint64_t>;
  absl::flat_hash_set<OfProcess> taken_, began_;  // looked up, never iterated
};

class IncarnationLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) {
    lives_.on(e);
    std::erase_if(sessions_, [&](const auto& s) { return s.first == e.task; });
  }
  void on(const ProcessBegan& e) { lives_.on(e); }
  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (f.what == What::tensor_asked && f.number != f.other)
      return broken("{} was asked for a tensor of incarnation {:016x} in {}, and looked for it though it is {:016x}",
                    run_.show(f.task), f.number, run_.show(f.step), f.other);
    if (f.what == What::session_opened) sessions_.emplace(f.task, f.text);
    if (f.what == What::session_used && !sessions_.contains({f.task, f.text}))
      return broken("{} served session {}, which an earlier process had", run_.show(f.task), run_.text(f.text));
    if (is_of_process(f.what) && (!lives_.is_present(f.task) || lives_.number(f.task) != f.process))
      broken("a process of {} that had ended still acted{}", run_.show(f.task),
             f.step == StepId() ? std::string() : fmt::format(", in {}", run_.show(f.step)));
  }
  void on(const StepBegan& e) { acts(e); }
  void on(const StepEnded& e) { acts(e); }
  void on(const GradientPushed& e) { acts(e); }
  void on(const TakeIssued& e) { acts(e); }
  void on(const AggregateTaken& e) { acts(e); }
  void on(const AccumulatorStepSet& e) { acts(e); }
  void on(const Enqueued& e) { acts(e); }
  void on(const Dequeued& e) { acts(e); }
  void on(const ScalarAssigned& e) { acts(e); }
  void on(const KernelRan& e) { acts(e); }
  void on(const SessionMoved& e) { acts(e); }
  void on(const SyncPlanned& e) { acts(e); }
  void on(const LogLine& e) { acts(e); }

 private:
  // Facts that know their process.
  static bool is_of_process(AuditFact::What what) {
    using What = AuditFact::What;
    return what == What::request_taken || what == What::run_began || what == What::run_ended ||
           what == What::cleaned_up || what == What::value_arrived || what == What::tensor_asked ||
           what == What::session_opened || what == What::session_used || what == What::client_acted;
  }
  template <class E>
  void acts(const E& e) {
    if (!lives_.is_present(e.task)) broken("{} did something, though it had no process", run_.show(e.task));
  }

  Lives lives_;
  std::set<std::pair<TaskId, std::uint32_t>> sessions_;
};

class FilterLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const MessageDelivered& e) {
    if (run_.audit.may_call.empty() || !is_of_session(e.kind)) return;
    const std::vector<std::uint64_t>& may_call = run_.audit.may_call[e.from.index()];
    if (std::ranges::find(may_call, e.to.value) == may_call.end())
      broken("{} sent a {} to {}, which its device filters exclude", run_.show(e.from), run_.log.name(e.kind),
             run_.show(e.to));
  }

 private:
  [[nodiscard]] bool is_of_session(NameId kind) {
    static constexpr std::string_view kOfSessions[] = {"GetStatus request", "CreateWorkerSession request",
                                                       "RegisterGraph request", "RunGraph request"};
    const auto [it, is_new] = known_.try_emplace(kind);
    if (is_new) it->second = std::ranges::find(kOfSessions, run_.log.name(kind)) != std::end(kOfSessions);
    return it->second;
  }

  absl::flat_hash_map<NameId, bool> known_;  // kinds of messages; looked up, never iterated
};

}  // namespace

std::string breach_of_requests(const AuditedRun& run) { return first_breach_of<RequestLaw>(run); }
std::string breach_of_incarnations(const AuditedRun& run) { return first_breach_of<IncarnationLaw>(run); }
std::string breach_of_filters(const AuditedRun& run) { return first_breach_of<FilterLaw>(run); }

}  // namespace tarry
