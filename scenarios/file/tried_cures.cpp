#include "scenarios/file/tried_cures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "placer/core/text.hpp"
#include "results/evidence.hpp"
#include "results/text_table.hpp"
#include "scenarios/job/settled.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
using Ran = Beside::Ran;

// What is said of a run without others beside it.
std::set<std::string> kinds_of(const Outcome& o) {
  std::set<std::string> kinds;
  for (const Verdict& v : judge(o.log, read_contributions(o.log), o.tasks)) kinds.insert(v.kind);
  return kinds;
}

// Those of a job that is not as it should be; what costs time is told by further runs.
constexpr const char* kTroubles[] = {"failed", "not_started", "ended_early", "progress_lost", "stuck",  "no_aggregate",
                                     "absent", "starved",     "uneven",      "over_full",     "stalled"};

std::vector<std::string> new_troubles(const std::set<std::string>& before, const std::set<std::string>& now) {
  std::vector<std::string> out;
  for (const char* kind : kTroubles)
    if (now.contains(kind) && !before.contains(kind)) out.emplace_back(kind);
  return out;
}

bool makes_steps(const Outcome& o) {
  const Contributions c = read_contributions(o.log);
  return read_evidence(o.log, c, o.tasks).training != Training::synchronous;
}

std::int64_t lost_steps(const Outcome& o) {
  std::int64_t lost = 0;
  for (const Setback& s : read_losses(o.log).setbacks) lost += s.from - s.to;
  return lost;
}

class Trials {
 public:
  Trials(const Patient& patient, const ProofWatch& watch)
      : beside_(patient.job, patient.outcome, watch),
        settled_(patient.job, patient.outcome, beside_),
        said_(kinds_of(patient.outcome)) {
    out_.done = beside_.base().done;
    out_.are_steps = makes_steps(patient.outcome);
    out_.hangs = beside_.base().stands_still;
    out_.stands_still = said_.contains("stuck") || !said_.contains("failed");
    out_.lost = lost_steps(patient.outcome);
  }

  StatusOr<TriedCures> run(const std::vector<Cure>& cures) {
    std::vector<Beside::Trial> trials;
    std::vector<std::vector<std::size_t>> users;  // of each trial: the cures
    for (std::size_t i = 0; i < cures.size(); ++i) {
      out_.all.push_back(untried(cures[i]));
      if (cures[i].cured) users[place_of(i, cures, trials, users)].push_back(i);
    }
    TARRY_RETURN_IF_ERROR(beside_.run_each(trials, [&](std::size_t t, const Ran& ran) -> Status {
      for (const std::size_t i : users[t]) TARRY_RETURN_IF_ERROR(say(cures[i], ran, out_.all[i]));
      return {};
    }));
    return std::move(out_);
  }

 private:
  static TriedCure untried(const Cure& c) {
    TriedCure tried{.verdict = c.verdict, .advice = c.advice, .why_not = c.why_not};
    if (!c.cured) return tried;
    tried.keys = c.cured->keys;
    tried.unlike = c.cured->unlike;
    tried.gain.instead = "with the cure: " + c.advice;
    tried.is_of_time = c.saves_time.has_value();
    if (c.saves_time) tried.gain.cause = *c.saves_time;
    if (c.waits_left_out) tried.gain.cause = *c.waits_left_out;
    return tried;
  }

  // The trial of cure i, which is that of an earlier one with the same advice, keys and job.
  std::size_t place_of(std::size_t i, const std::vector<Cure>& cures, std::vector<Beside::Trial>& trials,
                       std::vector<std::vector<std::size_t>>& users) const {
    const auto is_it = [&](const std::vector<std::size_t>& of_trial) {
      return is_same_trial(cures[of_trial.front()], cures[i]);
    };
    const auto it = std::ranges::find_if(users, is_it);
    if (it != users.end()) return static_cast<std::size_t>(it - users.begin());
    const auto how_long = cures[i].cured->to_its_end ? Beside::For::its_own_time : Beside::For::ten_times_it;
    trials.push_back({out_.all[i].gain, cures[i].cured->job, how_long});
    users.emplace_back();
    return users.size() - 1;
  }
  static bool is_same_trial(const Cure& a, const Cure& b) {
    const Job &one = a.cured->job, &other = b.cured->job;
    return a.advice == b.advice && a.cured->keys == b.cured->keys && one.faults == other.faults &&
           one.cluster == other.cluster && one.costs == other.costs;
  }

  Status say(const Cure& c, const Ran& ran, TriedCure& tried) {
    set_gain(tried.gain, beside_.base(), ran.work);
    if (c.waits_left_out) TARRY_RETURN_IF_ERROR(settled_.lessen(tried.gain, c.cured->job, ran.outcome));
    tried.without_waits = tried.gain.instead.ends_with(kWaitsLeftOut);
    tried.done = ran.work.done;
    tried.hangs = ran.work.stands_still;
    if (!ran.outcome) return {};
    tried.lost = lost_steps(*ran.outcome);
    const std::set<std::string> says = kinds_of(*ran.outcome);
    if (said_.contains(c.verdict)) tried.gone = !says.contains(c.verdict);
    if (!out_.hangs) tried.brings = new_troubles(said_, says);
    return {};
  }

  Beside beside_;
  Settled settled_;
  const std::set<std::string> said_;
  TriedCures out_;
};

// ---- in words ----

// "3 aggregates left": what was done and lost again is not left.
std::string done_in_words(const TriedCures& all, const TriedCure& c) {
  const std::string done =
      all.are_steps ? counted(c.done, "step", "steps") : counted(c.done, "aggregate", "aggregates");
  return done + (all.lost > 0 ? " left" : "");
}

std::string time_in_words(const TriedCures& all, const TriedCure& c) {
  const double gain = c.gain.gain;
  if (all.done == 0 && c.done > 0) return fmt::format("{} in place of none{}", done_in_words(all, c), c.unlike);
  if (gain >= kNoticed)
    return fmt::format("{:.1f} % less time{}{}", 100 * gain, c.unlike, c.without_waits ? kWaitsLeftOut : "");
  if (gain <= -kNoticed) return fmt::format("{:.1f} % more time{}", -100 * gain, c.unlike);
  return "";
}

std::string lost_in_words(const TriedCures& all, const TriedCure& c) {
  return fmt::format("{} lost in place of {}", counted(c.lost, "global step", "global steps"), all.lost);
}

const char* status_of(const TriedCures& all, const TriedCure& c) {
  return !c.why_not.empty() ? "not tried" : all.helps(c) ? "helps" : "no help";
}

std::string lines_of(const TriedCures& all, const TriedCure& c, const Shown& shown) {
  constexpr std::string_view kIndent = "               ";
  std::string text = wrapped(fmt::format("{}: {}", c.advice, result_in_words(all, c)), kIndent, shown.width);
  text.replace(0, kIndent.size(), fmt::format("    {:<{}}", status_of(all, c), kIndent.size() - 4));
  return c.keys.empty() ? text : text + wrapped("keys: " + c.keys, kIndent, shown.width);
}

}  // namespace

namespace {

constexpr double kMuchMore = 0.5;  // time: whatever else a cure brings about

// Verdicts with which a run does not end well.
bool brings_failure(const TriedCure& c) {
  return std::ranges::any_of(verdict_table(), [&](const VerdictKind& v) {
    return v.exit_code != kOk && std::ranges::count(c.brings, v.kind) > 0;
  });
}

bool takes_less_until_it_hangs(const TriedCures& all, const TriedCure& c) {
  return all.hangs && c.hangs && c.is_of_time && is_noticed(c.gain);
}

bool loses_less_until_it_hangs(const TriedCures& all, const TriedCure& c) {
  return all.hangs && c.hangs && c.verdict == "progress_lost" && c.lost < all.lost && c.done >= all.done;
}

// A tenth more, before something ends the job all the same.
bool does_more(const TriedCures& all, const TriedCure& c) { return all.hangs && 10 * c.done > 11 * all.done; }

// What it is for is gone, and more was done, or takes less time or loses less, though something else ends the job as
// before.
bool helps_a_job_that_fails(const TriedCures& all, const TriedCure& c) {
  if (takes_less_until_it_hangs(all, c) || loses_less_until_it_hangs(all, c)) return true;
  return all.hangs && c.gone.value_or(false) && c.done > all.done;
}

}  // namespace

bool TriedCures::helps(const TriedCure& c) const {
  if (!c.why_not.empty() || brings_failure(c)) return false;
  if (c.gain.gain <= -kMuchMore && !(hangs && c.gain.goes_on)) return false;
  if (c.hangs) return helps_a_job_that_fails(*this, c);
  return is_noticed(c.gain) || c.gone.value_or(false) || c.lost < lost;
}

StatusOr<TriedCures> try_cures(const Patient& patient, std::span<const Verdict> verdicts, const ProofWatch& watch) {
  TARRY_ASSIGN(const std::vector<Cure> cures, cures_of(patient, verdicts));
  return Trials(patient, watch).run(cures);
}

std::string result_in_words(const TriedCures& all, const TriedCure& c) {
  if (!c.why_not.empty()) return c.why_not;
  if (takes_less_until_it_hangs(all, c))
    return fmt::format("{}, and the job hangs or fails later as without it", time_in_words(all, c));
  if (loses_less_until_it_hangs(all, c) && !c.gone.value_or(false))
    return fmt::format("{}, and the job hangs or fails as without it", lost_in_words(all, c));
  if (c.hangs && all.helps(c))
    return fmt::format("{} is gone ({} in place of {}), and the job hangs or fails later", c.verdict,
                       done_in_words(all, c), all.done);
  if (c.hangs && does_more(all, c))
    return fmt::format("the job hangs or fails all the same ({} in place of {})", done_in_words(all, c), all.done);
  if (c.hangs) return all.hangs ? "the job hangs or fails as without it" : "the job hangs or fails";
  std::vector<std::string> parts;
  const bool goes_on = c.gain.goes_on && all.hangs;  // else it has only done nothing yet: what is done tells more
  if (goes_on)
    parts.emplace_back(all.stands_still ? "the job goes on instead of hanging" : "the job goes on instead of failing");
  if (const std::string time = goes_on ? "" : time_in_words(all, c); !time.empty()) parts.push_back(time);
  if (c.lost != all.lost) parts.push_back(lost_in_words(all, c));
  if (c.gone && !goes_on) parts.push_back(fmt::format("{} {}", c.verdict, *c.gone ? "is gone" : "stays"));
  for (const std::string& kind : c.brings) parts.push_back(kind + " is new");
  return parts.empty() ? "no less time" : join(parts, ", ");
}

std::string to_text(const TriedCures& all, const Shown& shown) {
  if (all.all.empty()) return "\nThere is nothing to cure: no verdict says what to do.\n";
  std::string out = "\nCures that the verdicts name, each tried by running the job again (same seed):\n", verdict;
  for (const TriedCure& c : all.all) {
    if (c.verdict != verdict) out += fmt::format("  {}\n", c.verdict);
    verdict = c.verdict;
    out += lines_of(all, c, shown);
  }
  return out;
}

nlohmann::ordered_json to_json(const TriedCures& all) {
  Json list = Json::array();
  for (const TriedCure& c : all.all) {
    const bool tried = c.why_not.empty();
    Json j{{"verdict", c.verdict}, {"advice", c.advice}, {"keys", c.keys}, {"tried", tried}, {"why_not", c.why_not}};
    if (tried)
      j.update({{"helps", all.helps(c)},
                {"gain", c.gain.gain},
                {"goes_on", c.gain.goes_on},
                {"hangs", c.hangs},
                {"done", c.done},
                {"lost_steps", c.lost},
                {"verdict_gone", c.gone ? Json(*c.gone) : Json()},
                {"brings", c.brings}});
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace tarry
