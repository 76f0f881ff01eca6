#include "properties/cluster/decisive.hpp"

#include <algorithm>

#include "results/event_text.hpp"

namespace tarry {
namespace {

constexpr std::size_t kMostEvents = 12;

class FateReader {
 public:
  FateReader(Trials& trials, const ClusterFinding& finding, const Continuations& how)
      : trials_(trials), finding_(finding), how_(how), print_(fingerprint(finding.broken)) {}

  StatusOr<DecisiveMoment> run() {
    TARRY_ASSIGN(const Outcome outcome, trials_.outcome(finding_.shrunk.smallest));
    for (const Nanos at : outcome.faults_at)
      happened_.push_back(at < 0 ? at : std::max<Nanos>(0, at - outcome.log.started_at));
    const int coarse = std::max(2, how_.moments / 2);
    const Nanos last = std::max<Nanos>(0, std::ranges::max(happened_));
    for (int i = 0; i < coarse; ++i) TARRY_RETURN_IF_ERROR(look(last * i / (coarse - 1)));
    for (int i = coarse; i < how_.moments; ++i) {
      const std::size_t rise = steepest();
      TARRY_RETURN_IF_ERROR(look(out_.curve[rise].at + (out_.curve[rise + 1].at - out_.curve[rise].at) / 2));
    }
    const std::size_t rise = steepest();
    out_.from = out_.curve[rise].at;
    out_.to = out_.curve[rise + 1].at;
    out_.events = events_in_words(outcome.log, outcome.tasks, out_.from, out_.to, kMostEvents);
    return std::move(out_);
  }

 private:
  // The moment after which the share rises most.
  [[nodiscard]] std::size_t steepest() const {
    std::size_t best = 0;
    const auto rise = [&](std::size_t i) { return out_.curve[i + 1].broken - out_.curve[i].broken; };
    for (std::size_t i = 0; i + 1 < out_.curve.size(); ++i)
      if (rise(i) > rise(best)) best = i;
    return best;
  }

  Status look(Nanos at) {
    Fate fate{.at = at};
    for (; fate.runs < how_.runs; ++fate.runs) {
      TARRY_ASSIGN(const Trial t, trials_.run(continuation(at, fate.runs)));
      fate.broken += std::ranges::find(t.broken, print_, fingerprint) != t.broken.end() ? 1 : 0;
    }
    const auto place = std::ranges::upper_bound(out_.curve, at, {}, &Fate::at);
    out_.curve.insert(place, fate);
    return {};
  }

  [[nodiscard]] Schedule continuation(Nanos at, int number) const {
    Random random = random_of_case(how_.seed ^ static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(number));
    Schedule s = draw_schedule(trials_.cluster(), trials_.course(), how_.most_faults, random);
    const auto left = static_cast<std::uint64_t>(std::max<Nanos>(1, trials_.course().time - at));
    for (Fault& f : s.faults) f.when = at + 1 + static_cast<Nanos>(random.below(left));
    for (std::size_t i = 0; i < happened_.size(); ++i)
      if (happened_[i] >= 0 && happened_[i] <= at) s.faults.push_back(finding_.shrunk.smallest.faults[i]);
    return s;
  }

  Trials& trials_;
  const ClusterFinding& finding_;
  const Continuations how_;
  const std::string print_;
  std::vector<Nanos> happened_;  // since the start
  DecisiveMoment out_;
};

}  // namespace

StatusOr<DecisiveMoment> decisive_moment(Trials& trials, const ClusterFinding& finding, const Continuations& how) {
  if (finding.shrunk.smallest.faults.empty()) return DecisiveMoment();
  return FateReader(trials, finding, how).run();
}

}  // namespace tarry
