#include "results/pipeline/pipeline_stragglers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

// ---- usual times ----

Nanos median(std::vector<Nanos> times) {
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::ranges::nth_element(times, middle);
  return times.size() % 2 == 1 ? *middle : std::midpoint(*std::max_element(times.begin(), middle), *middle);
}

Nanos mean(const std::vector<Nanos>& times) {
  const auto sum = std::accumulate(times.begin(), times.end(), __int128{0});
  return static_cast<Nanos>(sum / std::ssize(times));
}

std::vector<Nanos> usual_times(const PipelineTrace& trace) {
  std::vector<Nanos> usual;
  for (const PipelineOpRow& row : pipeline_ops()) {
    std::vector<Nanos> times;
    for (std::size_t n = 0; n < trace.nodes.size(); ++n) {
      const auto own = trace.durations.begin() + static_cast<std::ptrdiff_t>(trace.at(n, 0, 0));
      if (trace.nodes[n].op == row.op) times.insert(times.end(), own, own + static_cast<std::ptrdiff_t>(trace.runs()));
    }
    usual.push_back(times.empty() ? 0 : row.communicates ? median(std::move(times)) : mean(times));
  }
  return usual;
}

// ---- who costs what ----

void largest_first(std::vector<SlowdownOf>& all) {
  std::ranges::stable_sort(all, std::greater<>(), &SlowdownOf::slowdown);
}

class StragglerAnalysis {
 public:
  StragglerAnalysis(const PipelineTrace& trace, PipelineGraph graph)
      : trace_(trace), replay_(trace, std::move(graph)) {}

  StatusOr<Stragglers> run() {
    out_.step = replay_.mean_step([](const PipelineNode&, std::uint32_t) { return true; });
    out_.ideal = replay_.mean_step([](const PipelineNode&, std::uint32_t) { return false; });
    if (out_.ideal <= 0) return invalid("the ops of the trace take no time");
    out_.slowdown = out_.step / out_.ideal;
    for (const PipelineOpRow& row : pipeline_ops()) add_op(row);
    for (std::uint32_t r = 0; r < trace_.replicas.size(); ++r)
      out_.by_replica.push_back(alone(fmt::format("replica {}", trace_.replicas[r]),
                                      [r](const PipelineNode&, std::uint32_t replica) { return replica == r; }));
    for (std::uint32_t s = 0; s < trace_.stages; ++s)
      out_.by_stage.push_back(
          alone(fmt::format("stage {}", s), [s](const PipelineNode& n, std::uint32_t) { return n.stage == s; }));
    find_workers();
    const std::uint32_t last = trace_.stages - 1;
    out_.last_stage =
        effect(fmt::format("stage {}", last), [last](const PipelineNode& n, std::uint32_t) { return n.stage == last; });
    for (auto* all : {&out_.by_op, &out_.by_replica, &out_.by_stage}) largest_first(*all);
    return std::move(out_);
  }

 private:
  struct WorkerOf {
    std::uint32_t replica, stage;
    double slowdown;  // the lesser of its replica's and its stage's
  };

  [[nodiscard]] std::string names_of(const std::vector<WorkerOf>& workers) const {
    constexpr std::size_t kNamed = 4;
    std::vector<std::string> names;
    for (const WorkerOf& w : workers)
      names.push_back(fmt::format("stage {} of replica {}", w.stage, trace_.replicas[w.replica]));
    if (names.size() > kNamed) names.resize(kNamed), names.push_back(fmt::format("{} more", workers.size() - kNamed));
    return join(names, ", ");
  }
  SlowdownOf alone(std::string what, const IsKept& is_kept) const {
    return {std::move(what), replay_.mean_step(is_kept) / out_.ideal};
  }
  void add_op(const PipelineOpRow& row) {
    const auto is_of = [&](const PipelineNode& n) { return row_of(n.op).group == row.group; };
    if (std::ranges::find(out_.by_op, row.group, &SlowdownOf::what) != out_.by_op.end()) return;
    if (std::ranges::none_of(trace_.nodes, is_of)) return;
    out_.by_op.push_back(alone(std::string(row.group), [&](const PipelineNode& n, std::uint32_t) { return is_of(n); }));
  }
  StragglerEffect effect(std::string what, const IsKept& is_of) const {
    const double lost = out_.step - out_.ideal;
    if (lost <= 0) return {std::move(what)};
    const double added = replay_.mean_step(is_of) - out_.ideal;
    const double left = replay_.mean_step([&](const PipelineNode& n, std::uint32_t r) { return !is_of(n, r); });
    return {std::move(what), added / lost, (out_.step - left) / lost};
  }

  // REQUIRES: the slowdowns of replicas and stages are in their order still.
  void find_workers() {
    std::vector<WorkerOf> workers;
    for (std::uint32_t s = 0; s < trace_.stages; ++s)
      for (std::uint32_t r = 0; r < trace_.replicas.size(); ++r)
        workers.push_back({r, s, std::min(out_.by_replica[r].slowdown, out_.by_stage[s].slowdown)});
    std::ranges::stable_sort(workers, std::greater<>(), &WorkerOf::slowdown);
    constexpr std::size_t kInHundred = 3;
    workers.resize((workers.size() * kInHundred + 99) / 100);
    out_.slowest_workers = effect(names_of(workers), [&](const PipelineNode& n, std::uint32_t r) {
      return std::ranges::any_of(workers, [&](const WorkerOf& w) { return w.stage == n.stage && w.replica == r; });
    });
  }

  const PipelineTrace& trace_;
  PipelineReplay replay_;
  Stragglers out_;
};

}  // namespace

// ---- a replay ----

PipelineReplay::PipelineReplay(const PipelineTrace& trace, PipelineGraph graph)
    : trace_(trace), graph_(std::move(graph)), usual_(usual_times(trace)) {}

double PipelineReplay::mean_step(const IsKept& is_kept) const {
  const std::size_t runs = trace_.runs(), replicas = trace_.replicas.size();
  std::vector<Nanos> ends(trace_.nodes.size() * runs), begins(runs), last(trace_.steps.size());
  for (const PipelineGroup& group : graph_.groups) {
    std::ranges::fill(begins, 0);
    for (const std::uint32_t n : group.members)
      for (const std::uint32_t earlier : graph_.needs[n])
        for (std::size_t i = 0; i < runs; ++i) begins[i] = std::max(begins[i], ends[earlier * runs + i]);
    for (std::size_t i = 0; group.is_of_all_replicas && i < runs; i += replicas) {
      const auto of_step = std::span(begins).subspan(i, replicas);
      std::ranges::fill(of_step, *std::ranges::max_element(of_step));
    }
    for (const std::uint32_t n : group.members)
      for (std::size_t i = 0; i < runs; ++i) {
        const bool is_own = is_kept(trace_.nodes[n], static_cast<std::uint32_t>(i % replicas));
        const Nanos takes =
            is_own ? trace_.durations[n * runs + i] : usual_[static_cast<std::size_t>(trace_.nodes[n].op)];
        ends[n * runs + i] = begins[i] + takes;
        if (trace_.nodes[n].op == PipelineOp::optimizer)
          last[i / replicas] = std::max(last[i / replicas], ends[n * runs + i]);
      }
  }
  const auto sum = std::accumulate(last.begin(), last.end(), __int128{0});
  return static_cast<double>(sum) / 1e9 / static_cast<double>(last.size());
}

StatusOr<Stragglers> stragglers_of(const PipelineTrace& trace) {
  TARRY_ASSIGN(PipelineGraph graph, pipeline_graph(trace));
  return StragglerAnalysis(trace, std::move(graph)).run();
}

}  // namespace tarry
