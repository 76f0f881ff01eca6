#include "properties/cluster/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "properties/cluster/situation.hpp"
#include "scenarios/job/fault_shrink.hpp"
#include "scenarios/job/moments.hpp"

namespace tarry {
namespace {

constexpr Nanos kShortest = kSecond / 1000;

class Draw {
 public:
  Draw(const ClusterSpec& cluster, const Course& course, Random& random, Swarm swarm)
      : cluster_(cluster), course_(course), random_(random) {
    for (std::size_t t = 0; t < cluster.tasks.size(); ++t)
      if (swarm == Swarm::off || random_.chance(1, 2)) tasks_.emplace_back(t);
    if (tasks_.empty()) tasks_.emplace_back(random_.below(cluster.tasks.size()));
    for (const TaskId t : tasks_)
      if (!cluster.tasks[t.index()].gpus.empty()) with_gpu_.push_back(t);
    for_each_kind([&]<class K>() {
      if (is_possible<K>()) makers_.push_back([this] { return FaultKinds(any<K>()); });
    });
    for (std::size_t left = swarm == Swarm::on ? makers_.size() : 0; left > 1;
         --left)  // on average, half of the kinds stay
      if (random_.chance(1, 2))
        makers_.erase(makers_.begin() + static_cast<std::ptrdiff_t>(random_.below(makers_.size())));
  }

  Fault fault() {
    FaultKinds what = with_plainest_kind(makers_[random_.below(makers_.size())]());
    return {when(), std::move(what)};
  }

 private:
  template <class K>
  static constexpr bool has_gpu() {
    return std::apply([]<class... F>(const F&...) { return (std::is_same_v<typename F::Value, GpuIndex> || ...); },
                      K::fields());
  }
  // Two different hosts or tasks may be more than there are, and no task that may have faults may have a GPU.
  template <class K>
  [[nodiscard]] bool is_possible() const {
    if (has_gpu<K>() && with_gpu_.empty()) return false;
    using First = typename std::tuple_element_t<0, decltype(K::fields())>::Value;
    if (std::is_same_v<First, HostPair>) return cluster_.hosts.size() > 1;
    if (std::is_same_v<First, TaskPair>) return cluster_.tasks.size() > 1;
    return true;
  }

  template <class K>
  K any() {
    K kind;
    std::apply([&](const auto&... field) { (draw(kind.*field.member), ...); }, K::fields());
    if constexpr (has_gpu<K>()) draw_gpu(kind.task, kind.index);
    return kind;
  }

  void draw(TaskId& task) { task = tasks_[random_.below(tasks_.size())]; }
  void draw(TaskPair& pair) {
    draw(pair.a);
    do pair.b = TaskId{random_.below(cluster_.tasks.size())};
    while (pair.b == pair.a);
  }
  void draw(HostPair& pair) {
    TaskId task;
    draw(task);
    pair.a = cluster_.tasks[task.index()].host;
    do pair.b = HostId{random_.below(cluster_.hosts.size())};
    while (pair.b == pair.a);
  }
  void draw(HostId& host) {
    TaskId task;
    draw(task);
    host = cluster_.tasks[task.index()].host;
  }
  // Hosts of tasks, in any order.
  void draw(HostList& list) {
    for (std::uint64_t n = 1 + random_.below(std::min<std::uint64_t>(3, cluster_.hosts.size())); n > 0; --n) {
      HostId host;
      draw(host);
      if (std::ranges::count(list.hosts, host) == 0) list.hosts.push_back(host);
    }
  }
  // For a task and an index that were drawn each for itself: the index is drawn with the task.
  static void draw(GpuIndex&) {}
  void draw_gpu(TaskId& task, GpuIndex& index) {
    task = with_gpu_[random_.below(with_gpu_.size())];
    index.value = static_cast<std::int64_t>(random_.below(cluster_.tasks[task.index()].gpus.size()));
  }
  void draw(Count& c) { c.value = logarithmic(1, 100); }
  void draw(PercentLeft& s) { s.value = PercentLeft::kLeast + uniform(PercentLeft::kMost - PercentLeft::kLeast + 1); }
  void draw(Bytes& b) { b.value = static_cast<std::uint64_t>(logarithmic(1 << 20, Nanos{64} << 30)); }
  void draw(OpPattern& op) {
    constexpr std::string_view kOps[] = {"*", "*MatMul*", "*Conv*", "*CrossEntropy*", "Apply*"};
    op.text = kOps[random_.below(std::size(kOps))];
  }
  static void draw(All&) {}
  // Hardly slower to a hundred times slower, each power of ten as likely.
  void draw(Percent& p) { p.value = 100 + static_cast<std::int64_t>(logarithmic(10, 10'000)); }
  void draw(Nanos& t) { t = logarithmic(kShortest, longest()); }
  template <class Value>
  void draw(std::optional<Value>& v) {
    if (random_.chance(1, 2)) draw(v.emplace());
  }

  [[nodiscard]] Nanos longest() const { return std::max(course_.time, 2 * kShortest); }
  Nanos uniform(Nanos below) {
    return static_cast<Nanos>(random_.below(static_cast<std::uint64_t>(std::max(below, Nanos{1}))));
  }
  // A power of two between the two, and something within it: no floating point, so that every compiler draws the same.
  Nanos logarithmic(Nanos least, Nanos most) {
    Nanos high = least;
    for (Nanos doublings = uniform(doublings_to(least, most) + 1); doublings > 0; --doublings) high *= 2;
    return std::min(most, high + uniform(high));
  }
  static Nanos doublings_to(Nanos least, Nanos most) {
    Nanos n = 0;
    for (; least < most / 2; least *= 2) ++n;
    return n;
  }

  std::variant<Nanos, Trigger> when() {
    if (course_.moments.empty() || random_.chance(1, 3)) return uniform(longest());
    auto moment = course_.moments.begin();
    std::advance(moment, random_.below(course_.moments.size()));
    const auto& [which, times] = *moment;
    const Nanos delay = random_.chance(2, 3) ? 0 : logarithmic(kShortest, longest());
    return Trigger{which.first, which.second, 1 + uniform(std::ssize(times)), delay};
  }

  const ClusterSpec& cluster_;
  const Course& course_;
  Random& random_;
  std::vector<TaskId> tasks_, with_gpu_;
  std::vector<std::function<FaultKinds()>> makers_;
};

// All but `count` faults from `first` on.
Schedule without(const Schedule& s, std::size_t first, std::size_t count) {
  Schedule rest = s;
  const auto begin = rest.faults.begin() + static_cast<std::ptrdiff_t>(first);
  rest.faults.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, s.faults.size() - first)));
  return rest;
}

}  // namespace

Course course_of(const Outcome& outcome) {
  Course course{.time = outcome.log.ended_at - outcome.log.started_at, .events = outcome.log.events().size()};
  Moments moments;
  Situation situation;
  std::size_t event = 0;
  for (const LoggedEvent& e : outcome.log.events()) {
    situation.note(e.event);
    if (const auto* m = std::get_if<MessageDelivered>(&e.event)) course.talks.insert({m->from, m->to});
    moments.of(
        e.event, [&](NameId n) { return outcome.log.name(n); },
        [&](const Moments::Came& came) {
          if (!came.task.valid()) return;
          auto& all = course.moments[{came.moment, came.task}];
          all.push_back({e.at - outcome.log.started_at, event, situation.hash()});
          if (outcome.turns.empty()) return;
          all.back().turn = outcome.turns[event];
          const Trigger trigger{came.moment, came.task, std::ssize(all), 0};
          ++course.turns.try_emplace({all.back().at, all.back().turn}, Course::Turn{trigger}).first->second.moments;
        });
    ++event;
  }
  return course;
}

std::optional<Schedule> first_alike(const Schedule& s, const Course& course) {
  const auto* trigger = s.faults.size() == 1 ? std::get_if<Trigger>(&s.faults[0].when) : nullptr;
  if (trigger == nullptr) return std::nullopt;
  const auto moments = course.moments.find({trigger->moment, trigger->task});
  if (moments == course.moments.end() || trigger->count < 1 || trigger->count > std::ssize(moments->second))
    return std::nullopt;
  const Course::Came& came = moments->second[static_cast<std::size_t>(trigger->count) - 1];
  const auto turn = course.turns.find({came.at, came.turn});
  if (turn == course.turns.end() || turn->second.moments == 1) return std::nullopt;
  Trigger first = turn->second.first;
  first.delay = trigger->delay;
  return Schedule{{{first, s.faults[0].what}}};
}

Schedule draw_schedule(const ClusterSpec& cluster, const Course& course, int most, Random& random, Swarm swarm) {
  Draw draw(cluster, course, random, swarm);
  Schedule s;
  for (std::uint64_t n = 1 + random.below(static_cast<std::uint64_t>(most)); n > 0; --n)
    s.faults.push_back(draw.fault());
  return s;
}

void for_each_smaller(const Schedule& s, const std::function<bool(const Schedule&)>& each) {
  for (std::size_t count = (s.faults.size() + 1) / 2; count > 0; count /= 2)
    for (std::size_t first = 0; first < s.faults.size(); first += count)
      if (each(without(s, first, count))) return;
  for (std::size_t i = 0; i < s.faults.size(); ++i)
    for (const Fault& simpler : simpler_faults(s.faults[i])) {
      Schedule other = s;
      other.faults[i] = simpler;
      if (each(other)) return;
    }
}

}  // namespace tarry
