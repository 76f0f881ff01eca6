// Queues: what enters leaves once (docs/rules/runtime.md#C.9.1, #F.7); and the credit law (docs/rules/runtime.md#F.5).

#include <deque>

#include "results/contributions.hpp"
#include "results/laws/follow.hpp"

namespace tarry {
namespace {

// Its tokens are numbers of their own. An element of another queue may be a reference variable's value, which changes
// while it is inside; and other queues give their elements in other orders.
bool is_token_queue(std::string_view name) { return name.ends_with("sync_token_q"); }

class TokenLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) {
    std::erase_if(queues_, [&](const auto& entry) { return entry.first.first == e.task; });
  }
  void on(const Enqueued& e) {
    queues_[{e.task, e.queue}].push_back(e.value);
    ++entered_[e.step];
  }
  void on(const Dequeued& e) {
    std::deque<std::int64_t>& inside = queues_[{e.task, e.queue}];
    if (inside.empty()) return broken("{} took {} from {}, which is empty", run_.show(e.step), e.value, name(e));
    if (inside.front() != e.value && is_token_queue(run_.log.name(e.queue)))
      return broken("{} took {} from {}, but {} is in front", run_.show(e.step), e.value, name(e), inside.front());
    inside.pop_front();
  }
  void on(const SyncPlanned& e) { plans_[e.task] = e; }
  // A sync step hands out max(workers, replicas to aggregate) tokens.
  void on(const StepEnded& e) {
    const StepStory* story = run_.find(e.step);
    if (story == nullptr || e.code != 0 || !plans_.contains(e.task)) return;
    const SyncPlanned& plan = plans_.at(e.task);
    if (story->purpose == Purpose::sync)
      expect(e.step, std::max(plan.total_replicas, plan.replicas_to_aggregate));
    else if (story->purpose == Purpose::init_tokens)
      expect(e.step, plan.initial_tokens);
  }
  void end() {
    for (const AuditRest& r : run_.audit.rests)
      if (r.what == AuditRest::What::queue) look_inside(r);
  }

 private:
  [[nodiscard]] std::string name(const Dequeued& e) const {
    return fmt::format("{} at {}", run_.log.name(e.queue), run_.show(e.task));
  }
  void expect(StepId step, std::int64_t tokens) {
    const std::int64_t entered = entered_[step];
    if (entered != tokens) broken("{} put {} tokens into the queue in place of {}", run_.show(step), entered, tokens);
  }
  void look_inside(const AuditRest& r) {
    for (const auto& [key, inside] : queues_) {
      const bool is_it = key.first == r.task && run_.log.name(key.second) == run_.text(r.name);
      if (is_it && std::cmp_not_equal(inside.size(), r.a + r.d))
        broken("{} at {} holds {} elements; {} entered it and did not leave", run_.text(r.name), run_.show(r.task), r.a,
               inside.size());
    }
  }

  std::map<std::pair<TaskId, NameId>, std::deque<std::int64_t>> queues_;
  absl::flat_hash_map<StepId, std::int64_t> entered_;  // looked up, never iterated
  std::map<TaskId, SyncPlanned> plans_;
};

}  // namespace

std::string breach_of_tokens(const AuditedRun& run) { return first_breach_of<TokenLaw>(run); }

std::string breach_of_credits(const AuditedRun& run) {
  const Contributions c = read_contributions(run.log);
  return c.workers.empty() ? std::string() : check_credit_law(c);
}

}  // namespace tarry
