#include "results/verdict.hpp"

#include <algorithm>

#include "results/proof.hpp"

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

// A standstill that ended and cost nothing worth telling comes after causes that do.
void standstills_without_a_price_last(std::vector<Verdict>& said, std::span<const Proof> proofs) {
  if (std::ranges::none_of(said, [&](const Verdict& v) { return proof_in(v, proofs) != nullptr; })) return;
  std::ranges::stable_partition(
      said, [&](const Verdict& v) { return v.kind != "stalled" || proof_in(v, proofs) != nullptr; });
}

// That a job stands still comes before what else is so.
void standing_still_first(std::vector<Verdict>& said) {
  std::ranges::stable_partition(said, [](const Verdict& v) { return exit_code_of_kind(v.kind) == kDeadlock; });
}

// A few aggregates that lack a worker are what a slow one leaves behind at the beginning: its cause comes first.
void few_uneven_aggregates_last(std::vector<Verdict>& said, const Evidence& e) {
  constexpr std::size_t kOneIn = 10;
  if (e.training != Training::synchronous) return;
  const auto& all = e.first_accumulator().aggregates;
  const auto lone = static_cast<std::size_t>(std::ranges::count_if(all, &Aggregate::lacks_a_worker));
  if (kOneIn * lone > all.size()) return;
  if (std::ranges::none_of(said, [&](const Verdict& v) { return proof_in(v, e.proofs) != nullptr; })) return;
  std::ranges::stable_partition(said, [](const Verdict& v) { return v.kind != "uneven"; });
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
  standstills_without_a_price_last(said, e.proofs);
  few_uneven_aggregates_last(said, e);
  standing_still_first(said);
  return said;
}

std::vector<std::string> verdict_kinds() {
  std::vector<std::string> kinds;
  for (const VerdictKind& row : verdict_table()) kinds.emplace_back(row.kind);
  std::ranges::sort(kinds);
  return kinds;
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
