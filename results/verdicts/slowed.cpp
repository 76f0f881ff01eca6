#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

// The standstills told of it.
bool is_told(const Evidence& e, const Proof& p) {
  return std::ranges::any_of(e.standstills, [&](const Standstill& s) {
    return std::ranges::any_of(s.waits.troubles, [&](const Trouble& t) { return is_about(p, t); });
  });
}

// Another verdict has its proof already.
bool is_told(std::span<const Verdict> said, const Proof& p) {
  return std::ranges::any_of(said, [&](const Verdict& v) { return v.text.find(in_words(p)) != v.text.npos; });
}

WaitsFor troubles_of(const Evidence& e, const Proof& p) {
  WaitsFor about;
  for (const Trouble& t : e.troubles)
    if (is_about(p, t)) about.troubles.push_back(t);
  // A client that a fault slowed leaves in the end, as all do.
  const auto has_left = [](const Trouble& t) { return t.kind == Trouble::Kind::left; };
  if (!std::ranges::all_of(about.troubles, has_left)) std::erase_if(about.troubles, has_left);
  return about;
}

// " To do: look at the path between h0 and s1; ...": what is to be done about the faults, of many the first three.
std::string cures_of_all(const Evidence& e) {
  constexpr std::size_t kMost = 3;
  std::vector<Trouble> of_faults;
  for (const Trouble& t : e.troubles)
    if (!t.fault.empty() || t.kind == Trouble::Kind::gone) of_faults.push_back(t);
  std::vector<std::string> cures = cures_of_each(e, of_faults);
  cures.resize(std::min(cures.size(), kMost));
  return cures.empty() ? "" : fmt::format(" To do: {}.", join(cures, "; "));
}

bool is_of_lost_checkpoints(const Proof& p) { return p.what.find("lose_checkpoints") != p.what.npos; }

// About a fault that is no condition that lasts.
std::string cure_of_event(const Evidence& e, const Proof& p) {
  if (is_of_lost_checkpoints(p)) return " To do: keep checkpoints where they are not lost.";
  if (p.b.empty()) return "";
  return fmt::format(" To do: look at the connections between {} and {}.", e.tasks.in_plain(p.a),
                     e.tasks.in_plain(p.b));
}

// What the log says of it; the fault's own words where it is no condition that lasts.
std::string in_words(const Evidence& e, const Proof& p) {
  const WaitsFor about = troubles_of(e, p);
  if (p.together) return fmt::format("It cost time that {}.{}{}", p.what, in_words(p), cures_of_all(e));
  if (about.troubles.empty()) return fmt::format("It cost time that {}.{}{}", p.what, in_words(p), cure_of_event(e, p));
  return fmt::format("It cost time that {}.{} To do: {}.", causes_in_words(e, about), in_words(p),
                     cure_of(e, about.troubles));
}

}  // namespace

Told judge_slowed(const Evidence& e, std::span<const Verdict> said) {
  Told out;
  if (says_any(said, {"stuck", "not_started"})) return out;  // it made training stand still, or there was none
  const bool has_begun = !progress_of(e).empty();  // else a fault may keep the first aggregate, or step, until later
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::faults)) {
    if (p.together && says_any(said, {"went_on", "failed"})) continue;
    if (p.goes_on && (has_begun || says_any(said, {"failed"}))) continue;
    if (!p.does_more && !is_told(e, p) && !is_told(said, p)) out.push_back(in_words(e, p));
  }
  return out;
}

}  // namespace tarry
