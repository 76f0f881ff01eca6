#include "properties/cli/cluster_answer.hpp"

#include <fmt/format.h>

#include "properties/cli/hunt.hpp"
#include "results/report.hpp"
#include "results/text_table.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/must.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string line_of(const ClusterAnswer& a, std::span<const Fault> faults) {
  return faults_line(faults, a.what.job.cluster);
}

// The finding as one line for a shell.
std::string replay_line(const ClusterAnswer& a, const ClusterFinding& f) {
  const std::string until = a.asked.heals ? " --until " + format_time(f.healed.until) : "";
  return fmt::format("tarry run {} --faults {}{}{} --hash {}", shell_word(a.asked.scenario),
                     shell_word(line_of(a, a.asked.heals ? f.healed.faults : f.shrunk.smallest.faults)), until,
                     a.asked.must ? " --must " + shell_word(*a.asked.must) : "", to_string(f.hash));
}

std::string_view in_words(Now now) {
  return now == Now::still_fails ? "still fails" : now == Now::changed ? "changed" : "gone";
}

// What the verdicts say of it: why it is so, and what would cure it.
std::string why(const FindingTold& told, const Shown& shown) {
  std::string out;
  for (const Verdict& v : told.verdicts)
    if (v.text != told.broken.text) out += to_text(v, shown) + "\n";
  return out;
}

// What was healed, and when.
std::string healing_in_words(const ClusterAnswer& a, const ClusterFinding& f) {
  if (!a.asked.heals) return "";
  const auto healing = std::span(f.healed.faults).last(f.healed.healing);
  std::string out = fmt::format("At {:.3f} s the core of the job gets back all that it needs{}\n",
                                in_seconds(f.healed.at), healing.empty() ? "; nothing was missing." : ":");
  bool ends_something = false;
  for (const Fault& fault : healing) {
    const std::string line = line_of(a, {&fault, 1});
    ends_something |= line.find(" lasts=0s") != line.npos;
    out += fmt::format("    {}\n", line);
  }
  if (ends_something) out += "(lasts=0s: what a fault above began is over from then on.)\n";
  return out + fmt::format("By {:.3f} s each of its workers must have made three steps.\n", in_seconds(f.healed.until));
}

std::string in_words(const ClusterAnswer& a, const ClusterFinding& f, const FindingTold& told, const Shown& shown) {
  const auto& smallest = f.shrunk.smallest.faults;
  std::string out = fmt::format("Run {} breaks '{}'. Of {}, {} {} {} ({}):\n", f.number, f.broken.property,
                                counted(std::ssize(f.found.faults), "fault", "faults"), smallest.size(),
                                smallest.size() == 1 ? "is" : "are", f.is_cut_short ? "left" : "needed",
                                counted(static_cast<std::int64_t>(f.shrunk.tried), "try", "tries"));
  for (const Fault& fault : smallest) out += fmt::format("    {}\n", line_of(a, {&fault, 1}));
  out += healing_in_words(a, f);
  if (f.is_cut_short) out += "The time was up before it was known whether less would do.\n";
  if (const std::string without = without_a_fault(f, told); !without.empty()) out += to_prose(without, shown);
  out += fmt::format("\n{}\n{}", to_prose(told.broken.text, shown), why(told, shown));
  if (a.asked.keep_going)
    out += fmt::format("{} of {} runs ({:.1f} %) broke it in this way.\n", f.runs.size(), a.report.runs,
                       percent(f.runs.size(), a.report.runs));
  return out + fmt::format("Replay it: {}\n\n", replay_line(a, f));
}

std::string in_words(const DecisiveMoment& m) {
  std::string out = "When faults are kept up to a moment and drawn anew after it, so many runs break it:\n";
  for (const Fate& f : m.curve) {
    const double share = percent(static_cast<std::size_t>(f.broken), static_cast<std::size_t>(f.runs));
    out += fmt::format("{:>12.3f} s {:>4.0f} %  {}\n", in_seconds(f.at), share,
                       std::string(static_cast<std::size_t>(share / 5), '#'));
  }
  out += fmt::format("It was decided between {:.3f} s and {:.3f} s:\n", in_seconds(m.from), in_seconds(m.to));
  for (const std::string& line : m.events) out += fmt::format("  {}\n", line);
  return out + "\n";
}

std::string hazards(const ClusterReport& r) {
  std::string out = fmt::format("{:>8} {:>8}  what is broken, and by what ({} of {} runs broke something)\n", "runs",
                                "first", r.broken, r.runs);
  for (const ClusterFinding& f : r.findings) out += fmt::format("{:>8} {:>8}  {}\n", f.runs.size(), f.number, f.hazard);
  if (r.known > 0) out += fmt::format("{:>8} {:>8}  known before\n", r.known, "");
  return r.not_shrunk > 0 ? out + fmt::format("{:>8} {:>8}  not shrunk\n", r.not_shrunk, "") : out;
}

std::string result_in_words(const ClusterAnswer& a) {
  if (!a.report.findings.empty()) return counted(std::ssize(a.report.findings), "finding", "findings");
  const auto known = std::ranges::count_if(a.known, [](const Replayed& k) { return k.now != Now::gone; });
  if (known > 0)
    return fmt::format("nothing new; {} still so", counted(known, "known finding is", "known findings are"));
  return a.report.runs == 0 ? "nothing was tried" : "the job kept to all that it must";
}

std::string left_in_words(const ClusterReport& r) {
  if (r.left == 0) return "";
  const bool only_repeats = r.different > 0 && r.runs >= r.different;
  return fmt::format("; {} schedules are left{}", r.left, only_repeats ? ", at moments that look like others" : "");
}

Json to_json(const DecisiveMoment& m) {
  Json j{{"from_s", in_seconds(m.from)}, {"to_s", in_seconds(m.to)}, {"events", m.events}, {"curve", Json::array()}};
  for (const Fate& f : m.curve)
    j["curve"].push_back({{"at_s", in_seconds(f.at)}, {"runs", f.runs}, {"broken", f.broken}});
  return j;
}

Json healing_to_json(const ClusterAnswer& a, const Healed& h) {
  Json j{{"at_s", in_seconds(h.at)}, {"until_s", in_seconds(h.until)}, {"faults", Json::array()}};
  for (const Fault& fault : std::span(h.faults).last(h.healing)) j["faults"].push_back(line_of(a, {&fault, 1}));
  return j;
}

Json to_json(const ClusterAnswer& a, const ClusterFinding& f, const FindingTold& told) {
  Json j{{"hazard", f.hazard},
         {"run", f.number},
         {"runs", f.runs.size()},
         {"property", f.broken.property},
         {"text", told.broken.text},
         {"fingerprint", fingerprint(f.broken)},
         {"faults_found", f.found.faults.size()},
         {"faults", Json::array()},
         {"verdicts", Json::array()},
         {"without", without_a_fault(f, told)},
         {"what_if", proofs_to_json(told.proofs)},
         {"tries", f.shrunk.tried},
         {"checked", f.checked},
         {"cut_short", f.is_cut_short},
         {"hash", to_string(f.hash)},
         {"replay", replay_line(a, f)}};
  for (const Fault& fault : f.shrunk.smallest.faults) j["faults"].push_back(line_of(a, {&fault, 1}));
  if (a.asked.heals) j["healed"] = healing_to_json(a, f.healed);
  for (const Verdict& v : told.verdicts) j["verdicts"].push_back({{"kind", v.kind}, {"text", v.text}});
  return j;
}

}  // namespace

std::string in_words(const ClusterAnswer& a, const Shown& shown) {
  const ClusterReport& r = a.report;
  std::string out;
  for (const Replayed& k : a.known)
    out += fmt::format("known, {}: {} ({})\n", in_words(k.now), k.known.hazard, k.known.folder);
  for (std::size_t i = 0; i < r.findings.size(); ++i) {
    out += in_words(a, r.findings[i], a.told[i], shown);
    if (i < a.moments.size()) out += in_words(a.moments[i]);
  }
  if (a.asked.keep_going) out += hazards(r);
  if (r.runs > 0) out += wrapped(marks_in_words(kMarks, r.marks.runs), "", shown.width);
  return out + fmt::format("{}, strategy {}, seed {}: {}{}\n",
                           counted(static_cast<std::int64_t>(r.runs), "run", "runs"), a.asked.strategy, a.asked.seed,
                           result_in_words(a), left_in_words(r));
}

Json to_json(const ClusterAnswer& a) {
  const ClusterReport& r = a.report;
  Json j{{"scenario", a.asked.scenario}, {"strategy", a.asked.strategy}, {"seed", a.asked.seed}, {"runs", r.runs}};
  j["left"] = r.left;
  if (r.different > 0) j["different"] = r.different;
  j["features"] = r.features;
  j["marks"] = marks_to_json(kMarks, r.marks.runs);
  j["broken"] = r.broken;
  j["known_before"] = r.known;
  j["not_shrunk"] = r.not_shrunk;
  if (!a.asked.bugs.empty()) j["known"] = Json::array();
  for (const Replayed& k : a.known)
    j["known"].push_back({{"hazard", k.known.hazard}, {"folder", k.known.folder}, {"now", in_words(k.now)}});
  j["found"] = Json::array();
  for (std::size_t i = 0; i < r.findings.size(); ++i) {
    j["found"].push_back(to_json(a, r.findings[i], a.told[i]));
    if (i < a.moments.size()) j["found"].back()["decided"] = to_json(a.moments[i]);
  }
  return j;
}

std::string to_junit(const ClusterAnswer& a) {
  std::vector<JunitCase> cases;
  for (const Replayed& k : a.known)
    cases.push_back({"known: " + k.known.hazard, k.now == Now::gone ? "" : std::string(in_words(k.now)), ""});
  for (std::size_t i = 0; i < a.report.findings.size(); ++i) {
    const ClusterFinding& f = a.report.findings[i];
    cases.push_back({f.hazard, f.broken.text, in_words(a, f, a.told[i], {})});
  }
  if (cases.empty()) cases.push_back({must_text(a.what.must), "", ""});
  return junit_xml("cluster", cases);
}

}  // namespace tarry
