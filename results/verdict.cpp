#include "results/verdict.hpp"

#include <algorithm>

#include "results/proof.hpp"
#include "results/verdicts/starved.hpp"
#include "results/verdicts/uneven_aggregates.hpp"

namespace tarry {
namespace {

// How bad an exit code is: a broken rule before a deadlock before anything else.
int badness(ExitCode code) { return code == kSafety ? 3 : code == kDeadlock ? 2 : code == kOk ? 0 : 1; }

ExitCode exit_code_of_kind(std::string_view kind) {
  const auto table = verdict_table();
  const auto row = std::ranges::find(table, kind, &VerdictKind::kind);
  return row == table.end() ? kOk : row->exit_code;
}

}  // namespace

std::vector<Verdict> judge(const EventLog& log, const Contributions& c, const TaskNames& tasks,
                           std::span<const Proof> proofs, std::span<const BrokenLaw> breaches) {
  Evidence e = read_evidence(log, c, tasks);
  e.proofs = proofs;
  e.breaches = breaches;
  return judge(e);
}

namespace {

// What it tells of another run; nullptr = of none.
const Proof* proof_in(const Verdict& v, std::span<const Proof> proofs) {
  const auto p = std::ranges::find_if(proofs, [&](const Proof& p) { return v.text.find(in_words(p)) != v.text.npos; });
  return p == proofs.end() ? nullptr : &*p;
}

// Those that cost most come first.
void sort_causes(std::span<Verdict> causes, std::span<const Proof> proofs) {
  std::ranges::stable_sort(causes, [&](const Verdict& a, const Verdict& b) {
    const Proof *of_a = proof_in(a, proofs), *of_b = proof_in(b, proofs);
    return of_a != nullptr && (of_b == nullptr || comes_first(*of_a, *of_b));
  });
}

// What faults cost, in standstills and by slowness: who costs most comes first.
void sort_faults(std::vector<Verdict>& said, std::span<const Proof> proofs) {
  std::vector<std::size_t> places;
  std::vector<Verdict> faults;
  for (std::size_t i = 0; i < said.size(); ++i)
    if ((said[i].kind == "stalled" || said[i].kind == "slowed") && proof_in(said[i], proofs) != nullptr) {
      places.push_back(i);
      faults.push_back(std::move(said[i]));
    }
  sort_causes(faults, proofs);
  for (std::size_t i = 0; i < places.size(); ++i) said[places[i]] = std::move(faults[i]);
}

// A standstill that ended and cost nothing worth telling comes after causes that do.
void standstills_without_a_price_last(std::vector<Verdict>& said, std::span<const Proof> proofs) {
  if (std::ranges::none_of(said, [&](const Verdict& v) { return proof_in(v, proofs) != nullptr; })) return;
  std::stable_partition(said.begin(), said.end(),
                        [&](const Verdict& v) { return v.kind != "stalled" || proof_in(v, proofs) != nullptr; });
}

// That a job stands still comes before what else is so.
void standing_still_first(std::vector<Verdict>& said) {
  std::stable_partition(said.begin(), said.end(),
                        [](const Verdict& v) { return exit_code_of_kind(v.kind) == kDeadlock; });
}

// A tenth of the aggregates or less: what a slow worker leaves behind at the beginning.
bool are_few_uneven(const Evidence& e) { return 10 * share_uneven(e) <= 1; }

// Proved to cost time, and of one worker, host or rack: why the others went on without it, or its gradients were
// dropped.
bool tells_why_uneven(const Verdict& v, const Evidence& e) {
  constexpr std::string_view kOfOne[] = {"slowed", "late_start", "slow_card", "far", "straggler"};
  constexpr std::string_view kMayBeOfOne[] = {"pcie_bound", "trunk_bound"};
  const Proof* proof = proof_in(v, e.proofs);
  if (proof == nullptr) return false;
  if (v.kind == "stalled") return proof->task.valid() && e.is_worker(proof->task);
  return std::ranges::count(kOfOne, v.kind) > 0 || (std::ranges::count(kMayBeOfOne, v.kind) > 0 && proof->b == "one");
}

// Aggregates that lack a worker come after what explains them. A few, and all that a worker who was cut off left to the
// others, come after all that costs time.
void uneven_after_its_cause(std::vector<Verdict>& said, const Evidence& e) {
  const auto uneven = std::ranges::find(said, "uneven", &Verdict::kind);
  if (uneven == said.end()) return;
  const bool is_minor = are_few_uneven(e) || e.has_cut_off_worker();
  const auto is_cause = [&](const Verdict& v) {
    return is_minor ? proof_in(v, e.proofs) != nullptr : tells_why_uneven(v, e);
  };
  const auto last = std::find_if(said.rbegin(), std::make_reverse_iterator(uneven), is_cause);
  std::rotate(uneven, uneven + 1, last.base() > uneven ? last.base() : uneven + 1);
}

// Verdicts of the kind come after the last one that `is`.
template <class Is>
void put_after_last(std::vector<Verdict>& said, std::string_view kind, Is is) {
  const auto last = std::find_if(said.rbegin(), said.rend(), is).base();
  std::stable_partition(said.begin(), last, [kind](const Verdict& v) { return v.kind != kind; });
}

// So do gradients that were dropped. That fewer are needed than there are workers is a design, and comes after all that
// costs time.
void dropped_after_their_cause(std::vector<Verdict>& said, const Evidence& e) {
  put_after_last(said, "backup", [&](const Verdict& v) { return proof_in(v, e.proofs) != nullptr; });
  put_after_last(said, "starved", [&](const Verdict& v) { return tells_why_uneven(v, e); });
}

// Where fewer gradients are needed than there are workers, some come last though all are equal: that is by design, and
// the design is told first.
void starved_by_design_after_it(std::vector<Verdict>& said) {
  const auto backup = std::ranges::find(said, "backup", &Verdict::kind);
  if (backup == said.end()) return;
  std::stable_partition(said.begin(), backup + 1, [](const Verdict& v) {
    return v.kind != "starved" || v.text.find(kOfEqualWorkers) == v.text.npos;
  });
}

double weight_of_uneven(const Evidence& e) {
  const auto& all = e.first_accumulator().aggregates;
  return !all.empty() && all.front().is_lone() ? 1 : share_uneven(e);
}

// What faults and uneven aggregates cost comes after what costs more than twice as much. Uneven aggregates of which no
// run tells a gain count by their share of all; a worker that began by running ahead counts most.
void much_dearer_first(std::vector<Verdict>& said, const Evidence& e) {
  constexpr std::string_view kMayBeCheap[] = {"stalled", "slowed", "went_on", "uneven"};
  const auto price_of = [&](const Verdict& v) {
    if (const Proof* p = proof_in(v, e.proofs)) return *p;
    return Proof{.cause = Proof::Cause::faults, .gain = v.kind == "uneven" ? weight_of_uneven(e) : 0};
  };
  for (auto v = said.rbegin(); v != said.rend(); ++v) {
    if (std::ranges::count(kMayBeCheap, v->kind) == 0) continue;
    Proof twice = price_of(*v);
    twice.gain *= 2;
    const auto is_dearer = [&](const Verdict& other) {
      const Proof* p = proof_in(other, e.proofs);
      return p != nullptr && !p->goes_on && comes_first(*p, twice);
    };
    const auto last = std::find_if(said.rbegin(), v, is_dearer);
    std::rotate(v.base() - 1, v.base(), last.base());
  }
}

}  // namespace

std::vector<Verdict> judge(const Evidence& e) {
  std::vector<Verdict> said;
  std::size_t causes = 0;
  for (const VerdictKind& row : verdict_table()) {
    if (row.kind == kFirstCause) causes = said.size();
    for (std::string& text : row.judge(e, said)) said.push_back({std::string(row.kind), std::move(text)});
  }
  sort_causes(std::span(said).subspan(causes), e.proofs);
  sort_faults(said, e.proofs);
  standstills_without_a_price_last(said, e.proofs);
  uneven_after_its_cause(said, e);
  much_dearer_first(said, e);
  dropped_after_their_cause(said, e);
  starved_by_design_after_it(said);
  standing_still_first(said);
  return said;
}

std::vector<std::string> verdict_kinds() {
  std::vector<std::string> kinds;
  for (const VerdictKind& row : verdict_table()) kinds.emplace_back(row.kind);
  std::ranges::sort(kinds);
  return kinds;
}

bool needs_further_runs(std::string_view kind) {
  const auto table = verdict_table();
  const auto first = std::ranges::find(table, kFirstCause, &VerdictKind::kind),
             last = std::ranges::find(table, kLastCause, &VerdictKind::kind);
  return std::find_if(first, last + 1, [kind](const VerdictKind& v) { return v.kind == kind; }) != last + 1;
}

bool says_any(std::span<const Verdict> said, std::initializer_list<std::string_view> kinds) {
  return std::ranges::any_of(said, [&](const Verdict& v) { return std::ranges::find(kinds, v.kind) != kinds.end(); });
}

ExitCode exit_code_of(std::span<const Verdict> verdicts) {
  ExitCode worst = kOk;
  for (const Verdict& v : verdicts)
    if (const ExitCode code = exit_code_of_kind(v.kind); badness(code) > badness(worst)) worst = code;
  return worst;
}

}  // namespace tarry
