#include "scenarios/job/made_like.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tarry {
namespace {

class Likeness {
 public:
  Likeness(const Job& job, TaskId worker, TaskId other, std::int64_t steps)
      : job_(job),
        steps_(steps),
        worker_(worker),
        other_(other),
        spec_(job.cluster.tasks[worker.index()]),
        like_(job.cluster.tasks[other.index()]) {}

  std::optional<Job> run() {
    if (job_.costs.measured.size() > 0 || !has_as_many_devices() || !has_the_same_feeds()) return std::nullopt;
    if (draws_by_place() || is_slow_place(like_.host)) return std::nullopt;
    if (shares_its_host() && is_slow_place(spec_.host)) return std::nullopt;
    Job made = job_;
    copy(made.costs.rules, &CostRule::task, spec_.name, like_.name);
    copy(made.costs.variations, &Variation::task, worker_, other_);
    keep_its_luck(made.costs);
    copy(made.costs.interference, &Interference::task, worker_, other_);
    std::erase_if(made.costs.interference, [this](const Interference& i) { return i.host == spec_.host; });
    copy_faults(made.faults);
    copy_rates(made.cluster.tasks[worker_.index()], like_);
    TaskSpec as_before = spec_;
    as_before.has_own_rates = like_.has_own_rates;
    const bool is_other =
        !(made.costs == job_.costs) || made.faults != job_.faults || made.cluster.tasks[worker_.index()] != as_before;
    return is_other || is_drawn_alone() ? std::optional(std::move(made)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool has_as_many_devices() const {
    return like_.gpus.size() == spec_.gpus.size() && like_.inter_op_threads == spec_.inter_op_threads;
  }
  [[nodiscard]] std::vector<Shape> fed_shapes(TaskId task) const {
    std::vector<Shape> shapes;
    for (const ClientJob& c : job_.clients)
      if (c.task == task)
        for (const Feed& feed : c.program.feeds) shapes.push_back(feed.shape);
    return shapes;
  }
  [[nodiscard]] bool has_client(TaskId task) const {
    return std::ranges::find(job_.clients, task, &ClientJob::task) != job_.clients.end();
  }
  // One client may feed the parts of all.
  [[nodiscard]] bool has_the_same_feeds() const {
    return !has_client(worker_) || !has_client(other_) || fed_shapes(worker_) == fed_shapes(other_);
  }
  // By their hosts or racks, and these are others. A variation of the worker alone goes, and one of a third is
  // neither's.
  [[nodiscard]] bool draws_by_place() const {
    using enum Variation::Shared;
    return like_.host != spec_.host && std::ranges::any_of(job_.costs.variations, [this](const Variation& v) {
             const bool is_of_it = !v.task.valid() || v.task == other_;
             return is_of_it && (v.shared == by_host || v.shared == by_rack);
           });
  }
  [[nodiscard]] bool shares_its_host() const {
    return std::ranges::count(job_.cluster.tasks, spec_.host, &TaskSpec::host) > 1;
  }
  // By a law of its own: if that is the other one's as well, it is slow by chance.
  [[nodiscard]] bool is_drawn_alone() const {
    return std::ranges::any_of(job_.costs.variations, [this](const Variation& v) { return v.task == worker_; }) ||
           std::ranges::any_of(job_.costs.rules,
                               [this](const CostRule& r) { return r.task == spec_.name && is_random(r.amount); });
  }
  // All tasks there are disturbed, or slowed down.
  [[nodiscard]] bool is_slow_place(HostId host) const {
    return std::ranges::any_of(job_.costs.interference,
                               [&](const Interference& i) { return !i.task.valid() && i.host == host; }) ||
           std::ranges::any_of(job_.faults, [&](const Fault& f) { return slows_host(f, host); });
  }
  [[nodiscard]] static bool slows_host(const Fault& f, HostId host) {
    const auto* slow = std::get_if<SlowHost>(&f.what);
    return slow != nullptr && slow->host == host;
  }
  // The task whose kernels it slows down; nullptr where it does something else.
  [[nodiscard]] static TaskId* slowed_by(Fault& f) {
    if (auto* slow = std::get_if<Slow>(&f.what)) return &slow->task;
    if (auto* slow = std::get_if<Throttle>(&f.what)) return &slow->task;
    if (auto* slow = std::get_if<HeavyTail>(&f.what)) return &slow->task;
    return nullptr;
  }
  [[nodiscard]] static bool slows(Fault f, TaskId task) {
    const TaskId* slowed = slowed_by(f);
    return slowed != nullptr && *slowed == task;
  }
  // What slows down the worker is gone, and what slows down the other one slows down both.
  void copy_faults(std::vector<Fault>& all) const {
    std::erase_if(all, [this](const Fault& f) { return slows_host(f, spec_.host) || slows(f, worker_); });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!slows(all[i], other_)) continue;
      Fault same = all[i];
      *slowed_by(same) = worker_;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(++i), std::move(same));
    }
  }

  // Of one list, what is said of `own` alone, replaced by what is said of `other`: each beside the one it is copied of.
  template <class T, class Key>
  static void copy(std::vector<T>& all, Key T::*whose, const Key& own, const Key& other) {
    std::erase_if(all, [&](const T& one) { return one.*whose == own; });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!(all[i].*whose == other)) continue;
      T same = all[i];
      same.*whose = own;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(++i), std::move(same));
    }
  }

  // What the worker draws stays its own draws, and what was measured of it step by step its own list, with the other
  // one's mean: a copy of these would be as lucky as that one in every step.
  void keep_its_luck(CostRules& made) const {
    std::vector<const Variation*> own;
    for (const Variation& v : job_.costs.variations)
      if (v.task == worker_) own.push_back(&v);
    auto of_it = own.begin();
    for (Variation& v : made.variations)
      if (v.task == worker_ && of_it != own.end()) keep_luck(v, **of_it++);
    for (CostRule& r : made.rules)
      if (r.task == spec_.name)
        if (const CostRule* rule = own_rule_like(r)) r.factors = with_mean_of(rule->factors, r.factors);
  }
  void keep_luck(Variation& made, const Variation& own) const {
    made.stream = own.stream;
    const auto *list = list_of(made), *own_list = list_of(own);
    if (list != nullptr && own_list != nullptr) made.law = Amount{Listed{with_mean_of(own_list->times, list->times)}};
  }
  static const Listed* list_of(const Variation& v) {
    const auto* amount = std::get_if<Amount>(&v.law);
    return amount == nullptr ? nullptr : std::get_if<Listed>(amount);
  }
  [[nodiscard]] const CostRule* own_rule_like(const CostRule& made) const {
    const auto it = std::ranges::find_if(job_.costs.rules, [&](const CostRule& r) {
      return r.task == spec_.name && r.op == made.op && r.node == made.node && r.device_type == made.device_type &&
             !r.factors.empty() && !made.factors.empty();
    });
    return it == job_.costs.rules.end() ? nullptr : &*it;
  }
  [[nodiscard]] std::vector<std::int64_t> with_mean_of(std::vector<std::int64_t> own,
                                                       const std::vector<std::int64_t>& other) const {
    const double ratio = mean(other) / mean(own);
    if (!std::isfinite(ratio)) return other;
    for (std::int64_t& f : own) f = std::llround(static_cast<double>(f) * ratio);
    return own;
  }
  // Of what the run came by.
  [[nodiscard]] double mean(const std::vector<std::int64_t>& all) const {
    const auto used = steps_ > 0 ? std::min(std::ssize(all), static_cast<std::ptrdiff_t>(steps_)) : std::ssize(all);
    return std::accumulate(all.begin(), all.begin() + used, 0.0) / static_cast<double>(used);
  }

  const Job& job_;
  const std::int64_t steps_;
  const TaskId worker_, other_;
  const TaskSpec &spec_, &like_;
};

}  // namespace

void copy_rates(TaskSpec& task, const TaskSpec& other) {
  task.cpu = other.cpu;
  task.has_own_rates = other.has_own_rates;
  for (std::size_t g = 0; g < std::min(task.gpus.size(), other.gpus.size()); ++g) {
    task.gpus[g].rates = other.gpus[g].rates;
    task.gpus[g].launches_ahead = other.gpus[g].launches_ahead;
  }
}

std::optional<Job> made_like(const Job& job, TaskId worker, TaskId other, std::int64_t steps) {
  return Likeness(job, worker, other, steps).run();
}

}  // namespace tarry
