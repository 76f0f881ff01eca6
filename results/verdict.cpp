#include "results/verdict.hpp"

#include <algorithm>

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

std::vector<Verdict> judge(const Evidence& e) {
  std::vector<Verdict> said;
  for (const VerdictKind& row : verdict_table())
    for (std::string& text : row.judge(e, said)) said.push_back({std::string(row.kind), std::move(text)});
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
