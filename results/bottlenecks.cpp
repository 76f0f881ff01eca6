#include "results/bottlenecks.hpp"

#include <algorithm>
#include <numeric>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

constexpr Nanos kNoticed = 10'000'000;  // shorter differences between steps are nobody's concern

double share(Nanos part, Nanos whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }
int percent(double share) { return static_cast<int>(100 * share + 0.5); }

StepTimes sum_of(const Loads& loads) {
  StepTimes all;
  for (const auto& [task, w] : loads.workers) {
    all.total += w.total;
    all.on_the_way += w.on_the_way;
    all.transferring += w.transferring;
  }
  return all;
}

class LoadJudge {
 public:
  LoadJudge(const EventLog& log, const Contributions& c, const TaskNames& tasks)
      : log_(log), c_(c), tasks_(tasks), loads_(read_loads(log)) {}

  std::vector<Verdict> run() {
    imbalance();
    network();
    straggler();
    return std::move(out_);
  }

 private:
  // ---- parameter servers ----

  [[nodiscard]] std::vector<TaskId> servers() const {
    std::vector<TaskId> all;
    for (std::size_t t = 0; t < tasks_.names.size(); ++t)
      if (tasks_.names[t].starts_with("/job:ps/")) all.push_back(TaskId{t});
    return all;
  }

  [[nodiscard]] const ServerLoad& load(TaskId task) const {
    static const ServerLoad nothing;
    const auto it = loads_.tasks.find(task);
    return it == loads_.tasks.end() ? nothing : it->second;
  }

  [[nodiscard]] Nanos time() const { return log_.ended_at - log_.started_at; }

  void imbalance() {
    const std::vector<TaskId> ps = servers();
    if (ps.size() < 2) return;
    const TaskId busiest = *std::ranges::max_element(ps, {}, [this](TaskId t) { return load(t).bytes; });
    std::uint64_t all = 0;
    for (const TaskId t : ps) all += load(t).bytes;
    const bool is_uneven = 2 * load(busiest).bytes * ps.size() >= 3 * all;
    if (is_uneven && share(load(busiest).transferring, time()) >= 1.0 / 3) tell_imbalance(ps, busiest, all);
  }

  void tell_imbalance(const std::vector<TaskId>& ps, TaskId busiest, std::uint64_t all) {
    std::vector<std::string> rows;
    for (const TaskId t : ps)
      rows.push_back(fmt::format("{}: {:.1f} MB in {} messages, sending {} % of the time", tasks_.show(t),
                                 megabytes(load(t).bytes), load(t).messages,
                                 percent(share(load(t).transferring, time()))));
    out_.push_back(
        {"ps_imbalance",
         fmt::format("{} carries {} % of what the parameter servers send; the workers wait for it while the others are "
                     "idle. Sent by {}. {}",
                     tasks_.show(busiest), percent(static_cast<double>(load(busiest).bytes) / static_cast<double>(all)),
                     join(rows, "; "), other_strategy(ps, busiest))});
  }

  // What a worker's step gets from each server, tensor by tensor: those that were sent at least once for every two
  // steps.
  [[nodiscard]] std::vector<std::uint64_t> tensors_of_a_step(TaskId server) const {
    std::int64_t steps = 0;
    for (const WorkerStory& w : c_.workers) steps += w.steps;
    std::vector<std::uint64_t> sizes;
    for (const auto& [bytes, times] : load(server).tensors)
      sizes.insert(sizes.end(),
                   steps == 0 ? 0 : (times + static_cast<std::uint64_t>(steps) / 2) / static_cast<std::uint64_t>(steps),
                   bytes);
    return sizes;
  }

  [[nodiscard]] std::string other_strategy(const std::vector<TaskId>& ps, TaskId busiest) const {
    std::vector<std::uint64_t> all;
    for (const TaskId t : ps)
      for (const std::uint64_t bytes : tensors_of_a_step(t)) all.push_back(bytes);
    if (all.empty()) return "";
    const auto of_busiest = tensors_of_a_step(busiest);
    const std::uint64_t now = std::accumulate(of_busiest.begin(), of_busiest.end(), std::uint64_t{0}),
                        largest = std::ranges::max(all), greedy = busiest_if_greedy(all, ps.size());
    const std::uint64_t even = std::accumulate(all.begin(), all.end(), std::uint64_t{0}) / ps.size();
    const std::string now_text = fmt::format(
        "To do: it sends {:.3f} MB to each step; variables spread by bytes (greedy) instead of by count would make "
        "that {:.3f} MB",
        megabytes(now), megabytes(greedy));
    if (greedy > even + even / 10)
      return now_text +
             fmt::format("; no less, as one tensor has {:.3f} MB: split that variable, which comes down to {:.3f} MB.",
                         megabytes(largest), megabytes(even));
    return now_text + ".";
  }

  // ---- the network ----

  void network() {
    const StepTimes all = sum_of(loads_);
    if (share(all.transferring, all.total) < 0.5) return;
    out_.push_back({"network_bound",
                    fmt::format("{} % of the workers' step time a transfer is under way that takes longer than the "
                                "path's latency: bandwidth, not computing, sets the pace ({} % is computing or"
                                " waiting for others' messages). To do: more or better spread parameter servers, "
                                "faster cards, larger batches, or fewer bytes a step.",
                                percent(share(all.transferring, all.total)),
                                percent(share(all.total - all.on_the_way, all.total)))});
  }

  // ---- workers ----

  [[nodiscard]] bool needs_every_worker() const {
    return !c_.accumulators.empty() && c_.workers.size() > 1 &&
           std::cmp_greater_equal(c_.accumulators.front().required, c_.workers.size());
  }

  void straggler() {
    if (!needs_every_worker()) return;
    for (const auto& [task, times] : loads_.workers) {
      const Nanos others = slowest_but(task);
      if (times.own.size() >= 3 && others > 0 && times.median() >= 2 * others && times.median() > others + kNoticed)
        tell_straggler(task, times, others);
    }
  }

  [[nodiscard]] Nanos slowest_but(TaskId task) const {
    Nanos most = 0;
    for (const auto& [other, times] : loads_.workers)
      if (other != task && times.own.size() >= 3) most = std::max(most, times.median());
    return most;
  }

  void tell_straggler(TaskId task, const StepTimes& times, Nanos others) {
    out_.push_back(
        {"straggler",
         fmt::format("{} is what the others wait for: it takes {:.3f} s until its gradients are in, the next slowest "
                     "{:.3f} s, and every aggregate needs all of them. {} % of its time its messages"
                     " are under way. To do: {}, or have a backup worker (aggregate one gradient fewer than there are "
                     "workers).",
                     tasks_.show(task), in_seconds(times.median()), in_seconds(others),
                     percent(share(times.on_the_way, times.total)),
                     2 * times.on_the_way > times.total
                         ? "bring it nearer to the parameter servers"
                         : "look at what else its host does, or give it a smaller batch")});
  }

  const EventLog& log_;
  const Contributions& c_;
  const TaskNames& tasks_;
  const Loads loads_;
  std::vector<Verdict> out_;
};

}  // namespace

std::vector<Verdict> judge_loads(const EventLog& log, const Contributions& c, const TaskNames& tasks) {
  return LoadJudge(log, c, tasks).run();
}

std::string where_time_went(const Loads& loads) {
  const StepTimes all = sum_of(loads);
  if (all.total == 0) return "";
  const double transfers = share(all.transferring, all.total),
               latency = share(all.on_the_way - all.transferring, all.total), computing = 1 - transfers - latency;
  const char* bound = computing >= std::max(transfers, latency) ? "compute-bound"
                      : transfers >= latency                    ? "network-bound, by bandwidth"
                                                                : "network-bound, by latency";
  return fmt::format("Workers' steps, up to their pushes: {} % computing, {} % transfers, {} % latency: {}.",
                     percent(computing), percent(transfers), percent(latency), bound);
}

}  // namespace tarry
