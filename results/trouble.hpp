// What was wrong with the cluster, and when: processes gone or standing still, hosts parted, tasks slowed, clients that
// left.
#pragma once

#include <string>
#include <vector>

#include "results/losses.hpp"
#include "results/task_names.hpp"

namespace tarry {

struct Trouble {
  enum class Kind : std::uint8_t {
    gone,    // the process of `task` ended, and its successor was not ready yet; of a parameter server: no session
             // that had been ready before was ready again, or, where no client began to make one, its successor had
             // not begun
    failed,  // the client of `task` left training with an error
    left,    // the client of `task` left training as it was told to
    parted,  // nothing passed between the hosts `a` and `b`
    parted_one_way,  // nothing passed from the host `a` to the host `b`
    delayed,         // messages between the hosts `a` and `b` took another latency
    slowed,          // the kernels of `task`, or some of what it does, took another part of their time
    paused,          // the process of `task` stood still
    jammed,          // messages between the hosts `a` and `b` were held
    breaking,     // nothing passed between the hosts `a` and `b`, and their connections broke; it ends when a session
                  // that had been ready before was ready again
    held,         // nothing passed between the host `a` and others
    narrowed,     // the path between the hosts `a` and `b` had less bandwidth
    slowed_host,  // the kernels on the host `a` took another part of their time
  } kind = Kind::gone;
  TaskId task;
  std::string a, b;         // hosts
  Nanos from = 0, to = -1;  // since the start; to = -1: to the end of the run
  Nanos back = -1;          // of `gone`: when the next process began; of `breaking`: when messages passed; -1 = never
  // When what it brought about was over, `to` or later; -1 = then. Of `gone` and `breaking`: when the last of the
  // sessions that it broke was ready again; of what slows kernels or messages down: when the steps under way at its end
  // had brought their gradients, or had ended; of slow saves: when the save under way at its end was done. The end of
  // the run where that did not come.
  Nanos over = -1;
  std::string text;      // what the log says of it; "" where `kind` says all
  std::string why = "";  // of `gone` and `failed`: the fault behind it, in the log's words; "" = none is known
  // Of a condition, or a client that a fault told to leave: the key of the fault, and the tasks, hosts or parts that it
  // is about.
  std::string fault = "";
  [[nodiscard]] bool holds_at(Nanos t) const { return from <= t && (to < 0 || t < to); }
  friend bool operator==(const Trouble&, const Trouble&) = default;
};

// "host1" is in "host1 and host2" and in "host1, host2", and not in "host10".
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);
// It makes things slow and does not stop them.
[[nodiscard]] bool only_slows_down(const Trouble& trouble);
// At `at` steps are under way that it slowed down before it ended.
[[nodiscard]] inline bool slows_at(const Trouble& t, Nanos at) {
  return only_slows_down(t) && t.to >= 0 && t.from <= at && at <= t.over;
}
// The same of a fault that lasts, by its key; of all others it is false.
[[nodiscard]] bool slows_down_only(std::string_view fault_key);
// Its task trains no more: its process is gone, or its client has failed or left.
[[nodiscard]] inline bool is_away(const Trouble& t) {
  return t.kind == Trouble::Kind::gone || t.kind == Trouble::Kind::failed || t.kind == Trouble::Kind::left;
}
// To the end something was not there, or could not be reached.
[[nodiscard]] inline bool is_wrong_for_good(const Trouble& t) { return t.to < 0 && !only_slows_down(t); }

// In the order of their beginnings.
[[nodiscard]] std::vector<Trouble> read_troubles(const EventLog& log, const TaskNames& tasks, const Losses& losses);

// "at 2.000 s", "24.000 s before the start".
[[nodiscard]] std::string moment_in_words(Nanos at);
// "nothing passes between host0 and server from 5.000 s to 30.000 s"; "from 5.000 s on" where it does not end.
[[nodiscard]] std::string in_words(const Trouble& trouble, const TaskNames& tasks);
// "the hosts heard of each other again": what ended it. REQUIRES: trouble.to >= 0.
[[nodiscard]] std::string end_in_words(const Trouble& trouble, const TaskNames& tasks);

}  // namespace tarry
