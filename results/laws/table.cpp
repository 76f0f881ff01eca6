// Every law: a row here, and a function in a file beside this one.

#include "results/laws.hpp"
#include "results/laws/follow.hpp"

namespace tarry {

std::string breach_of_tokens(const AuditedRun&);
std::string breach_of_credits(const AuditedRun&);
std::string breach_of_staleness(const AuditedRun&);
std::string breach_of_aggregates(const AuditedRun&);
std::string breach_of_global_step(const AuditedRun&);
std::string breach_of_steps(const AuditedRun&);
std::string breach_of_rest(const AuditedRun&);
std::string breach_of_leftovers(const AuditedRun&);
std::string breach_of_requests(const AuditedRun&);
std::string breach_of_incarnations(const AuditedRun&);
std::string breach_of_restoring(const AuditedRun&);
std::string breach_of_checkpoints(const AuditedRun&);
std::string breach_of_clients(const AuditedRun&);
std::string breach_of_filters(const AuditedRun&);
std::string breach_of_marks(const AuditedRun&);

namespace {

constexpr Law kLaws[] = {
    {"tokens_conserved", "What enters a queue leaves it once, in order, or its process ends.", breach_of_tokens},
    {"credits_conserved", "No accumulator gets more gradients than workers had credits for.", breach_of_credits},
    {"staleness", "A gradient counts if, and only if, it is not behind its accumulator.", breach_of_staleness},
    {"aggregates_whole", "An aggregate holds what was accepted since the last one, and at least what was required.",
     breach_of_aggregates},
    {"global_step_by_one", "The global step moves by one, or is initialised or restored.", breach_of_global_step},
    {"steps_end_once", "A step that began ends at most once, for the process that began it.", breach_of_steps},
    {"ended_steps_rest", "Nothing of a step happens where it has ended, and it takes nothing once it is cancelled.",
     breach_of_rest},
    {"nothing_left", "Steps that are cleaned up, sessions that are deleted, and queues that are closed leave nothing.",
     breach_of_leftovers},
    {"requests_once", "A request is executed once, and so is a step's graph at a task.", breach_of_requests},
    {"incarnations_apart", "Nothing of an earlier process is served by, or comes from, the present one.",
     breach_of_incarnations},
    {"restored_whole", "A restored model has every value of its checkpoint.", breach_of_restoring},
    {"checkpoints_count", "A checkpoint counts once it is saved, and a chief starts from the latest.",
     breach_of_checkpoints},
    {"clients_recover", "A client goes from session to session in order; after a lost connection it makes a new one.",
     breach_of_clients},
    {"filters_kept", "A session calls those tasks only that its device filters admit.", breach_of_filters},
    {"never_reached", "No run comes by a place that is marked `never`.", breach_of_marks},
};

}  // namespace

std::span<const Law> laws() { return kLaws; }

AuditedRun::AuditedRun(const EventLog& l, const Audit& a, const TaskNames& t) : log(l), audit(a), tasks(t) {
  for (const LoggedEvent& e : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event))
      steps.try_emplace(began->step, StepStory{.task = began->task, .purpose = began->purpose});
    if (const auto* ended = std::get_if<StepEnded>(&e.event))
      if (const auto it = steps.find(ended->step); it != steps.end() && it->second.ended < 0)
        it->second.ended = e.at, it->second.code = ended->code;
  }
}

std::string AuditedRun::show(StepId step) const {
  const StepStory* story = find(step);
  return story == nullptr ? fmt::format("step {}", step.value)
                          : fmt::format("step {} of {}", step.value, show(story->task));
}

std::vector<BrokenLaw> broken_laws(const EventLog& log, const Audit& audit, const TaskNames& tasks) {
  const AuditedRun run(log, audit, tasks);
  std::vector<BrokenLaw> all;
  for (const Law& law : laws())
    if (std::string text = law.first_breach(run); !text.empty()) all.push_back({std::string(law.name), text});
  return all;
}

}  // namespace tarry
