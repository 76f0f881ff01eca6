#include "properties/cluster/hunt.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "scenarios/file/faults.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr std::size_t kMostKinds = 300;                      // of runs that look alike; one of each is shrunk
constexpr std::uint64_t kLeastBatch = 16, kMostBatch = 256;  // runs between which nothing is learned

struct Tried {
  std::uint64_t number = 0;
  std::vector<Breach> broken;
  std::vector<Verdict> verdicts;
  Features features;
  Marks marks;
};

nlohmann::json to_json(const Tried& t) {
  nlohmann::json j{{"n", t.number}, {"b", nlohmann::json::array()}, {"v", nlohmann::json::array()}, {"f", t.features}};
  j["m"] = t.marks.to_string();
  for (const Breach& b : t.broken) j["b"].push_back({b.property, b.text});
  for (const Verdict& v : t.verdicts) j["v"].push_back({v.kind, v.text});
  return j;
}
Tried tried_of(const nlohmann::json& j) {
  Tried t{j["n"], {}, {}, j["f"], Marks(j["m"].get<std::string>())};
  for (const nlohmann::json& b : j["b"]) t.broken.push_back({b[0], b[1]});
  for (const nlohmann::json& v : j["v"]) t.verdicts.push_back({v[0], v[1]});
  return t;
}

class Campaign {
 public:
  Campaign(const ClusterHunt& hunt, const Progress& progress)
      : hunt_(hunt), progress_(progress), trials_(hunt.job, hunt.must) {
    if (hunt.heals) trials_.heal();
  }

  StatusOr<ClusterReport> run() {
    TARRY_RETURN_IF_ERROR(trials_.look_without_faults());
    strategy_ = make_strategy(hunt_.strategy, hunt_.job.cluster, trials_.course());
    const std::uint64_t until = std::min(strategy_->count().value_or(hunt_.runs), hunt_.runs);
    std::uint64_t size = kLeastBatch;
    for (std::uint64_t from = 0; from < until && !is_over(); from += size, size = std::min(2 * size, kMostBatch)) {
      if (progress_) progress_(from);
      TARRY_RETURN_IF_ERROR(batch(from, std::min(from + size, until)));
    }
    if (strategy_->count()) report_.left = *strategy_->count() - report_.runs;
    report_.different = strategy_->different().value_or(0);
    report_.features = seen_.size();
    return std::move(report_);
  }

 private:
  struct Alike {
    std::optional<Tried>* shown = nullptr;
    bool is_first = false;
  };

  [[nodiscard]] Schedule affordable(const Schedule& s) const {
    return hunt_.budget == Budget::unlimited ? s : recoverable(s, trials_.course(), hunt_.job);
  }
  [[nodiscard]] bool has_found() const { return !hunt_.keep_going && !report_.findings.empty(); }
  [[nodiscard]] bool is_time_up() const { return hunt_.is_time_up && hunt_.is_time_up(); }
  [[nodiscard]] bool is_over() const { return has_found() || is_time_up(); }

  Status batch(std::uint64_t from, std::uint64_t to) {
    schedules_.clear();
    for (std::uint64_t n = from; n < to; ++n) schedules_.push_back(affordable(strategy_->schedule(n)));
    note_who_is_alike(from);
    TARRY_ASSIGN(std::vector<Tried> all, try_all(from));
    add_who_is_alike(all);
    TARRY_RETURN_IF_ERROR(shrink_ahead(all, from));
    for (const Tried& t : all) {
      if (has_found()) break;
      TARRY_RETURN_IF_ERROR(note(t, schedules_[t.number - from]));
    }
    return {};
  }

  Status note(const Tried& t, const Schedule& schedule) {
    ++report_.runs;
    report_.marks.note(t.marks);
    seen_.insert(t.features.begin(), t.features.end());
    strategy_->learn(t.number, schedule, t.features);
    report_.broken += t.broken.empty() ? 0 : 1;
    for (const Breach& b : t.broken)
      if (!has_found()) TARRY_RETURN_IF_ERROR(note(t, b, schedule));
    return {};
  }

  // Runs that look alike are of one hazard; one of them is shrunk.
  Status note(const Tried& t, const Breach& b, const Schedule& schedule) {
    const auto [kind, is_new] = hazard_of_.try_emplace(looks_of(t, b, schedule));
    const bool may_shrink = hazard_of_.size() <= kMostKinds && !is_time_up();
    if (is_new && (may_shrink || report_.findings.empty())) {  // what was found is told, small or not
      TARRY_ASSIGN(ClusterFinding f, shrunk_of(t, b, schedule, kind->first));
      kind->second = f.hazard;
      if (finding(f.hazard) == nullptr && !hunt_.known.contains(f.hazard)) report_.findings.push_back(std::move(f));
    }
    ClusterFinding* found = finding(kind->second);
    if (found != nullptr)
      found->runs.push_back(t.number);
    else
      ++(hunt_.known.contains(kind->second) ? report_.known : report_.not_shrunk);
    return {};
  }

  [[nodiscard]] ShrinkLimits limits() const { return {hunt_.most_shrinks, hunt_.is_time_up, hunt_.watch}; }
  StatusOr<ClusterFinding> shrunk_of(const Tried& t, const Breach& b, const Schedule& schedule,
                                     const std::string& looks) {
    if (auto ahead = shrunk_.extract(looks)) return std::move(ahead.mapped());
    return shrunk(trials_, t.number, schedule, fingerprint(b), limits());
  }

  // Of a batch, each new kind at the same time as others, where several processes may run and all kinds are wanted.
  Status shrink_ahead(const std::vector<Tried>& all, std::uint64_t from) {
    if (hunt_.processes == 1 || !hunt_.keep_going || is_time_up()) return {};
    std::vector<ToShrink> to_shrink;
    std::vector<std::string> looks;
    for (const Tried& t : all)
      for (const Breach& b : t.broken) {
        const Schedule& schedule = schedules_[t.number - from];
        std::string l = looks_of(t, b, schedule);
        if (hazard_of_.contains(l) || std::ranges::count(looks, l) > 0) continue;
        if (hazard_of_.size() + looks.size() == kMostKinds) break;
        to_shrink.push_back({t.number, schedule, fingerprint(b)});
        looks.push_back(std::move(l));
      }
    if (to_shrink.size() < 2) return {};
    TARRY_ASSIGN(std::vector<ClusterFinding> shrunk, shrunk_apart(trials_, to_shrink, limits(), hunt_.processes));
    for (std::size_t i = 0; i < shrunk.size(); ++i) shrunk_.emplace(std::move(looks[i]), std::move(shrunk[i]));
    return {};
  }

  // What is broken, and what the verdicts say of it, without numbers; and by what, where that is a single fault.
  [[nodiscard]] std::string looks_of(const Tried& t, const Breach& b, const Schedule& s) const {
    std::string looks = s.faults.size() == 1 ? hazard_of(b, s, hunt_.job.cluster) : "";
    looks += fingerprint(b);
    for (const Verdict& v : t.verdicts)
      if (says_any({&v, 1}, {"stuck", "stalled", "failed", "went_on", "progress_lost"}))
        looks += "\n" + without_numbers(v.text);
    return looks;
  }

  ClusterFinding* finding(const std::string& hazard) {
    const auto it = std::ranges::find(report_.findings, hazard, &ClusterFinding::hazard);
    return it == report_.findings.end() ? nullptr : &*it;
  }

  // ---- runs of a sweep that have the same events as another one ----

  // What one of them showed is what all do.
  void note_who_is_alike(std::uint64_t from) {
    alike_.clear();
    if (hunt_.heals || hunt_.makes_known_runs || !strategy_->different()) return;
    for (std::uint64_t n = from; n < from + schedules_.size(); ++n) {
      const auto first = first_alike(schedules_[n - from], trials_.course());
      if (!first) continue;
      const auto [it, is_new] = shown_.try_emplace(faults_line(first->faults, hunt_.job.cluster));
      alike_[n] = {&it->second, is_new};
    }
  }
  void add_who_is_alike(std::vector<Tried>& all) {
    for (const Tried& t : all)
      if (const auto it = alike_.find(t.number); it != alike_.end()) *it->second.shown = t;
    for (const auto& [number, alike] : alike_)
      if (!alike.is_first && *alike.shown) {
        all.push_back(**alike.shown);
        all.back().number = number;
      }
    std::ranges::sort(all, {}, &Tried::number);
  }
  [[nodiscard]] bool is_like_another(std::uint64_t number) const {
    const auto it = alike_.find(number);
    return it != alike_.end() && !it->second.is_first;
  }

  // ---- the runs of a batch ----

  StatusOr<std::vector<Tried>> try_all(std::uint64_t from) {
    const int processes = std::max(1, std::min(hunt_.processes, static_cast<int>(schedules_.size())));
    SharedCounter next;
    if (processes == 1) return tried_by(0, next, from);
    TARRY_ASSIGN(const auto said, run_in_children(processes, [&](int i) { return part_of_batch(i, next, from); }));
    std::vector<Tried> all;
    for (const std::string& bytes : said)
      for (const nlohmann::json& j : nlohmann::json::from_cbor(bytes)) all.push_back(tried_of(j));
    return all;
  }

  std::string part_of_batch(int i, SharedCounter& next, std::uint64_t from) {
    const auto part = tried_by(i, next, from);
    if (!part.ok()) throw Refused(std::string(text_of(part.status())));
    nlohmann::json all = nlohmann::json::array();
    for (const Tried& t : *part) all.push_back(to_json(t));
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(all);
    return {bytes.begin(), bytes.end()};
  }

  // By the i-th process: those that no other one has taken.
  StatusOr<std::vector<Tried>> tried_by(int i, SharedCounter& next, std::uint64_t from) {
    std::vector<Tried> part;
    for (std::uint64_t at = next.take(); at < schedules_.size(); at = next.take()) {
      if (is_like_another(from + at)) continue;
      if (at > 0 && is_time_up()) break;
      if (progress_ && i == 0) progress_(from + at);
      const TrialOptions how{.wants_features = strategy_->wants_features(),
                             .twice = is_run_twice(from + at, hunt_.check_share),
                             .is_time_up = hunt_.is_time_up,
                             .must_run = hunt_.makes_known_runs};
      auto run = trials_.run(schedules_[at], how);
      if (!run.ok() && is_given_up(run.status())) break;
      TARRY_ASSIGN(Trial t, std::move(run));
      if (t.broken.empty()) t.verdicts.clear();
      part.push_back({from + at, std::move(t.broken), std::move(t.verdicts), std::move(t.features), t.marks});
    }
    return part;
  }

  const ClusterHunt& hunt_;
  const Progress& progress_;
  Trials trials_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<Schedule> schedules_;                    // of the present batch
  std::map<std::uint64_t, Alike> alike_;               // likewise
  std::map<std::string, std::optional<Tried>> shown_;  // by the first of those that are alike; nullopt = not yet
  Features seen_;
  std::map<std::string, std::string> hazard_of_;  // by what runs look like
  std::map<std::string, ClusterFinding> shrunk_;  // likewise: those of the present batch that are shrunk already
  ClusterReport report_;
};

}  // namespace

StatusOr<ClusterReport> hunt(const ClusterHunt& hunt, const Progress& progress) {
  return Campaign(hunt, progress).run();
}

}  // namespace tarry
