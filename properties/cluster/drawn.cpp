#include "properties/cluster/drawn.hpp"

#include <algorithm>
#include <map>

namespace tarry {
namespace {

constexpr Nanos kMs = kSecond / 1000, kUs = kMs / 1000;

// Round amounts, so that what is found reads well.
constexpr Nanos kCosts[] = {200 * kMs, 300 * kMs, 500 * kMs, kSecond, 2 * kSecond, 4 * kSecond};
constexpr Nanos kLatencies[] = {0,        20 * kUs, 100 * kUs, 500 * kUs, kMs,        2 * kMs,
                                10 * kMs, 50 * kMs, 200 * kMs, kSecond,   3 * kSecond};
constexpr Nanos kDelays[] = {kMs, 100 * kMs, kSecond, 5 * kSecond, 29 * kSecond, 40 * kSecond};
// Small graphs: with reference and resource variables, with a sparse gradient, with a large variable, with Adam.
constexpr std::string_view kGraphs[] = {"softmax_async_res_ps2_task1", "mlp_adam_async_res_ps2_task0",
                                        "sync_sparse_w3_r3_ps2_task0", "sync_uneven_w3_r3_ps2_task0"};

class ClusterDraw {
  template <class T, std::size_t N>
  const T& pick(const T (&list)[N]) {
    return list[random_.below(N)];
  }

 public:
  explicit ClusterDraw(Random& random) : random_(random) {}

  DrawnCluster run() {
    c_.seed = 1 + random_.below(1'000);
    if (random_.chance(1, 3)) c_.graph = pick(kGraphs);
    c_.workers.resize(2 + random_.below(random_.chance(1, 4) ? 7 : 3));
    if (random_.chance(1, 10)) c_.workers.resize(1);
    c_.ps.resize(random_.chance(1, 2) ? 1 : 2 + random_.below(2));
    hosts();
    network();
    devices();
    protocol();
    costs();
    training();
    clients();
    stop();
    gpu_memory();
    straggler();
    return std::move(c_);
  }

 private:
  // ---- the cluster ----

  // Each task on a host of its own, or all on as many hosts as are drawn.
  void hosts() {
    const std::size_t tasks = c_.ps.size() + c_.workers.size();
    const bool is_own = random_.chance(3, 5);
    const std::uint64_t among = 1 + random_.below(tasks);
    std::map<std::uint64_t, std::size_t> numbers;
    std::uint64_t task = 0;
    const auto next = [&] { return numbers.try_emplace(is_own ? task++ : random_.below(among), numbers.size()); };
    for (std::size_t& host : c_.ps) host = next().first->second;
    for (DrawnWorker& w : c_.workers) w.host = next().first->second;
    c_.hosts = numbers.size();
  }

  void network() {
    c_.latency = pick(kLatencies);
    if (random_.chance(1, 10)) c_.same_host = pick(kLatencies);
    if (random_.chance(1, 25)) c_.nic = random_.chance(1, 2) ? 125'000'000 : 1'250'000;
    if (c_.hosts > 1 && random_.chance(1, 4)) link();
  }
  void link() {
    const std::uint64_t a = random_.below(c_.hosts), b = (a + 1 + random_.below(c_.hosts - 1)) % c_.hosts;
    c_.links.push_back({HostId{std::min(a, b)}, HostId{std::max(a, b)}, {pick(kLatencies), 0}});
  }

  void devices() {
    if (random_.chance(1, 12)) c_.gpus = 1 + static_cast<std::int64_t>(random_.below(2));
    if (random_.chance(1, 8)) c_.threads = 1 + static_cast<std::int64_t>(random_.below(2));
  }

  // So little that a neighbour may take it all.
  void gpu_memory() {
    if (c_.gpus > 0 && random_.chance(4, 5)) c_.gpu_memory = std::uint64_t{1} << 24;
  }

  // ---- the job ----

  void protocol() {
    switch (random_.below(5)) {
      case 0:
        c_.protocol = Protocol::asynchronous;
        return;
      case 1:
        c_.protocol = Protocol::stale_synchronous;
        c_.staleness = static_cast<std::int64_t>(random_.below(5));
        return;
      default:
        c_.protocol = Protocol::synchronous;
        synchronous(c_.workers.size());
    }
    if (random_.chance(1, 4)) c_.strategy = PsStrategy::greedy;
  }
  // As many gradients to aggregate as workers, fewer (backup workers), or more; tokens from none to twice as many.
  void synchronous(std::uint64_t workers) {
    if (random_.chance(2, 5)) c_.replicas = 1 + static_cast<std::int64_t>(random_.below(workers + 2));
    const auto replicas = static_cast<std::uint64_t>(c_.replicas.value_or(static_cast<std::int64_t>(workers)));
    if (random_.chance(1, 4)) c_.num_tokens = 0;
    if (random_.chance(1, 4)) c_.num_tokens = 1 + static_cast<std::int64_t>(random_.below(2 * replicas));
  }

  // ---- what takes time ----

  void costs() {
    c_.cost = amount(pick(kCosts));
    for (DrawnWorker& w : c_.workers)
      if (random_.chance(1, 5)) w.cost = amount(pick(kCosts));
    if (random_.chance(1, 5)) c_.ps_cost = random_.chance(1, 2) ? kMs : 20 * kUs;
    if (random_.chance(1, 8)) c_.assign_cost = random_.chance(1, 2) ? kSecond : 40 * kMs;
  }
  // A law with this mean; the lognormal one has a heavy tail.
  Amount amount(Nanos mean) {
    switch (random_.below(8)) {
      case 0:
        return Uniform{mean / 2, mean + mean / 2};
      case 1:
        return Lognormal{mean, 2 * mean};
      case 2:
        return Exponential{mean};
      case 3:
        return Normal{mean, mean / 4};
      case 4:
        return Listed{{mean, mean / 2, 3 * mean}};
      default:
        return Constant{mean};
    }
  }

  // ---- training ----

  void training() {
    TrainingSpec& t = c_.training;
    if (random_.chance(2, 5)) t.start = Start::natural;
    if (random_.chance(1, 3)) t.queue_runner = QueueRunnerEra::closes_dummy_queue;
    t.device_filters = !random_.chance(1, 5);
    t.fail_fast = !random_.chance(1, 5);
    if (random_.chance(1, 3)) t.save_steps = 1 + static_cast<std::int64_t>(random_.below(12));
    if (random_.chance(1, 10)) t.save_every = 1 + random_.below(2) == 1 ? kSecond : 10 * kSecond;
  }

  void clients() {
    for (std::size_t i = 0; i < c_.workers.size(); ++i) {
      ClientSpec& client = c_.workers[i].client;
      client.absent = i > 0 && random_.chance(1, 25);
      if (random_.chance(1, 10)) client.start_after = pick(kDelays);
      if (random_.chance(1, 15)) client.first_step_after = pick(kDelays);
      if (random_.chance(1, 20)) client.steps = 1 + static_cast<std::int64_t>(random_.below(12));
      client.poll_first = i > 0 && random_.chance(1, 40);
    }
  }

  // Some tens of steps of each worker, in about two minutes at the most.
  void stop() {
    const Nanos usual = std::max(mean_cost(), 2 * kUs * (c_.latency / kUs) * 3);
    c_.stop.time = std::min<Nanos>(120 * kSecond, (5 + static_cast<Nanos>(random_.below(36))) * usual);
    const std::int64_t steps = 2 + static_cast<std::int64_t>(random_.below(20));
    switch (random_.below(6)) {
      case 0:
        c_.stop.steps = steps;
        return;
      case 1:
        c_.stop.global_step = steps;
        return;
      case 2:
        if (c_.protocol == Protocol::synchronous) c_.stop.aggregates = steps;
        return;
      default:
        return;
    }
  }
  // A worker whose step takes longer than masters wait before they complain, twice 60 s (docs/rules/runtime.md#E.3.3).
  void straggler() {
    if (mean_cost() < kSecond || !random_.chance(1, 10)) return;
    c_.workers.back().cost = Constant{150 * kSecond};
    c_.stop.time = 300 * kSecond;
  }
  [[nodiscard]] Nanos mean_cost() const {
    return std::visit(
        []<class A>(const A& a) {
          if constexpr (requires { a.mean; }) return a.mean;
          if constexpr (requires { a.time; }) return a.time;
          if constexpr (requires { a.high; }) return a.high;
          if constexpr (requires { a.times; }) return a.times.front();
          if constexpr (requires { a.least; }) return a.least;
          if constexpr (requires { a.scale; }) return a.scale;
          if constexpr (requires { a.points; }) return a.points.front().value;
        },
        c_.cost);
  }

  Random& random_;
  DrawnCluster c_;
};

}  // namespace

DrawnCluster draw_cluster(Random& random) { return ClusterDraw(random).run(); }

bool saves_checkpoints(const DrawnCluster& c) { return c.training.save_steps || c.training.save_every; }

Schedule draw_spoiled_checkpoint(const DrawnCluster& c, Nanos time, Random& random) {
  const TaskId server{random.below(c.ps.size())}, chief{c.ps.size()};
  const auto within = [&](Nanos from, Nanos to) {
    return from + static_cast<Nanos>(random.below(static_cast<std::uint64_t>(std::max<Nanos>(to - from, 1))));
  };
  const Nanos spoiled = within(0, time / 4), lost = within(spoiled, time / 2), anew = within(lost, time * 3 / 4);
  const bool tears = random.chance(1, 3);
  Schedule s;
  s.faults.push_back(
      {spoiled, tears ? FaultKinds(TearSave{server}) : SlowSave{server, kCosts[random.below(std::size(kCosts))], {}}});
  if (!tears) s.faults.push_back({lost, LoseCheckpoints{}});
  s.faults.push_back({anew, random.chance(1, 2) ? FaultKinds(Preempt{chief, kSecond}) : Disconnect{{chief, server}}});
  return s;
}

}  // namespace tarry
