#include "scenarios/file/cures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/to_do.hpp"
#include "results/trouble.hpp"
#include "scenarios/file/cure_edits.hpp"
#include "scenarios/file/fault_cures.hpp"
#include "scenarios/file/hidden_cures.hpp"
#include "scenarios/file/keys.hpp"
#include "scenarios/file/program_cures.hpp"
#include "scenarios/job/settled.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using Cured = StatusOr<CuredJob>;

struct Advice {
  std::string_view words;  // in what a verdict says is to be done
  std::string_view advice;
  Cured (*cure)(const Ward& ward, const Advice& advice, const Verdict& verdict);  // null: it cannot be tried
  const char* why_not;                                                            // then
};

// ---- what another run without a cause shows, too ----

bool has_words(const Ward&, const WhatIf&, const Verdict&) { return true; }

// Whether the verdict speaks of whom the cause is about.
bool is_named(const Ward& ward, const WhatIf& w, const Verdict& v) {
  const Proof& p = w.proof;
  const TaskNames& tasks = ward.patient.outcome.tasks;
  const auto is_in_text = [&](const std::string& end) {
    const TaskId task = tasks.find(end);
    return end.empty() || has_name(v.text, task.valid() ? tasks.show(task) : end);
  };
  if (p.task.valid()) return has_name(v.text, tasks.show(p.task));
  if (p.together) return has_name(v.text, p.instead);
  return std::ranges::all_of(split(p.a, ','),
                             [&](std::string_view host) {
                               return is_in_text(std::string(host.substr(host.starts_with(' ') ? 1 : 0)));
                             }) &&
         (p.cause == Cause::far_host || is_in_text(p.b));
}

bool is_of_all(const Ward&, const WhatIf& w, const Verdict&) { return w.proof.together; }
bool is_of_all_parts(const Ward&, const WhatIf& w, const Verdict&) { return w.proof.b.empty(); }
bool is_of_a_part(const Ward&, const WhatIf& w, const Verdict&) { return !w.proof.b.empty(); }

// All that `fits`, taken away together.
template <class Fits>
Cured without(const Ward& ward, const Advice& a, Cause cause, Fits fits) {
  std::vector<const WhatIf*> all;
  for (const WhatIf& w : ward.what_ifs)
    if (w.proof.cause == cause && fits(w)) all.push_back(&w);
  CuredJob cured{std::string(a.advice), "", ward.patient.job};
  TARRY_RETURN_IF_ERROR(take_away_all(ward, all, cured));
  return cured;
}

template <auto kTake>
Cured without_faults(const Ward& ward, const Advice& a, const Verdict& v) {
  CuredJob cured{std::string(a.advice), "", ward.patient.job};
  TARRY_RETURN_IF_ERROR(kTake(ward, a.words, v, cured));
  return cured;
}

template <Cause kCause, auto kFits = has_words>
Cured take_away(const Ward& ward, const Advice& a, const Verdict& v) {
  Cured cured = without(ward, a, kCause, [&](const WhatIf& w) { return kFits(ward, w, v); });
  if (cured.ok() && kFits == has_words) cured->about.clear();  // its words are of all
  return cured;
}

Cured spread(const Ward& ward, const Advice& a, const Verdict&) {
  return without(ward, a, Cause::imbalance, [](const WhatIf& w) { return has_word(w.proof.instead, "spread"); });
}
Cured split_evenly(const Ward& ward, const Advice& a, const Verdict&) {
  return without(ward, a, Cause::imbalance, [](const WhatIf& w) { return has_word(w.proof.instead, "split"); });
}

// The verdict tells this cause, or the run without it.
bool is_told(const Ward&, const WhatIf& w, const Verdict& v) {
  return has_name(v.text, w.proof.instead) || has_name(v.text, w.proof.what);
}

bool is_of_some_servers(const Ward&, const WhatIf& w, const Verdict&) { return !w.proof.a.empty(); }

Cured as_fast_as_others(const Ward& ward, const Advice& a, const Verdict& v) {
  Cured cured = take_away<Cause::interference, is_told>(ward, a, v);
  if (!cured.ok()) cured = take_away<Cause::slow_worker, is_told>(ward, a, v);
  if (!cured.ok()) cured = take_away<Cause::slow_worker, is_named>(ward, a, v);
  return cured.ok() ? std::move(cured) : take_away<Cause::interference, is_named>(ward, a, v);
}

// What interferes with it, where the verdict's run was without that.
Cured without_what_keeps_busy(const Ward& ward, const Advice& a, const Verdict& v) {
  Cured calm = take_away<Cause::interference, is_told>(ward, a, v);
  return calm.ok() ? std::move(calm) : take_away<Cause::server_kernels, is_named>(ward, a, v);
}

// ---- another design ----

template <Cause kCause>
Cured redesigned(const Ward& ward, const Advice& a, const Verdict&) {
  const auto it = std::ranges::find(ward.designs, kCause, [](const WhatIf& w) { return w.proof.cause; });
  if (it == ward.designs.end()) return invalid("the scenario cannot have it, or has it already");
  return CuredJob{std::string(a.advice), keys_of(it->proof, ward.patient.outcome.tasks, ward.patient.scenario),
                  it->job};
}

// ---- edits of the scenario ----

template <auto kEdit>
Cured edited(const Ward& ward, const Advice& a, const Verdict& v) {
  CuredJob cured{std::string(a.advice), "", {}};
  Scenario s = ward.patient.scenario;
  TARRY_RETURN_IF_ERROR(kEdit(ward, v, s, cured));
  TARRY_ASSIGN(cured.job, make_job(s, ward.patient.options));
  return cured;
}

template <auto kEdit>
Cured with_faults(const Ward& ward, const Advice& a, const Verdict& v) {
  CuredJob cured{std::string(a.advice), "faults", ward.patient.job};
  TARRY_RETURN_IF_ERROR(kEdit(ward, v, cured));
  return cured;
}

Cured restarted_and_saved(const Ward& ward, const Advice& a, const Verdict& v) {
  TARRY_ASSIGN(CuredJob cured, edited<save_more_often>(ward, a, v));
  TARRY_RETURN_IF_ERROR(restart_soon(ward, v, cured));
  cured.advice += ", and save checkpoints", cured.keys += "; faults";
  return cured;
}

// What no key of the scenario says.
template <auto kEdit>
Cured in_the_job(const Ward& ward, const Advice& a, const Verdict&) {
  CuredJob cured{std::string(a.advice), "", ward.patient.job};
  TARRY_RETURN_IF_ERROR(kEdit(cured));
  return cured;
}

constexpr const char* kTells = "it tells of the standstill, and mends nothing";
constexpr const char* kLooks = "it is for whoever can look at the machine";
constexpr const char* kBatch = "the costs of ops do not follow from the batch";
constexpr const char* kModel = "it is another model";

constexpr Advice kAdvice[] = {
    {"set device_filters", "set device_filters", edited<filter_devices>, {}},
    {"restart ", "restart it", with_faults<restart_soon>, {}},
    {"start the whole job again", "start the whole job again", nullptr, "it begins another run"},
    {"the job stands still as well", "all of that together", without_faults<without_all_that_stops>, {}},
    {"the work takes as long", "all of that together", take_away<Cause::faults, is_of_all>, {}},
    {"find out what ends", "without what ends it", without_faults<without_what_ends>, {}},
    {", and save checkpoints", "restart it, and save checkpoints", restarted_and_saved, {}},
    {"save checkpoints", "save checkpoints", edited<save_more_often>, {}},
    {"save less often", "save a quarter as often", edited<save_less_often>, {}},
    {" a faster disk, or",
     "have saves there take as long as elsewhere",
     take_away<Cause::checkpoints, is_of_some_servers>,
     {}},
    {"to a faster disk", "have a disk that takes no time", in_the_job<save_in_no_time>, {}},
    {"make room", "have room where checkpoints are saved", without_faults<without_full_disks>, {}},
    {"keep checkpoints", "keep the checkpoints", take_away<Cause::faults, is_told>, {}},
    {"look at the storage that", "without what damages its checkpoints", without_faults<without_torn_saves>, {}},
    {"restore an earlier one", "restore an earlier checkpoint", nullptr, "no key chooses the checkpoint"},
    {"a faster storage", "give it a faster storage", without_faults<without_what_slows>, {}},
    {"aggregate fewer gradients", "aggregate fewer gradients", edited<aggregate_fewer>, {}},
    {"have a backup worker", "have a backup worker", edited<aggregate_fewer>, {}},
    {"aggregate no more gradients", "aggregate as many gradients as workers train", edited<aggregate_all>, {}},
    {"aggregate more gradients", "aggregate a gradient of each worker", edited<aggregate_all>, {}},
    {"watch the time since", "watch the time since the last aggregate", nullptr, kTells},
    {"a time limit on each step", "a time limit on each step", nullptr, kTells},
    {"aggregate a gradient of each", "aggregate a gradient of each worker", edited<aggregate_all>, {}},
    {"train as long as", "let all workers train equally long", edited<train_on>, {}},
    {"stop at a global step", "stop at a global step", edited<stop_at_global_step>, {}},
    {"files with more records", "let the files never end", edited<endless_files>, {}},
    {"queue of file names under", "have each worker count its own epochs", take_away<Cause::epochs>, {}},
    {"names of files that there are", "let its readers find the file", edited<find_files>, {}},
    {"look at what else runs on", "without what slows it", without_faults<without_what_slows>, {}},
    {"look at what else its host does", "make it as fast as the usual worker", as_fast_as_others, {}},
    {"give it a GPU", "give it GPUs like the usual worker's", as_fast_as_others, {}},
    {"give them GPUs", "give them GPUs like the usual worker's", take_away<Cause::slow_worker>, {}},
    {"look at what else goes on there", "make all of them as fast as the usual worker", as_fast_as_others, {}},
    {"look at what else it does", "make its workers as fast as the usual one", as_fast_as_others, {}},
    {"go on (", "let its process go on", without_faults<without_pauses>, {}},
    {"join ", "join the two again", without_faults<without_what_holds_messages>, {}},
    {"let messages pass", "let messages pass again", without_faults<without_what_holds_messages>, {}},
    {"look at the network of", "without what holds its messages", without_faults<without_what_holds_messages>, {}},
    {"look at the path between",
     "without what is wrong with that path",
     without_faults<without_what_holds_messages>,
     {}},
    {"look at the connections", "without what is wrong with these connections", take_away<Cause::faults, is_told>, {}},
    {"at equal distance", "put each parameter server on a host of its own", edited<put_servers_apart>, {}},
    {"or one beside each", "put a parameter server beside each worker", edited<put_servers_beside>, {}},
    {"(num_tokens of", "give as many initial tokens as it needs", edited<enough_tokens>, {}},
    {"start the workers together", "start the workers together", take_away<Cause::late_start>, {}},
    {"as soon as the model is there",
     "start the workers as soon as the model is there",
     take_away<Cause::late_start>,
     {}},
    {"start without initial tokens", "start without initial tokens", edited<start_without_tokens>, {}},
    {"steps equally long", "make all workers as fast as the usual one", take_away<Cause::slow_worker>, {}},
    {"be the chief", "have one worker as the chief", redesigned<Cause::chiefs>, {}},
    {"let more workers train", "let more workers train", nullptr, "nobody says which"},
    {"start the workers that are missing", "start the workers that are missing", edited<start_missing>, {}},
    {"start it", "start it", edited<start_missing>, {}},
    {"build the graph for", "build the graph for the workers that train", edited<plan_for_those>, {}},
    {"start the queue runner", "have the chief start the queue runner", edited<start_sync_thread>, {}},
    {"fetch no aggregated gradient", "fetch no aggregated gradient in a training step", edited<fetch_nothing_more>, {}},
    {"program take fewer", "take fewer gradients for an aggregate", nullptr, "it is another graph"},
    {"look at the gradients before", "look at the gradients before they are pushed", nullptr,
     "what is looked at costs the job nothing here"},
    {"let it run longer", "let it run until the first aggregate should be complete", edited<run_longer>, {}},
    {"replace it", "give it a card like the others'", take_away<Cause::slow_card, is_named>, {}},
    {"look at the port that", "look at the port that it is at", nullptr, kLooks},
    {"replace them", "give them cards like the others'", take_away<Cause::slow_card, is_named>, {}},
    {"look at the ports", "look at the ports that they are at", nullptr, kLooks},
    {"nearer to each other", "have a network without latency", take_away<Cause::latency>, {}},
    {"bring it nearer", "bring it as near as the others", take_away<Cause::far_host, is_named>, {}},
    {"bring them as near", "bring all of them as near as the others", take_away<Cause::far_host>, {}},
    {"what keeps it busy", "without what keeps it busy", without_what_keeps_busy, {}},
    {"what keeps them busy", "without what keeps them busy", without_what_keeps_busy, {}},
    {"have several readers", "have several readers", nullptr, "it is another graph"},
    {"more threads prepare examples",
     "have twice as many threads enqueue",
     in_the_job<enqueue_with_twice_the_threads>,
     {}},
    {"hold the examples of several steps",
     "let the queue hold the examples of three steps",
     take_away<Cause::room>,
     {}},
    {"keep fewer examples back", "have queues keep no examples back", in_the_job<keep_nothing_back>, {}},
    {"prepare them beforehand", "have examples that are prepared in no time", take_away<Cause::input>, {}},
    {"their hosts do", "make all workers as fast as the usual one", take_away<Cause::slow_worker>, {}},
    {"faster copy engines", "have copies that take no time", take_away<Cause::copies>, {}},
    {"start the workers after", "start the workers after the chief", nullptr, "nobody says how long after"},
    {"look again sooner", "let clients look again after a second", take_away<Cause::polls>, {}},
    {"what makes these steps longer", "without what makes steps vary", take_away<Cause::variations>, {}},
    {"what else uses these cards", "have cards of their usual bandwidth", take_away<Cause::card_variations>, {}},
    {"larger batches", "larger batches", nullptr, kBatch},
    {"what else uses the memory", "without what else uses it", without_faults<without_taken_memory>, {}},
    {"a smaller batch", "give it a smaller batch", nullptr, kBatch},
    {"a GPU with more memory", "have GPUs with all the memory that they need", edited<more_memory>, {}},
    {"feed it", "feed it", nullptr, "nobody says with what"},
    {"take what needs the placeholder out", "take what needs the placeholder out", nullptr, kModel},
    {"take the worker out", "take the worker out", edited<take_out>, {}},
    {"take the workers out", "take the workers out", edited<take_out>, {}},
    {"over more parameter servers", "have one more parameter server", redesigned<Cause::servers>, {}},
    {"fewer and larger tensors", "have fewer and larger tensors", nullptr, kModel},
    {"more or better spread parameter servers", "have one more parameter server", redesigned<Cause::servers>, {}},
    {"faster cards", "have a network of unlimited bandwidth", take_away<Cause::network, is_of_all_parts>, {}},
    {"fewer tasks on one host", "put fewer tasks on one host", nullptr, "nobody says which host has room"},
    {"bandwidth between tasks of one host",
     "have unlimited bandwidth between tasks of one host",
     take_away<Cause::network, is_of_a_part>,
     {}},
    {"wider PCIe roots", "have PCIe roots of unlimited bandwidth", take_away<Cause::pcie>, {}},
    {"fewer GPUs below each root", "put fewer GPUs below each root", nullptr, "nobody says which root has room"},
    {"wider trunks", "have trunks of unlimited bandwidth", take_away<Cause::trunks>, {}},
    {"nearer to their workers", "put parameter servers into the racks of their workers", nullptr,
     "nobody says which rack has room"},
    {"fewer bytes a step", "fewer bytes a step", nullptr, kModel},
    {"fewer messages a step", "fewer messages a step", nullptr, kModel},
    {"a faster transport", "have messages that cost nothing but the wire", take_away<Cause::transport, is_of_all>, {}},
    {"a transport that copies less",
     "have messages that are copied in no time",
     take_away<Cause::transport, is_told>,
     {}},
    {"more threads that serialise",
     "have a thread to serialise and copy each message",
     take_away<Cause::transport, is_told>,
     {}},
    {"larger windows", "have connections without windows", take_away<Cause::transport, is_told>, {}},
    {"take in more of many senders",
     "have cards that take in as much of many senders as of one",
     take_away<Cause::transport, is_told>,
     {}},
    {"more inter-op threads", "have a thread for each kernel", take_away<Cause::threads>, {}},
    {"its work to more tasks", "give its work to more tasks", nullptr, "it is another job"},
    {"their work to more tasks", "give their work to more tasks", nullptr, "it is another job"},
    {"by bytes (greedy)", "spread the variables by bytes", spread, {}},
    {"spread these rows", "split the bytes evenly over the parameter servers", split_evenly, {}},
    {"split that variable", "split the bytes evenly over the parameter servers", split_evenly, {}},
};

// ---- from verdicts ----

std::optional<Proof::Cause> cause_without_waits(const Ward& ward, const Verdict& v) {
  for (const Proof& p : ward.patient.proofs)
    if (p.instead.ends_with(kWaitsLeftOut) && v.text.find(in_words(p)) != v.text.npos) return p.cause;
  return std::nullopt;
}

std::optional<Proof::Cause> cause_of_gain(const Ward& ward, const Verdict& v) {
  for (const Proof& p : ward.patient.proofs)
    if (!p.goes_on && v.text.find(in_words(p)) != v.text.npos) return p.cause;
  return std::nullopt;
}

Cure cure_of(const Ward& ward, const Advice& a, const Verdict& v) {
  Cure cure{v.kind, std::string(a.advice), {}, {}};
  if (a.cure == nullptr) {
    cure.why_not = a.why_not;
    return cure;
  }
  Cured cured = a.cure(ward, a, v);
  if (cured.ok()) {
    cure.advice = cured->advice;
    cure.cured = *std::move(cured);
  } else {
    cure.why_not = text_of(cured.status());
  }
  cure.waits_left_out = cause_without_waits(ward, v);
  cure.saves_time = cause_of_gain(ward, v);
  return cure;
}

// By where it stands in the text.
std::vector<const Advice*> advice_in(std::string_view to_do) {
  std::vector<std::pair<std::size_t, const Advice*>> found;
  for (const Advice& a : kAdvice)
    if (const std::size_t at = to_do.find(a.words); at != to_do.npos)
      if (a.cure != restarted_and_saved || to_do.find("restart ") != to_do.npos) found.emplace_back(at, &a);
  std::ranges::stable_sort(found, {}, [](const auto& f) { return f.first; });
  std::vector<const Advice*> out;
  for (const auto& [at, advice] : found) out.push_back(advice);
  return out;
}

// ---- all of them ----

using Whom = std::vector<std::string>;

Whom about(const Cure& c) { return c.cured ? c.cured->about : Whom(); }

bool is_known(const std::vector<Cure>& all, const Cure& c) {
  return std::ranges::any_of(
      all, [&](const Cure& o) { return o.verdict == c.verdict && o.advice == c.advice && about(o) == about(c); });
}

// " (worker 1, worker 2 and 3 more)".
std::string about_whom(Whom names) {
  constexpr std::size_t kMost = 6;
  const std::size_t more = names.size() > kMost ? names.size() - (kMost - 1) : 0;
  names.resize(names.size() - more);
  return fmt::format(" ({}{})", join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

void say_whom(std::vector<Cure>& all) {
  std::map<std::string, std::set<Whom>> abouts;
  for (const Cure& c : all)
    if (c.cured) abouts[c.advice].insert(about(c));
  for (Cure& c : all) {
    const Whom names = about(c);
    if (names.size() > 1 || (!names.empty() && abouts[c.advice].size() > 1))
      c.advice = c.cured->advice += about_whom(names);
  }
}

}  // namespace

StatusOr<std::vector<Cure>> cures_of(const Patient& patient, std::span<const Verdict> verdicts) {
  TARRY_ASSIGN(std::vector<WhatIf> designs, other_designs(patient.scenario, patient.options));
  const Ward ward{patient, read_contributions(patient.outcome.log), what_ifs(patient.job, patient.outcome, Scope::all),
                  std::move(designs),
                  read_troubles(patient.outcome.log, patient.outcome.tasks, read_losses(patient.outcome.log))};
  std::vector<Cure> out;
  for (const Verdict& v : verdicts) {
    const Verdict own = of_itself(ward, v);
    for (const Advice* a : advice_in(to_do_in(v.text)))
      if (Cure cure = cure_of(ward, *a, own); !is_known(out, cure)) out.push_back(std::move(cure));
    if (auto cure = cure_of_all_hidden(ward, v); cure && !is_known(out, *cure)) out.push_back(*std::move(cure));
  }
  say_whom(out);
  return out;
}

std::vector<std::string_view> known_advice() {
  std::vector<std::string_view> out;
  for (const Advice& a : kAdvice) out.push_back(a.words);
  return out;
}

}  // namespace tarry
