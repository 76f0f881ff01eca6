#include "results/verdicts/failed.hpp"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "results/client_error.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/lost_server.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/several_chiefs.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

bool is_out_of_memory(std::string_view error) { return error.find("OOM when allocating tensor") != error.npos; }

bool has_lost_gpu(std::string_view error) { return error.find("GPU sync failed") != error.npos; }

// Of "Too few tokens to finish the first step: 0 (given) vs 16 (needed)": "16"; "" of another error.
std::string tokens_needed(std::string_view error) {
  constexpr std::string_view kBegin = "Too few tokens to finish the first step: ", kBefore = " vs ", kEnd = " (needed)";
  const std::size_t begin = error.find(kBegin), before = error.find(kBefore), end = error.find(kEnd);
  if (begin == error.npos || before == error.npos || end == error.npos || before > end) return "";
  return std::string(error.substr(before + kBefore.size(), end - before - kBefore.size()));
}

// At the end each worker is lost, has failed or has left.
bool does_nobody_train(const Evidence& e) {
  return std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& w) {
    return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
      return t.task == w.task && is_away(t) && t.to < 0 && (t.kind != Trouble::Kind::gone || t.back < 0);
    });
  });
}

// "data/part-00012": that a reader did not find; "" of another error.
std::string missing_file(std::string_view error) {
  constexpr std::string_view kMissing = "; No such file or directory";
  const std::string gist = gist_of(error);
  return gist.ends_with(kMissing) ? gist.substr(0, gist.size() - kMissing.size()) : "";
}

bool lacks_feed(std::string_view error) {
  return error.find("You must feed a value for placeholder tensor") != error.npos;
}

// The client's last step that ended with INVALID_ARGUMENT was one of its synchronization thread's.
bool failed_in_sync_thread(const EventLog& log, TaskId client) {
  absl::flat_hash_map<StepId, Purpose> open;
  Purpose last = Purpose::other;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->task == client)
      open[began->step] = began->purpose;
    if (const auto* ended = std::get_if<StepEnded>(&e.event); ended != nullptr && ended->task == client) {
      constexpr std::int32_t kInvalidArgument = 3;
      if (ended->code == kInvalidArgument) last = open[ended->step];
    }
  }
  return last == Purpose::sync;
}

// ". Before that: saves of ps 0 fail: no space is left at 5.000 s": the fault that the error speaks of.
std::string what_was_before(const Evidence& e, TaskId task, Nanos at) {
  const auto it = std::ranges::find_if(
      e.troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::failed && t.task == task && t.from == at; });
  return it == e.troubles.end() || it->why.empty() ? "" : fmt::format("\nBefore that: {}.", it->why);
}

struct Failure {
  std::vector<TaskId> who;
  Nanos first = 0, last = 0;  // since the start
  std::string error;          // of the first of them
  std::string said;           // the error, without the name of the client's own task
  bool is_same_word_for_word = true;
};

// In the order of their first clients. Errors that differ only in whose they are count as one.
std::vector<Failure> failures(const Evidence& e) {
  std::vector<Failure> all;
  for (const LoggedEvent& event : e.log.events()) {
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr || s->stage != SessionStage::failed) continue;
    const Nanos at = event.at - e.log.started_at;
    const std::string error = std::string(e.log.name(s->detail)) + what_was_before(e, s->task, at);
    const std::string said = e.tasks.without_name(s->task, error);
    auto same = std::ranges::find_if(all, [&](const Failure& f) { return f.error == error || f.said == said; });
    if (same == all.end()) same = all.insert(all.end(), {{}, at, at, error, said});
    if (std::ranges::count(same->who, s->task) == 0) same->who.push_back(s->task);
    same->last = at;
    same->is_same_word_for_word &= same->error == error;
  }
  return all;
}

// What a verdict on the standstill that follows does not tell.
std::string fault_behind(const Evidence& e) {
  const std::string behind = e.is_stuck() ? "" : behind_it(e, decisive_faults(e));
  return behind.empty() ? "" : "\n" + behind.substr(1);
}

// "worker 0 left training at 0.100 s with an error: ..."; of several with one error, when the first and the last did.
std::string failure_in_words(const Evidence& e, const Failure& f) {
  const std::string when = f.last == f.first
                               ? fmt::format("at {:.3f} s", in_seconds(f.first))
                               : fmt::format("from {:.3f} s to {:.3f} s", in_seconds(f.first), in_seconds(f.last));
  const std::string with = f.who.size() == 1         ? "an error"
                           : f.is_same_word_for_word ? "the same error"
                                                     : fmt::format("errors that differ only in the task's name; {}'s",
                                                                   e.tasks.show(f.who.front()));
  return fmt::format("{} left training {} with {}: {}", names_of(e, f.who), when, with, f.error);
}

}  // namespace

std::string reason_of(const EventLog& log, TaskId client, std::string_view error) {
  if (!lacks_feed(error) || !failed_in_sync_thread(log, client)) return "";
  return "The chief's synchronization thread feeds nothing, and what it runs needs this placeholder, for example "
         "because apply_gradients stands under tf.control_dependencies.";
}

std::string cure_of_error(const EventLog& log, TaskId client, std::string_view error) {
  if (is_out_of_memory(error) && error.find("others hold ") != error.npos)
    return "look at what else uses the memory of that GPU, or give it a smaller batch";
  if (is_out_of_memory(error)) return "give it a smaller batch, or a GPU with more memory";
  if (const std::string tokens = tokens_needed(error); !tokens.empty())
    return fmt::format(
        "give at least {} initial tokens (num_tokens of make_session_run_hook), or aggregate no more gradients than "
        "there "
        "are workers",
        tokens);
  if (error.find("No space left on device") != error.npos)
    return "make room where checkpoints are saved, or keep fewer of them";
  if (error.find("Checksum does not match") != error.npos)
    return "look at the storage that checkpoints are saved to, and restore an earlier one that is whole";
  if (const std::string file = missing_file(error); !file.empty())
    return fmt::format("put {} where its readers look for it, or give them names of files that there are", file);
  if (!lacks_feed(error)) return "";
  return failed_in_sync_thread(log, client) ? "take what needs the placeholder out of what apply_gradients waits for"
                                            : "feed it";
}

TaskId keeper_of_closed_queue(const TaskNames& tasks, std::string_view error) {
  constexpr std::string_view kFrom = "From ", kQueue = ":\nFIFOQueue '", kClosed = "' is closed.";
  const std::size_t end = error.find(kQueue);
  if (!error.starts_with(kFrom) || end == error.npos) return {};
  const std::string_view queue = error.substr(end + kQueue.size());
  const std::string_view name = queue.substr(0, queue.find('\''));
  const bool has_tokens = name.ends_with("sync_token_q") || name.find("stale_token_q_") != name.npos;
  if (!has_tokens || !queue.substr(name.size()).starts_with(kClosed)) return {};
  const TaskId keeper = tasks.find(error.substr(kFrom.size(), end - kFrom.size()));
  return keeper.valid() && tasks.is_ps(keeper) ? keeper : TaskId();
}

bool found_its_queue_closed(const Evidence& e, const Trouble& left) {
  const auto times_ready = std::ranges::count_if(e.log.events(), [&](const LoggedEvent& event) {
    const auto* moved = std::get_if<SessionMoved>(&event.event);
    return moved != nullptr && moved->task == left.task && moved->stage == SessionStage::ready &&
           event.at - e.log.started_at < left.from;
  });
  return left.kind == Trouble::Kind::left && left.to < 0 && times_ready > 1 &&
         left.text.find("sync_token_q' is closed and has") != left.text.npos &&
         !has_another_chief(e, left.task, left.from);
}

TaskId keeper_of_queue_closed_by(const Evidence& e, const Trouble& trouble) {
  for (const Trouble& t : e.troubles)
    if (t.task == e.contributions.sync_client && t.from > trouble.from && found_its_queue_closed(e, t))
      if (const TaskId keeper = keeper_of_tokens(e); keeper.valid() && keeper != trouble.task) return keeper;
  for (const Trouble& t : e.troubles)
    if (t.kind == Trouble::Kind::failed && t.task == e.contributions.sync_client && t.to < 0 && t.from > trouble.from)
      if (const TaskId keeper = keeper_of_closed_queue(e.tasks, t.text); keeper.valid() && keeper != trouble.task)
        return keeper;
  return {};
}

namespace {

bool keeps_closed_input(const TaskNames& tasks, const Trouble& failed) {
  const std::string from = fmt::format("From {}:\n", tasks.names[failed.task.index()]);
  if (!failed.text.starts_with(from)) return false;
  const std::string_view error = std::string_view(failed.text).substr(from.size());
  const std::string_view line = error.substr(0, error.find('\n'));
  return line.find("Queue '") != line.npos && line.ends_with("' is closed.");
}

// Its queues are new since then.
bool began_anew(const Evidence& e, TaskId task, Nanos after, Nanos before) {
  return std::ranges::any_of(e.troubles, [=](const Trouble& t) {
    return t.kind == Trouble::Kind::gone && t.task == task && t.from > after && t.from < before;
  });
}

}  // namespace

std::vector<TaskId> keepers_of_closed_input(const Evidence& e, const Trouble& trouble) {
  std::vector<TaskId> failed;
  bool was_input_closed = false;
  for (const Trouble& t : e.troubles) {
    if (t.kind != Trouble::Kind::failed || t.to >= 0 || t.from <= trouble.from) continue;
    if (began_anew(e, t.task, trouble.from, t.from)) continue;
    const bool is_input = keeps_closed_input(e.tasks, t);
    if (is_input || keeper_of_closed_queue(e.tasks, t.text).valid()) failed.push_back(t.task);
    was_input_closed |= is_input;
  }
  std::ranges::sort(failed);
  return was_input_closed ? failed : std::vector<TaskId>();
}

TaskId keeper_of_tokens(const Evidence& e) {
  if (e.training != Training::synchronous) return {};
  for (const LoggedEvent& event : e.log.events()) {
    const auto* put = std::get_if<Enqueued>(&event.event);
    if (put == nullptr || e.log.name(put->queue).find("sync_token_q") == std::string_view::npos) continue;
    const bool is_gone = std::ranges::any_of(
        e.troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::gone && t.task == put->task && t.to < 0; });
    return is_gone || !e.tasks.is_ps(put->task) ? TaskId() : put->task;
  }
  return {};
}

bool has_new_queue(const Evidence& e, std::string_view error, Nanos failed) {
  const TaskId keeper = keeper_of_closed_queue(e.tasks, error);
  return keeper.valid() && std::ranges::any_of(e.troubles, [&](const Trouble& t) {
           return t.kind == Trouble::Kind::gone && t.task == keeper && t.from >= failed && t.back >= 0;
         });
}

std::string cure_of_closed_queue(const Evidence& e, std::string_view error, Nanos failed) {
  const TaskId keeper = keeper_of_closed_queue(e.tasks, error);
  const bool is_stale = e.training == Training::stale_synchronous;  // with one of its queues all are closed
  if (!keeper.valid() || (e.training != Training::synchronous && !is_stale)) return "";
  if (is_stale || does_nobody_train(e)) return fmt::format("start the whole job again{}", and_save(e));
  return fmt::format("restart {}, which keeps the closed queue of tokens{}{}", e.tasks.show(keeper),
                     has_new_queue(e, error, failed) ? ", sooner" : "", and_save(e));
}

namespace {

// Of what another run of these clients would not mend, and of a GPU that is gone.
std::string cure_in_words(const Evidence& e, const Failure& f) {
  const std::string reason = reason_of(e.log, f.who.front(), f.error),
                    cure = cure_of_error(e.log, f.who.front(), f.error);
  if (cure.empty() && has_lost_gpu(f.error))
    return fmt::format("\nTo do: look at that GPU (its driver, heat, power), and restart {}.", names_of(e, f.who));
  const bool is_over = has_new_queue(e, f.error, f.first) && !does_nobody_train(e);
  if (const std::string restart = cure_of_closed_queue(e, f.error, f.first);
      !restart.empty() && !is_over && !e.is_stuck())
    return fmt::format("\nTo do: {}.", restart);
  return cure.empty() ? "" : fmt::format("\n{}{}To do: {}.", reason, reason.empty() ? "" : " ", cure);
}

}  // namespace

Told judge_failed(const Evidence& e, std::span<const Verdict>) {
  const std::vector<Failure> all = failures(e);
  Told out;
  for (const Failure& f : all) out.push_back(failure_in_words(e, f));
  if (!out.empty()) out.back() += fault_behind(e);
  for (std::size_t i = 0; i < all.size(); ++i) out[i] += cure_in_words(e, all[i]);
  return out;
}

}  // namespace tarry
