#include "scenarios/file/fault_cures.hpp"

#include <algorithm>
#include <cctype>

#include "placer/core/text.hpp"
#include "results/to_do.hpp"
#include "results/verdicts/path_cures.hpp"
#include "results/verdicts/proved.hpp"
#include "scenarios/file/keys.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using Kind = Trouble::Kind;

// ---- whom a cause is about ----

std::string show_end(const TaskNames& tasks, const std::string& name) {
  const TaskId task = tasks.find(name);
  return task.valid() ? tasks.show(task) : name;
}

// "worker 2", "host1 and server"; "" of all of a kind.
std::string subject_of(const Ward& ward, const Proof& p) {
  const TaskNames& tasks = ward.patient.outcome.tasks;
  if (p.task.valid()) return tasks.show(p.task);
  return p.b.empty() ? p.a : show_end(tasks, p.a) + " and " + show_end(tasks, p.b);
}

void add_once(std::vector<std::string>& list, std::string one) {
  if (!one.empty() && std::ranges::find(list, one) == list.end()) list.push_back(std::move(one));
}

// ---- whom a verdict's advice is about ----

// Those parts of what is to be done that hold the words: "join host1 and server again" of "join host1 and server again;
// a time limit ...".
std::string parts_with(const Verdict& v, std::string_view words) {
  std::string out;
  for (const std::string_view part : split(to_do_in(v.text), ';'))
    if (part.find(words) != part.npos) out += std::string(part) + ";";
  return out;
}

std::string path_of(const Trouble& t) {
  if (t.b.empty()) return t.a;
  return t.a + (t.kind == Kind::parted_one_way ? " to " : " and ") + t.b;
}

std::string name_of(const Ward& ward, const Trouble& t) {
  if (is_of_a_path(t)) return path_of(t);
  return t.task.valid() ? ward.patient.outcome.tasks.show(t.task) : t.a;
}

// The verdict's run was without any fault.
bool is_of_all(const Ward& ward, const Verdict& v) {
  return std::ranges::any_of(ward.what_ifs, [&](const WhatIf& w) {
    return w.proof.cause == Cause::faults && w.proof.together && has_name(v.text, w.proof.instead);
  });
}

// Where the verdict tells what some of them did, these alone: a path may be held at one time and longer at another.
void keep_told(std::vector<Trouble>& troubles, const Verdict& v) {
  const auto is_told = [&](const Trouble& t) { return !t.text.empty() && v.text.find(t.text) != v.text.npos; };
  if (std::ranges::any_of(troubles, is_told)) std::erase_if(troubles, [&](const Trouble& t) { return !is_told(t); });
}

template <class Is>
std::vector<Trouble> troubles_named(const Ward& ward, std::string_view words, const Verdict& v, Is is) {
  const std::string parts = parts_with(v, words);
  const bool all = is_of_all(ward, v);
  std::vector<Trouble> out;
  for (const Trouble& t : ward.troubles)
    if (is(t) && (all || has_name(parts, name_of(ward, t)))) out.push_back(t);
  if (!all) keep_told(out, v);
  return out;
}

// The runs that the proofs of these troubles tell of.
std::vector<const WhatIf*> causes_of(const Ward& ward, const std::vector<Trouble>& troubles) {
  std::vector<const WhatIf*> out;
  for (const WhatIf& w : ward.what_ifs)
    if (w.proof.cause == Cause::faults && !w.proof.together &&
        std::ranges::any_of(troubles, [&](const Trouble& t) { return is_about(w.proof, t); }))
      out.push_back(&w);
  return out;
}

// Those faults that `is_kept` says of are given back.
template <class IsKept>
Status give_back(const Ward& ward, CuredJob& cured, IsKept is_kept) {
  std::vector<Fault> left;
  const std::vector<Fault>& all = ward.patient.job.faults;
  for (const Fault& f : all)
    if (is_kept(f) || std::ranges::find(cured.job.faults, f) != cured.job.faults.end()) left.push_back(f);
  if (left.size() == all.size()) return invalid("the scenario has no fault of that kind");
  cured.job.faults = std::move(left);
  return {};
}

// Of the tasks that the verdict names anywhere, the faults of one kind.
template <class Kind>
Status without_kind(const Ward& ward, const Verdict& v, CuredJob& cured) {
  std::vector<const WhatIf*> of_named;
  for (const WhatIf& w : ward.what_ifs)
    if (w.proof.cause == Cause::faults && w.proof.task.valid() &&
        has_name(v.text, ward.patient.outcome.tasks.show(w.proof.task)))
      of_named.push_back(&w);
  TARRY_RETURN_IF_ERROR(take_away_all(ward, of_named, cured));
  return give_back(ward, cured, [](const Fault& f) { return !std::holds_alternative<Kind>(f.what); });
}

bool is_slowness(const Trouble& t) { return t.kind == Kind::slowed || t.kind == Kind::slowed_host; }
bool is_pause(const Fault& f) { return std::holds_alternative<Pause>(f.what); }

}  // namespace

bool has_name(std::string_view text, std::string_view name) {
  const auto goes_on = [&](std::size_t at) {
    const auto is_in_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    if (at >= text.size()) return false;
    const bool is_dot = text[at] == '.' && at + 1 < text.size() && is_in_name(text[at + 1]);
    return is_dot || is_in_name(text[at]);
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if (!goes_on(at + name.size()) && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(')) return true;
  return false;
}

Status take_away_all(const Ward& ward, std::span<const WhatIf* const> causes, CuredJob& cured) {
  std::vector<std::string> keys;
  const bool are_told_apart = std::ranges::any_of(causes, [](const WhatIf* w) { return !w->proof.together; });
  for (const WhatIf* w : causes) {
    make_difference(cured.job, ward.patient.job, w->job);
    if (are_told_apart && w->proof.together && w->proof.cause == causes.front()->proof.cause) continue;
    add_once(keys, keys_of(w->proof, ward.patient.outcome.tasks, ward.patient.scenario));
    add_once(cured.about, subject_of(ward, w->proof));
  }
  cured.keys = join(keys, "; ");
  return causes.empty() ? invalid("the scenario has nothing of that kind") : Status();
}

Status without_what_slows(const Ward& ward, std::string_view words, const Verdict& v, CuredJob& cured) {
  return take_away_all(ward, causes_of(ward, troubles_named(ward, words, v, is_slowness)), cured);
}

Status without_pauses(const Ward& ward, std::string_view words, const Verdict& v, CuredJob& cured) {
  const auto is_paused = [](const Trouble& t) { return t.kind == Kind::paused; };
  TARRY_RETURN_IF_ERROR(take_away_all(ward, causes_of(ward, troubles_named(ward, words, v, is_paused)), cured));
  return give_back(ward, cured, [](const Fault& f) { return !is_pause(f); });
}

Status without_what_ends(const Ward& ward, std::string_view words, const Verdict& v, CuredJob& cured) {
  const auto is_gone = [](const Trouble& t) { return t.kind == Kind::gone; };
  TARRY_RETURN_IF_ERROR(take_away_all(ward, causes_of(ward, troubles_named(ward, words, v, is_gone)), cured));
  return give_back(ward, cured, is_pause);
}

Status without_what_holds_messages(const Ward& ward, std::string_view words, const Verdict& v, CuredJob& cured) {
  const auto is_of_these_words = [&](const Trouble& t) {
    return is_of_a_path(t) && cure_of_paths({&t, 1}).find(words) != std::string::npos;
  };
  return take_away_all(ward, causes_of(ward, troubles_named(ward, words, v, is_of_these_words)), cured);
}

Status without_full_disks(const Ward& ward, std::string_view, const Verdict& v, CuredJob& cured) {
  return without_kind<FailSave>(ward, v, cured);
}

Status without_torn_saves(const Ward& ward, std::string_view, const Verdict& v, CuredJob& cured) {
  return without_kind<TearSave>(ward, v, cured);
}

Status without_taken_memory(const Ward& ward, std::string_view, const Verdict& v, CuredJob& cured) {
  return without_kind<TakeMemory>(ward, v, cured);
}

Status without_all_that_stops(const Ward& ward, std::string_view, const Verdict& v, CuredJob& cured) {
  const TaskNames& tasks = ward.patient.outcome.tasks;
  std::vector<Trouble> troubles = ward.troubles;
  std::erase_if(troubles, [&](const Trouble& t) {
    return only_slows_down(t) ? v.text.find(in_words(t, tasks)) == std::string::npos : !is_wrong_for_good(t);
  });
  TARRY_RETURN_IF_ERROR(take_away_all(ward, causes_of(ward, troubles), cured));
  std::erase_if(cured.job.faults, [](const Fault& f) { return std::holds_alternative<Leave>(f.what); });
  cured.about.clear();  // its words say so
  return {};
}

}  // namespace tarry
