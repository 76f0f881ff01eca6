#include "properties/cluster/finding_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/file/faults.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

// ---- what is broken, in words ----

struct PropertyWords {
  std::string_view property, words;
};
constexpr PropertyWords kPropertyWords[] = {{"never stuck", "Training stands still"},
                                            {"never failed", "A client fails"},
                                            {"no_failed_client", "A client fails"},
                                            {"never progress_lost", "Progress is lost"},
                                            {"progress", "Training makes no progress for too long"},
                                            {"finish", "Training is not over in time"},
                                            {"lost_steps", "Too many steps are lost"},
                                            {"dropped", "Too many gradients are dropped"},
                                            {"share", "A worker contributes too little"},
                                            {"throughput", "Training is too slow"},
                                            {kDeterminism, "Two runs of the same job differ"},
                                            {kEndless, "An instant of the run has no end"}};
constexpr std::string_view kNever = "never ", kLaw = "law ";

std::string in_title(const std::string& property) {
  const auto row = std::ranges::find(kPropertyWords, property, &PropertyWords::property);
  if (row != std::end(kPropertyWords)) return std::string(row->words);
  if (property.starts_with(kNever)) return fmt::format("The job gets the verdict '{}'", property.substr(kNever.size()));
  if (property.starts_with(kLaw)) return fmt::format("The law '{}' is broken", property.substr(kLaw.size()));
  return fmt::format("'{}' is broken", property);
}

// Errors have lines of their own, which Markdown would join, or take for headings.
std::string as_markdown(const std::string& text) {
  return text.find('\n') == text.npos ? text : fmt::format("\n\n```text\n{}\n```", text);
}

// ---- the faults ----

std::string moment_of(const Trigger& t, const ClusterSpec& cluster) {
  const auto& moment = *std::ranges::find(kMoments, t.moment, &MomentText::moment);
  return fmt::format(" It comes {} the moment `{}` of `{}` ({}){}.",
                     t.delay == 0 ? "right after" : format_time(t.delay) + " after", moment.key,
                     short_task(cluster.tasks.at(t.task.index()).name), moment.meaning,
                     t.count == 1 ? "" : fmt::format(", when that has come {} times", t.count));
}

std::string fault_in_words(const Fault& fault, const ClusterSpec& cluster) {
  const auto [key, meaning] =
      std::visit([]<class K>(const K&) { return std::pair(std::string_view(K::kKey), std::string_view(K::kMeaning)); },
                 fault.what);
  const auto* trigger = std::get_if<Trigger>(&fault.when);
  return fmt::format("- `{}`. The fault `{}`: {}.{}\n", faults_line({&fault, 1}, cluster), key, meaning,
                     trigger == nullptr ? "" : moment_of(*trigger, cluster));
}

std::string what_goes_wrong(const ClusterFinding& f, const ClusterSpec& cluster, const FindingOrigin& by) {
  const auto& faults = f.shrunk.smallest.faults;
  std::string out = fmt::format("**What goes wrong.** The job of `{}` gets {}{}{}\n", by.scenario,
                                faults.empty()       ? "no fault"
                                : faults.size() == 1 ? "this fault"
                                                     : "these faults",
                                by.had_faults ? ", and not those of its own" : "", faults.empty() ? "." : ":\n");
  for (const Fault& fault : faults) out += fault_in_words(fault, cluster);
  return out;
}

// ---- what came of it ----

// A verdict that it must not get says it all.
std::string what_is_broken(const FindingOrigin& by, const FindingTold& told) {
  const std::string must = by.must.empty() ? "" : fmt::format(" The job must keep to `{}`.", by.must);
  const auto verdict = std::ranges::find(told.verdicts, told.broken.text, &Verdict::text);
  const std::string kind =
      verdict == told.verdicts.end() ? "" : fmt::format(" It gets the verdict `{}`:", verdict->kind);
  return fmt::format("**What is broken.**{}{} {}\n", must, kind, as_markdown(told.broken.text));
}

std::string other_verdicts(const FindingTold& told) {
  std::string out;
  for (const Verdict& v : told.verdicts)
    if (v.text != told.broken.text) out += fmt::format("\n**Verdict `{}`.** {}\n", v.kind, as_markdown(v.text));
  return out;
}

// What no verdict tells already.
std::string proofs_in_words(const FindingTold& told) {
  std::string out;
  for (const Proof& p : told.proofs) {
    const std::string says = in_words(p);
    const bool is_told =
        std::ranges::any_of(told.verdicts, [&](const Verdict& v) { return v.text.find(says) != v.text.npos; });
    if (p.cause == Proof::Cause::faults && !is_told) out += says;
  }
  return out;
}

std::string section_without_a_fault(const ClusterFinding& f, const FindingTold& told) {
  const std::string text = without_a_fault(f, told);
  const bool is_one = f.shrunk.smallest.faults.size() == 1;
  return text.empty() ? "" : fmt::format("\n**Without {}.** {}\n", is_one ? "the fault" : "a fault", text);
}

std::string_view what_running_gives(const FindingTold& told) {
  if (!told.has_outcome) return "`tarry run .` says which steps go round, with exit code 2";
  if (told.broken.property == kDeterminism)
    return "`tarry run . --check` runs the job twice, and has exit code 5 where the two runs differ";
  if (told.broken.property.starts_with(kLaw))
    return "`tarry run .` gives the same run, and exit code 3 for the broken law";
  return "`tarry run .` gives the same run, and exit code 0, since `expected.json` has it";
}

std::string how_to_run_it(const ClusterFinding& f, const FindingTold& told) {
  std::string out = fmt::format("\n**Run it again.** In this folder, {}.", what_running_gives(told));
  if (!f.shrunk.smallest.faults.empty()) out += " `tarry run . --faults ''` runs the job without any fault.";
  return out + "\n";
}

std::string origin_in_words(const ClusterFinding& f, const FindingOrigin& by) {
  return fmt::format("\n**Origin.** Run {} of `{}` broke it under {}; shrinking left {}{}.\n", f.number, by.command,
                     counted(std::ssize(f.found.faults), "fault", "faults"), f.shrunk.smallest.faults.size(),
                     f.is_cut_short ? ", and had no time to try whether less would do" : "");
}

}  // namespace

std::string without_a_fault(const ClusterFinding& f, const FindingTold& told) {
  const std::string proofs = proofs_in_words(told);
  if (f.checked == 0) return proofs.empty() ? "" : proofs.substr(1);
  return fmt::format("Leave out {}, and this does not happen ({} checked).{}",
                     f.shrunk.smallest.faults.size() == 1 ? "the fault" : "any one of them",
                     f.checked == 1 ? std::string("1 run was") : fmt::format("{} runs were", f.checked), proofs);
}

std::string finding_title(const ClusterFinding& f, const ClusterSpec& cluster) {
  const std::string what = in_title(f.broken.property);
  if (f.shrunk.smallest.faults.empty()) return what + " without any fault";
  return fmt::format("{}: {}", what, faults_line(f.shrunk.smallest.faults, cluster));
}

std::string finding_document(const ClusterFinding& f, const ClusterSpec& cluster, const FindingOrigin& by,
                             const FindingTold& told) {
  return fmt::format("# {}\n\n{}\n{}{}{}{}{}", finding_title(f, cluster), what_goes_wrong(f, cluster, by),
                     what_is_broken(by, told), other_verdicts(told), section_without_a_fault(f, told),
                     how_to_run_it(f, told), origin_in_words(f, by));
}

}  // namespace tarry
