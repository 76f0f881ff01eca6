#include "properties/cluster/strategy.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "properties/hunting/hunting.hpp"
#include "scenarios/job/fault_shrink.hpp"

namespace tarry {
namespace {

struct Ground {  // what schedules are drawn for
  const ClusterSpec& cluster;
  const Course& course;
  std::uint64_t seed;
  int most_faults;
};

class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(const Ground& ground, Swarm swarm) : ground_(ground), swarm_(swarm) {}
  Schedule schedule(std::uint64_t number) override {
    Random random = random_of_case(ground_.seed, number);
    return draw_schedule(ground_.cluster, ground_.course, ground_.most_faults, random, swarm_);
  }

 private:
  Ground ground_;
  Swarm swarm_;
};

// All single faults; then, where a schedule may have two, all pairs: each fault with the next one, then with the one
// after that.
class SweepStrategy final : public Strategy {
 public:
  explicit SweepStrategy(const Ground& ground)
      : all_(ground.cluster, ground.course, ground.seed), most_faults_(ground.most_faults) {}
  [[nodiscard]] std::optional<std::uint64_t> different() const override { return all_.different(); }
  [[nodiscard]] std::optional<std::uint64_t> count() const override {
    const std::uint64_t n = all_.size();
    return most_faults_ == 1 ? n : n + n * n;
  }
  Schedule schedule(std::uint64_t number) override {
    const std::uint64_t n = all_.size();
    if (number < n) return {{all_[number]}};
    const std::uint64_t first = number % n, apart = number / n;
    return {{all_[first], all_[(first + apart) % n]}};
  }

 private:
  EveryFault all_;
  int most_faults_;
};

// Changes schedules that showed something new.
class GuidedStrategy final : public Strategy {
 public:
  explicit GuidedStrategy(const Ground& ground) : ground_(ground) {}
  Schedule schedule(std::uint64_t number) override {
    Random random = random_of_case(~ground_.seed, number);
    if (corpus_.empty() || random.chance(1, 4)) return fresh(random, ground_.most_faults);
    Schedule s = corpus_[random.below(corpus_.size())];
    for (std::uint64_t changes = 1 + random.below(2); changes > 0; --changes) change(s, random);
    return s;
  }
  [[nodiscard]] bool wants_features() const override { return true; }
  void learn(std::uint64_t, const Schedule& schedule, const Features& features) override {
    bool is_new = false;
    for (const std::uint64_t f : features) is_new |= seen_.insert(f).second;
    if (is_new) corpus_.push_back(schedule);
  }

 private:
  Schedule fresh(Random& random, int most) const {
    return draw_schedule(ground_.cluster, ground_.course, most, random);
  }

  // One fault more, one fault less, one other fault, the moment of another one, or a simpler or longer one.
  void change(Schedule& s, Random& random) const {
    const Fault other = fresh(random, 1).faults[0];
    const std::size_t i = random.below(s.faults.size());
    const auto at = s.faults.begin() + static_cast<std::ptrdiff_t>(i);
    switch (random.below(5)) {
      case 0:
        if (std::ssize(s.faults) < ground_.most_faults) s.faults.push_back(other);
        return;
      case 1:
        if (s.faults.size() > 1) s.faults.erase(at);
        return;
      case 2:
        s.faults[i].what = other.what;
        return;
      case 3:
        s.faults[i].when = other.when;
        return;
      default:
        const std::vector<Fault> simpler = simpler_faults(s.faults[i]);
        if (!simpler.empty()) s.faults[i] = simpler[random.below(simpler.size())];
    }
  }

  Ground ground_;
  Features seen_;
  std::vector<Schedule> corpus_;
};

// From the beginning, which of simultaneous events comes first is drawn, with few changes on the way (docs of the kind
// `order`); in half of the runs by itself, else with what random draws beside it.
class OrderStrategy final : public Strategy {
 public:
  explicit OrderStrategy(const Ground& ground) : ground_(ground) {}
  Schedule schedule(std::uint64_t number) override {
    Random random = random_of_case(ground_.seed ^ kOther, number);
    Order order{.seed = {1 + static_cast<std::int64_t>(random.below(Count::kMost))}, .changes = {}, .within = {}};
    if (const auto changes = static_cast<std::int64_t>(random.below(kMostChanges + 1)); changes > 0) {
      order.changes = Count{changes};
      order.within = Count{std::clamp<std::int64_t>(static_cast<std::int64_t>(ground_.course.events), 1, Count::kMost)};
    }
    Schedule s{{{Nanos{0}, order}}};
    if (ground_.most_faults > 1 && random.chance(1, 2))
      for (Fault& f : draw_schedule(ground_.cluster, ground_.course, ground_.most_faults - 1, random).faults)
        s.faults.push_back(std::move(f));
    return s;
  }

 private:
  static constexpr std::uint64_t kOther = 0x6f72646572, kMostChanges = 3;
  Ground ground_;
};

// The others in turns, most often those that find planted bugs soonest (planted_test.cpp prints them beside each
// other); a sweep that is at its end leaves its turns to the first.
class PortfolioStrategy final : public Strategy {
 public:
  explicit PortfolioStrategy(const Ground& ground)
      : parts_{std::make_unique<RandomStrategy>(ground, Swarm::off),
               std::make_unique<SweepStrategy>(Ground{ground.cluster, ground.course, ground.seed, 1}),
               std::make_unique<RandomStrategy>(ground, Swarm::on), std::make_unique<GuidedStrategy>(ground),
               std::make_unique<OrderStrategy>(ground)} {}

  Schedule schedule(std::uint64_t number) override {
    const std::size_t part = kTurns[number % std::size(kTurns)];
    const std::uint64_t turn = turn_of(part, number);
    const std::optional<std::uint64_t> count = parts_[part]->count();
    if (count && turn >= *count) return parts_[kUniform]->schedule(~number);
    return parts_[part]->schedule(turn);
  }
  [[nodiscard]] bool wants_features() const override { return true; }
  void learn(std::uint64_t number, const Schedule& schedule, const Features& features) override {
    parts_[kGuided]->learn(number, schedule, features);
  }

 private:
  static constexpr std::size_t kUniform = 0, kSweep = 1, kRandom = 2, kGuided = 3, kOrder = 4;
  static constexpr std::size_t kTurns[] = {kUniform, kRandom, kSweep,   kUniform, kRandom, kUniform, kRandom, kGuided,
                                           kUniform, kRandom, kUniform, kRandom,  kSweep,  kUniform, kRandom, kOrder};

  // How many turns of the part came before this one.
  static std::uint64_t turn_of(std::size_t part, std::uint64_t number) {
    const auto before = [&](std::uint64_t n) { return std::count(kTurns, kTurns + n, part); };
    return number / std::size(kTurns) * static_cast<std::uint64_t>(before(std::size(kTurns))) +
           static_cast<std::uint64_t>(before(number % std::size(kTurns)));
  }

  std::array<std::unique_ptr<Strategy>, 5> parts_;
};

constexpr StrategyText kStrategies[] = {
    {StrategyKind::portfolio, "portfolio", "all of the others in turns, random and uniform most often"},
    {StrategyKind::random, "random", "each run first draws which kinds and tasks are possible at all (swarm testing)"},
    {StrategyKind::uniform, "uniform", "random without that: every kind and task is possible in every run"},
    {StrategyKind::sweep, "sweep",
     "every kind for every task and host, before and after every moment; then, with --most-faults 2, all pairs"},
    {StrategyKind::guided, "guided", "changes schedules under which the job did something new"},
    {StrategyKind::order, "order",
     "draws which of simultaneous events comes first, by priorities that change up to three times"}};

}  // namespace

std::span<const StrategyText> strategies() { return kStrategies; }

std::unique_ptr<Strategy> make_strategy(const StrategyOptions& o, const ClusterSpec& cluster, const Course& course) {
  const Ground ground{cluster, course, o.seed, o.most_faults};
  switch (o.kind) {
    case StrategyKind::random:
      return std::make_unique<RandomStrategy>(ground, Swarm::on);
    case StrategyKind::uniform:
      return std::make_unique<RandomStrategy>(ground, Swarm::off);
    case StrategyKind::sweep:
      return std::make_unique<SweepStrategy>(ground);
    case StrategyKind::guided:
      return std::make_unique<GuidedStrategy>(ground);
    case StrategyKind::order:
      return std::make_unique<OrderStrategy>(ground);
    case StrategyKind::portfolio:
      break;
  }
  return std::make_unique<PortfolioStrategy>(ground);
}

}  // namespace tarry
