#include "scenarios/job/made_like.hpp"

#include <algorithm>

namespace tarry {
namespace {

class Likeness {
 public:
  Likeness(const Job& job, TaskId worker, TaskId other)
      : job_(job), worker_(worker), other_(other), spec_(job.cluster.tasks[worker.index()]) {}

  std::optional<Job> run() {
    if (job_.costs.measured.size() > 0 || !has_the_same_devices()) return std::nullopt;
    if (shares_its_host() && (is_disturbed_on_its_host() || has_slow_host())) return std::nullopt;
    Job made = job_;
    copy(made.costs.rules, &CostRule::task, spec_.name, job_.cluster.tasks[other_.index()].name);
    copy(made.costs.variations, &Variation::task, worker_, other_);
    std::erase_if(made.costs.interference,
                  [this](const Interference& i) { return i.task == worker_ || i.host == spec_.host; });
    std::erase_if(made.faults, [this](const Fault& f) { return slows_it(f); });
    const bool is_other = !(made.costs == job_.costs) || made.faults.size() != job_.faults.size();
    return is_other ? std::optional(std::move(made)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool has_the_same_devices() const {
    const TaskSpec& like = job_.cluster.tasks[other_.index()];
    return like.cpu == spec_.cpu && like.gpus == spec_.gpus && like.inter_op_threads == spec_.inter_op_threads;
  }
  [[nodiscard]] bool shares_its_host() const {
    return std::ranges::count(job_.cluster.tasks, spec_.host, &TaskSpec::host) > 1;
  }
  [[nodiscard]] bool is_disturbed_on_its_host() const {
    return std::ranges::any_of(job_.costs.interference,
                               [this](const Interference& i) { return !i.task.valid() && i.host == spec_.host; });
  }
  [[nodiscard]] bool has_slow_host() const {
    return std::ranges::any_of(job_.faults, [this](const Fault& f) { return slows_its_host(f); });
  }
  [[nodiscard]] bool slows_its_host(const Fault& f) const {
    const auto* slow = std::get_if<SlowHost>(&f.what);
    return slow != nullptr && slow->host == spec_.host;
  }
  template <class Kind>
  [[nodiscard]] bool is_of_it(const Fault& f) const {
    const auto* slow = std::get_if<Kind>(&f.what);
    return slow != nullptr && slow->task == worker_;
  }
  [[nodiscard]] bool slows_it(const Fault& f) const {
    return slows_its_host(f) || is_of_it<Slow>(f) || is_of_it<Throttle>(f) || is_of_it<HeavyTail>(f);
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

  const Job& job_;
  const TaskId worker_, other_;
  const TaskSpec& spec_;
};

}  // namespace

std::optional<Job> made_like(const Job& job, TaskId worker, TaskId other) { return Likeness(job, worker, other).run(); }

}  // namespace tarry
