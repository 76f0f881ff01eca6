#include "properties/cluster/clusters.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/check.hpp"
#include "placer/core/hash.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/job/endless.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLeastClusters = 2, kMostClusters = 16;  // clusters between which nothing is shrunk
constexpr std::uint64_t kDrawnForEach = 10;  // clusters drawn, for each that is to run, before a hunt gives up

// A run that broke something.
struct Broke {
  std::uint64_t number = 0;
  std::string faults;  // faults_line
  std::vector<Breach> broken;
};
// What came of a drawn cluster.
struct Looked {
  std::uint64_t number = 0, runs = 0;
  std::string skipped;  // why; "" = it ran
  std::vector<Broke> broke;
  Reach reach;
  MarkCounts marks = {};
};

Json to_json(const Looked& l) {
  Json j{{"n", l.number}, {"r", l.runs}, {"s", l.skipped}, {"reach", l.reach.groups}, {"broke", Json::array()}};
  j["marks"] = l.marks.runs;
  for (const Broke& b : l.broke) {
    Json breaches = Json::array();
    for (const Breach& one : b.broken) breaches.push_back({one.property, one.text});
    j["broke"].push_back({b.number, b.faults, breaches});
  }
  return j;
}
Looked looked_of(const Json& j) {
  Looked l{.number = j["n"], .runs = j["r"], .skipped = j["s"]};
  j["reach"].get_to(l.reach.groups);
  j["marks"].get_to(l.marks.runs);
  for (const Json& b : j["broke"]) {
    Broke& broke = l.broke.emplace_back(Broke{b[0], b[1], {}});
    for (const Json& one : b[2]) broke.broken.push_back({one[0], one[1]});
  }
  return l;
}

bool counts_by_itself(const Breach& b) {
  return b.property.starts_with("law ") || b.property == kEndless || b.property == kDeterminism;
}

const Breach* find_print(const Trial& t, const std::string& print) {
  const auto it = std::ranges::find(t.broken, print, [](const Breach& b) { return fingerprint(b); });
  return it == t.broken.end() ? nullptr : &*it;
}

bool fits(const Schedule& s, const ClusterSpec& cluster) {
  return std::ranges::all_of(s.faults, [&](const Fault& f) {
    return std::visit([&](const auto& what) { return problem_of(what, cluster).empty(); }, f.what);
  });
}

// Runs of a drawn cluster.
struct Stage {
  Scenario scenario;
  Trials trials;

  Stage(Scenario s, Job job, const Must& must) : scenario(std::move(s)), trials(std::move(job), must) {}
  static StatusOr<std::unique_ptr<Stage>> of(const DrawnCluster& cluster, const std::string& title,
                                             const ClustersHunt& hunt) {
    TARRY_ASSIGN(Scenario scenario, scenario_of(cluster, title));
    TARRY_ASSIGN(Job job, make_job(scenario, {hunt.graphs, false, {}}));
    return std::make_unique<Stage>(std::move(scenario), std::move(job), hunt.must);
  }
};

// Why a job is left out: what it breaks by itself. "" = nothing, or a law, which is a finding.
std::string why_skipped(const Trial& t) {
  if (std::ranges::any_of(t.broken, counts_by_itself)) return "";
  if (!t.broken.empty()) return fmt::format("'{}' without any fault", t.broken[0].property);
  for (const std::string& kind : usual_must().never)
    if (says_any(t.verdicts, {kind})) return fmt::format("'{}' without any fault", kind);
  return "";
}

// ---- one cluster ----

class ClusterLook {
 public:
  ClusterLook(const ClustersHunt& hunt, std::uint64_t number, std::uint64_t runs)
      : hunt_(hunt), runs_(runs), looked_{.number = number} {}

  StatusOr<Looked> run() {
    Random random = random_of_case(hunt_.strategy.seed, looked_.number);
    cluster_ = draw_cluster(random);
    TARRY_ASSIGN(stage_, Stage::of(cluster_, title_of(hunt_.strategy.seed, looked_.number), hunt_));
    TARRY_ASSIGN(const Trial healthy, tried(stage_->trials, {}, how()));
    looked_.skipped = why_skipped(healthy);
    if (!looked_.skipped.empty()) return std::move(looked_);
    looked_.reach.note(cluster_);
    note(0, {}, healthy);
    if (healthy.broken.empty()) TARRY_RETURN_IF_ERROR(under_faults());
    return std::move(looked_);
  }

 private:
  [[nodiscard]] TrialOptions how() const { return {.wants_verdicts = true, .planted = hunt_.planted}; }
  [[nodiscard]] TrialOptions how_of(std::uint64_t number, bool wants_features) const {
    TrialOptions options = how();
    options.wants_features = wants_features;
    options.twice = is_run_twice(looked_.number * hunt_.each + number, hunt_.check_share);
    return options;
  }

  Status under_faults() {
    StrategyOptions options = hunt_.strategy;
    options.seed = hash64("cluster", hunt_.strategy.seed + looked_.number);
    const auto strategy = make_strategy(options, stage_->trials.cluster(), stage_->trials.course());
    const std::uint64_t until = std::min(strategy->count().value_or(runs_), runs_ - 1);
    for (std::uint64_t n = 0; n < until; ++n) {
      const Schedule schedule = spoiled(n).value_or(strategy->schedule(n));
      TARRY_ASSIGN(const Trial t, tried(stage_->trials, schedule, how_of(n, strategy->wants_features())));
      strategy->learn(n, schedule, t.features);
      note(n + 1, schedule, t);
    }
    return {};
  }

  // In place of a strategy's schedule, in one run of four of a job that saves checkpoints.
  [[nodiscard]] std::optional<Schedule> spoiled(std::uint64_t number) const {
    Random random = random_of_case(hash64("spoiled", hunt_.strategy.seed + looked_.number), number);
    if (!saves_checkpoints(cluster_) || !random.chance(1, 4)) return std::nullopt;
    return draw_spoiled_checkpoint(cluster_, stage_->trials.course().time, random);
  }

  void note(std::uint64_t number, const Schedule& schedule, const Trial& t) {
    ++looked_.runs;
    looked_.reach.note(schedule);
    looked_.reach.note(t.verdicts);
    looked_.marks.note(t.marks);
    if (!t.broken.empty())
      looked_.broke.push_back({number, faults_line(schedule.faults, stage_->trials.cluster()), t.broken});
  }

  const ClustersHunt& hunt_;
  std::uint64_t runs_;
  DrawnCluster cluster_;
  Looked looked_;
  std::unique_ptr<Stage> stage_;
};

// ---- shrinking ----

class Shrinking {
 public:
  Shrinking(const ClustersHunt& hunt, std::string title, std::string print, std::uint64_t number)
      : hunt_(hunt), title_(std::move(title)), print_(std::move(print)), number_(number) {}

  StatusOr<DrawnFinding> run(const DrawnCluster& cluster, const Schedule& schedule) {
    const auto s = shrink_greedily(
        DrawnCase{cluster, schedule}, [this](const DrawnCase& c) { return !is_time_up() && breaks(c); },
        hunt_.most_shrinks);
    TARRY_RETURN_IF_ERROR(failed_);
    DrawnFinding f{.drawn = cluster, .smallest = s.smallest.cluster};
    TARRY_RETURN_IF_ERROR(open(s.smallest.cluster));
    TARRY_ASSIGN(const Trial t, tried(stage_->trials, s.smallest.schedule, how()));
    const Breach* broken = find_print(t, print_);
    check(broken != nullptr, "the smallest case breaks nothing any more");
    f.scenario = stage_->scenario;
    f.finding = {.found = schedule, .shrunk = {s.smallest.schedule, s.steps, tried_}, .broken = *broken};
    f.finding.verdicts = t.verdicts, f.finding.hash = t.hash;
    f.finding.hazard = hazard_of(*broken, s.smallest.schedule, f.scenario.cluster);
    f.finding.is_cut_short = is_cut_short_;
    f.finding.checked = s.tried < hunt_.most_shrinks && !is_cut_short_ ? s.smallest.schedule.faults.size() : 0;
    return f;
  }

 private:
  [[nodiscard]] TrialOptions how() const {
    return {.wants_verdicts = true, .twice = print_.starts_with(kDeterminism), .planted = hunt_.planted};
  }

  bool is_time_up() { return is_cut_short_ = is_cut_short_ || (hunt_.is_time_up && hunt_.is_time_up()); }

  // A cluster that the language does not take is no smaller one. Neither is a job that breaks by itself what the user
  // asks for.
  bool breaks(const DrawnCase& c) {
    if (hunt_.watch) hunt_.watch(number_, tried_);
    ++tried_;
    if (!failed_.ok() || !open(c.cluster).ok() || !fits(c.schedule, stage_->trials.cluster())) return false;
    const auto t = tried(stage_->trials, c.schedule, how());
    if (!t.ok()) failed_ = t.status();
    const Breach* broken = t.ok() ? find_print(*t, print_) : nullptr;
    return broken != nullptr && (counts_by_itself(*broken) || is_healthy_);
  }

  // Schedules of one cluster follow one another.
  Status open(const DrawnCluster& cluster) {
    std::string text = scenario_text(cluster, title_);
    if (text == opened_) return {};
    TARRY_ASSIGN(stage_, Stage::of(cluster, title_, hunt_));
    TARRY_ASSIGN(const Trial healthy, tried(stage_->trials, {}, how()));
    is_healthy_ = why_skipped(healthy).empty();
    opened_ = std::move(text);
    return {};
  }

  const ClustersHunt& hunt_;
  std::string title_, print_, opened_;
  const std::uint64_t number_;  // of the run of its cluster
  std::uint64_t tried_ = 0;
  bool is_cut_short_ = false;
  std::unique_ptr<Stage> stage_;
  bool is_healthy_ = false;
  Status failed_;
};

// ---- all clusters ----

class ClusterCampaign {
 public:
  ClusterCampaign(const ClustersHunt& hunt, const Progress& progress) : hunt_(hunt), progress_(progress) {}

  StatusOr<ClustersReport> run() {
    std::uint64_t next = 0, size = kLeastClusters;
    const std::uint64_t most = kDrawnForEach * (1 + hunt_.runs / hunt_.each);
    while (report_.runs < hunt_.runs && next < most && !is_over()) {
      if (progress_) progress_(report_.runs);
      const std::uint64_t count = std::min(size, (hunt_.runs - report_.runs + hunt_.each - 1) / hunt_.each);
      TARRY_ASSIGN(const std::vector<Looked> all, look_at(next, count));
      for (const Looked& l : all)
        if (!has_found()) TARRY_RETURN_IF_ERROR(note(l));
      next += count;
      size = std::min(2 * size, kMostClusters);
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool has_found() const { return !hunt_.keep_going && !report_.findings.empty(); }
  [[nodiscard]] bool is_time_up() const { return hunt_.is_time_up && hunt_.is_time_up(); }
  [[nodiscard]] bool is_over() const { return has_found() || is_time_up(); }

  Status note(const Looked& l) {
    if (!l.skipped.empty()) return ++report_.skipped[l.skipped], Status();
    ++report_.clusters;
    report_.runs += l.runs;
    report_.reach.add(l.reach);
    report_.marks.add(l.marks);
    report_.broken += l.broke.size();
    for (const Broke& b : l.broke)
      for (const Breach& one : b.broken)
        if (!has_found()) TARRY_RETURN_IF_ERROR(note(l.number, b, one));
    return {};
  }

  Status note(std::uint64_t cluster, const Broke& b, const Breach& one) {
    const std::string print = fingerprint(one);
    const auto known =
        std::ranges::find(report_.findings, print, [](const DrawnFinding& f) { return fingerprint(f.finding.broken); });
    if (known != report_.findings.end()) return ++known->runs, Status();
    if (is_time_up() && !report_.findings.empty()) return {};
    Random random = random_of_case(hunt_.strategy.seed, cluster);
    const DrawnCluster drawn = draw_cluster(random);
    const std::string title = title_of(hunt_.strategy.seed, cluster);
    TARRY_ASSIGN(const Scenario scenario, scenario_of(drawn, title));
    TARRY_ASSIGN(const auto faults, parse_faults(b.faults, scenario));
    TARRY_ASSIGN(DrawnFinding f, Shrinking(hunt_, title, print, b.number).run(drawn, {faults}));
    f.cluster = cluster, f.runs = 1, f.finding.number = b.number;
    report_.findings.push_back(std::move(f));
    return {};
  }

  // ---- the clusters of a batch ----

  StatusOr<std::vector<Looked>> look_at(std::uint64_t from, std::uint64_t count) {
    const int processes = std::max(1, std::min(hunt_.processes, static_cast<int>(count)));
    SharedCounter next;
    if (processes == 1) return part(from, count, next);
    TARRY_ASSIGN(const auto said, run_in_children(processes, [&](int) { return said_by(from, count, next); }));
    std::vector<Looked> all;
    for (const std::string& bytes : said)
      for (const Json& j : Json::from_cbor(bytes)) all.push_back(looked_of(j));
    std::ranges::sort(all, {}, &Looked::number);
    return all;
  }

  std::string said_by(std::uint64_t from, std::uint64_t count, SharedCounter& next) {
    const auto looked = part(from, count, next);
    if (!looked.ok()) throw Refused(std::string(text_of(looked.status())));
    Json all = Json::array();
    for (const Looked& l : *looked) all.push_back(to_json(l));
    const std::vector<std::uint8_t> bytes = Json::to_cbor(all);
    return {bytes.begin(), bytes.end()};
  }

  // Those that no other process has taken. The runs that are left are at least one of each.
  StatusOr<std::vector<Looked>> part(std::uint64_t from, std::uint64_t count, SharedCounter& next) {
    std::vector<Looked> all;
    for (std::uint64_t at = next.take(); at < count; at = next.take()) {
      const std::uint64_t left = hunt_.runs - report_.runs - at * hunt_.each;
      TARRY_ASSIGN(Looked l, ClusterLook(hunt_, from + at, std::min(hunt_.each, left)).run());
      all.push_back(std::move(l));
    }
    return all;
  }

  const ClustersHunt& hunt_;
  const Progress& progress_;
  ClustersReport report_;
};

}  // namespace

StatusOr<Scenario> scenario_of(const DrawnCluster& cluster, const std::string& title) {
  return parse_scenario(scenario_text(cluster, title), "");
}

std::string title_of(std::uint64_t seed, std::uint64_t number) {
  return fmt::format("drawn cluster {} of seed {}", number, seed);
}

StatusOr<Trial> tried(Trials& trials, const Schedule& schedule, const TrialOptions& how) {
  auto t = schedule.faults.empty() ? trials.without_faults(how) : trials.run(schedule, how);
  if (t.ok() || !is_endless(t.status())) return t;
  return Trial{.broken = {{std::string(kEndless), "An instant of the run has no end."}}};
}

StatusOr<ClustersReport> hunt(const ClustersHunt& hunt, const Progress& progress) {
  return ClusterCampaign(hunt, progress).run();
}

}  // namespace tarry
