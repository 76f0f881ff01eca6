#include "properties/conform/sync_config.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "properties/conform/checked.hpp"
#include "properties/conform/sync_layout.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

constexpr int kMostWorkers = 512, kMostServers = 64, kMostAggregates = 100'000;

// 3 of "worker:3"
std::size_t worker_of(const std::string& task, int workers) {
  return whole_number(std::string_view(task).substr(task.find(':') + 1), static_cast<std::uint64_t>(workers) - 1);
}

std::vector<double> by_worker(const Json& config, const char* key, int workers) {
  std::vector<double> out(static_cast<std::size_t>(workers), 0);
  if (config.contains(key))
    for (const auto& [task, seconds] : config.at(key).items())
      out[worker_of(task, workers)] = seconds_within(seconds.get<double>(), key);
  return out;
}

int count_at(const Json& config, const char* key, int low, int high) {
  return static_cast<int>(integer_within(config.at(key), low, high, key));
}

// Rows of seconds, one for each worker. `columns` = 0: as many in each as the row has, and at least one.
std::vector<std::vector<double>> rows_of_seconds(const Json& rows, int workers, int columns, const char* key) {
  auto out = rows.get<std::vector<std::vector<double>>>();
  if (std::cmp_not_equal(out.size(), workers)) malformed("{} has {} rows for {} workers", key, out.size(), workers);
  for (const auto& row : out) {
    if (row.empty() || (columns != 0 && std::cmp_not_equal(row.size(), columns)))
      malformed("{} has a row of {} numbers", key, row.size());
    for (const double s : row) (void)seconds_within(s, key);
  }
  return out;
}

ClusterSpec cluster_of(const RecordedConfig& c, const std::vector<int>& order) {
  ClusterSpec cluster;
  const auto add = [&](const std::string& host, std::string task) {
    cluster.hosts.push_back({host});
    cluster.tasks.push_back({std::move(task), HostId{cluster.hosts.size() - 1}, 0, {}});
  };
  for (int p = 0; p < c.ps; ++p) add(fmt::format("ps{}", p), fmt::format("/job:ps/replica:0/task:{}", p));
  for (int w = 0; w < c.workers; ++w) add(fmt::format("worker{}", w), fmt::format("/job:worker/replica:0/task:{}", w));
  const auto link = [&](int a, int b, double seconds) {
    cluster.network.links.push_back(
        {HostId{static_cast<std::size_t>(a)}, HostId{static_cast<std::size_t>(b)}, {nanos(seconds), 0}});
  };
  for (int p = 0; p < c.ps; ++p) {
    for (int q = p + 1; q < c.ps; ++q) link(p, q, c.ps_latency);
    for (int w = 0; w < c.workers; ++w) link(p, c.ps + w, c.latency[order[w]][p]);
  }
  return cluster;
}

Amount compute_of(const RecordedConfig& c, int recorded) {
  if (c.compute.empty()) return Uniform{nanos(c.mean_compute * (1 - c.jitter)), nanos(c.mean_compute * (1 + c.jitter))};
  Listed times;
  for (const double t : c.compute[recorded]) times.times.push_back(nanos(t));
  return times;
}

CostRules costs_of(const RecordedConfig& c, const std::vector<int>& order) {
  CostRules costs;
  for (int w = 0; w < c.workers; ++w)  // the loss needs every parameter, and every gradient needs the loss
    costs.rules.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits",
                           .task = fmt::format("/job:worker/replica:0/task:{}", w),
                           .amount = compute_of(c, order[w])});
  return costs;
}

TrainOptions options_of(const RecordedConfig& c, int recorded, int ours, Nanos chief_start) {
  TrainOptions o;
  if (c.has_filters) o.session.device_filters = {"/job:ps", fmt::format("/job:worker/task:{}", ours)};
  o.num_tokens = c.num_tokens;
  if (c.old_runner) o.era = QueueRunnerEra::closes_dummy_queue;
  o.start_after = c.polls && ours == 0 ? chief_start : nanos(c.late[recorded]);
  o.first_step_after = nanos(c.hold[recorded]);
  o.joins_gate = c.late[recorded] == 0;
  return o;
}

// Variables are on every server, as replica_device_setter spreads the two or more of the recorded graphs.
bool is_spread(const RecordedConfig& c) { return servers_of(c.vars).size() == static_cast<std::size_t>(c.ps); }

// The name of the recorded graphs of such a job, without "_task0"; "" = there are none, and it is built.
std::string recorded_job(const RecordedConfig& c) {
  if (!is_spread(c)) return "";
  if (c.is_async && !c.is_resource && c.workers == 3 && c.ps <= 2) return fmt::format("softmax_async_ps{}", c.ps);
  if (c.is_async || c.replicas != 3) return "";
  if (c.workers == 3 && c.ps == 1) return c.is_resource ? "sync_softmax_res_w3_r3_ps1" : "sync_softmax_w3_r3_ps1";
  if (c.workers == 3 && c.ps == 2 && !c.is_resource) return "sync_uneven_w3_r3_ps2";
  if (c.workers == 3 && c.ps == 3 && !c.is_resource) return "sync_spread_w3_r3_ps3";
  if (c.workers == 4 && c.ps == 1 && !c.is_resource) return "sync_softmax_w4_r3_ps1";
  return "";
}

StatusOr<std::vector<ClientProgram>> built_programs(const RecordedConfig& c, const std::string& graphs_folder,
                                                    const FeedSizes& feeds) {
  TARRY_ASSIGN(ClientProgram one, load_program(one_workers_graph(c.vars, c.is_resource), graphs_folder, feeds));
  TARRY_RETURN_IF_ERROR(lay_out(one, c.vars));
  JobPlan plan{.protocol = c.is_async ? Protocol::asynchronous : Protocol::synchronous,
               .workers = c.workers,
               .replicas = c.replicas};
  plan.num_tokens = c.num_tokens.value_or(-1);
  return build_job(one, plan);
}

// One for each worker in our order: the recorded chief is our worker 0.
StatusOr<std::vector<ClientProgram>> programs_of(const RecordedConfig& c, const std::string& graphs_folder) {
  const FeedSizes feeds{.batch = 4};
  const std::string job = recorded_job(c);
  if (job.empty()) return built_programs(c, graphs_folder, feeds);
  std::vector<ClientProgram> programs;
  for (int w = 0; w < c.workers; ++w) {
    TARRY_ASSIGN(ClientProgram program, load_program(fmt::format("{}_task{}", job, w), graphs_folder, feeds));
    programs.push_back(std::move(program));
  }
  return programs;
}

bool are_equal_workers(const RecordedConfig& c, int a, int b) {
  const bool same_start = c.late[a] == c.late[b] && c.hold[a] == c.hold[b] && c.absent[a] == c.absent[b];
  const bool same_chief = a == c.chief ? b == c.chief || !c.polls : b != c.chief || !c.polls;
  return same_start && same_chief && c.latency[a] == c.latency[b] &&
         (c.compute.empty() || c.compute[a] == c.compute[b]);
}

// How many there are of each, and what the job is.
void read_sizes(const Json& j, RecordedConfig& c) {
  c.workers = count_at(j, "W", 1, kMostWorkers);
  c.replicas = count_at(j, "R", 1, kMostWorkers);
  c.ps = count_at(j, "P", 1, kMostServers);
  c.aggregates = j.contains("G") ? count_at(j, "G", 0, kMostAggregates) : 0;
  if (const int tokens = count_at(j, "num_tokens", -1, kMostAggregates); tokens >= 0) c.num_tokens = tokens;
  for (const Json& v : j.at("vars")) {
    c.vars.push_back({v.at("name"), count_at(v, "ps", 0, kMostServers)});
    if (c.vars.back().ps >= c.ps) malformed("vars: {} is on ps {} of {}", c.vars.back().name, c.vars.back().ps, c.ps);
  }
  if (c.vars.empty()) malformed("'vars' is empty; expected the variables and their servers");
  c.is_async = j.value("protocol", "") == "async";
  c.is_resource = j.at("variables") == "resource";
  c.old_runner = j.value("era", "") == "old";
  c.polls = j.value("poll", false);
  c.has_filters = j.value("filters", true);
  c.chief = j.contains("chief") ? count_at(j, "chief", 0, c.workers - 1) : 0;
}

void read_times(const Json& j, RecordedConfig& c) {
  c.latency.assign(static_cast<std::size_t>(c.workers), std::vector<double>(static_cast<std::size_t>(c.ps), 0));
  if (j.contains("latency")) c.latency = rows_of_seconds(j.at("latency"), c.workers, c.ps, "latency");
  c.jitter = within(j.value("jitter", 0.0), 0.0, 1.0, "jitter");
  if (j.at("compute").is_array())
    c.compute = rows_of_seconds(j.at("compute"), c.workers, 0, "compute");
  else
    c.mean_compute = seconds_within(j.at("compute").at("mean").get<double>(), "compute.mean");
  if (j.contains("peer_latency")) c.ps_latency = seconds_at(j.at("peer_latency"), "ps", 0);
  c.late = by_worker(j, "late", c.workers);
  c.hold = by_worker(j, "hold", c.workers);
  c.absent.assign(static_cast<std::size_t>(c.workers), false);
  for (const std::string task : j.value("absent", Json::array())) c.absent[worker_of(task, c.workers)] = true;
}

}  // namespace

StatusOr<RecordedConfig> read_config(const Json& j) {
  return refused("config", [&]() -> StatusOr<RecordedConfig> {
    RecordedConfig c;
    read_sizes(j, c);
    read_times(j, c);
    return c;
  });
}

std::vector<int> worker_order(const RecordedConfig& c) {
  std::vector<int> order(static_cast<std::size_t>(c.workers));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[static_cast<std::size_t>(c.chief)]);
  return order;
}

std::vector<int> equal_workers(const RecordedConfig& c) {
  std::vector<int> first(static_cast<std::size_t>(c.workers));
  for (int w = 0; w < c.workers; ++w) {
    int same = 0;
    while (!are_equal_workers(c, same, w)) ++same;
    first[w] = same;
  }
  return first;
}

StatusOr<Job> make_job(const RecordedConfig& c, const std::string& graphs_folder, Nanos chief_start) {
  const std::vector<int> order = worker_order(c);
  TARRY_ASSIGN(std::vector<ClientProgram> programs, programs_of(c, graphs_folder));
  Job job;
  job.cluster = cluster_of(c, order);
  job.costs = costs_of(c, order);
  job.start_together = !c.polls;
  for (int w = 0; w < c.workers; ++w) {
    if (c.absent[order[w]]) continue;
    job.clients.push_back(
        {TaskId{static_cast<std::size_t>(c.ps + w)}, std::move(programs[w]), options_of(c, order[w], w, chief_start)});
  }
  return job;
}

}  // namespace tarry
