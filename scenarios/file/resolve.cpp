#include "scenarios/file/resolve.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "results/verdict.hpp"
#include "scenarios/file/card_resolve.hpp"
#include "scenarios/file/cost_resolve.hpp"
#include "scenarios/file/fault_resolve.hpp"
#include "scenarios/file/feed_resolve.hpp"
#include "scenarios/file/lookup.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/platform_resolve.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr char kWorkers[] = "/job:worker/replica:0/task:";

class Resolver {
 public:
  Resolver(Reader& in, const RawScenario& raw, std::string file) : in_(in), raw_(raw), names_(in) {
    out_.file = std::move(file);
  }

  Scenario run() {
    out_.title = raw_.title;
    out_.seed = static_cast<std::uint64_t>(raw_.seed);
    cluster();
    if (raw_.programs) programs(*raw_.programs);
    build();
    feeds();
    for (const RawCost& c : raw_.costs) cost(c);
    for (const RawVariation& v : raw_.variations) variation(v);
    for (const RawInterference& i : raw_.interference)
      out_.costs.interference.push_back(resolve_interference(in_, names_, i));
    out_.costs.otherwise = Constant{raw_.default_cost};
    for (const Named& file : raw_.measured) measured(file);
    training();
    for (const RawFault& f : raw_.faults) out_.faults.push_back(resolve_fault(in_, names_, out_.cluster, f));
    stop();
    if (raw_.must) out_.must = resolve_must(in_, *raw_.must, out_.stop.time);
    expect();
    return std::move(out_);
  }

 private:
  void fail(Position at, const std::string& what) { in_.fail(at, what); }

  // ---- the cluster ----

  void cluster() {
    for (const RawHost& h : raw_.cluster.hosts) host(h);
    if (raw_.cluster.hosts.empty()) fail(raw_.cluster.at, "the cluster has no host");
    for (const auto& [name, t] : raw_.cluster.tasks)
      if (!is_left_out(name)) task(name, t);
    gpus_below_roots();
    network(raw_.cluster.network);
    if (in_.ok() && raw_.cluster.workers) add_workers(*raw_.cluster.workers);
  }

  // Of `cluster.workers` workers, only the first ones.
  bool is_left_out(const Named& name) {
    const std::string canonical = names_.task_name(name);
    if (!raw_.cluster.workers || !canonical.starts_with(kWorkers)) return false;
    std::int64_t number = 0;
    std::from_chars(canonical.data() + std::size(kWorkers) - 1, canonical.data() + canonical.size(), number);
    return number >= *raw_.cluster.workers;
  }

  // Those that no task lists are like the last one that is listed.
  void add_workers(std::int64_t wanted) {
    const std::int64_t listed = tasks_of("worker");
    const TaskId last = names_.find_task(fmt::format("{}{}", kWorkers, listed - 1));
    if (!last.valid())
      return fail(
          raw_.cluster.at,
          "'workers' adds workers that are like the last one of 'tasks': expected /job:worker/task:0 there, and "
          "numbers without a gap");
    for (std::int64_t n = listed; n < wanted && in_.ok(); ++n) add_worker(n, last);
  }

  void add_worker(std::int64_t number, TaskId like) {
    ClusterSpec& c = out_.cluster;
    TaskSpec task = c.tasks[like.index()];
    const std::string host = fmt::format("host-of-worker-{}", number);
    if (!names_.add_host(host)) return fail(raw_.cluster.at, fmt::format("host '{}' appears twice", host));
    const HostId old = std::exchange(task.host, add_host_like(c, task.host, host));
    for (std::size_t i = 0, links = c.network.links.size(); i < links; ++i) {
      const LinkSpec l = c.network.links[i];
      if (l.a == old || l.b == old) c.network.links.push_back({l.a == old ? l.b : l.a, task.host, l.path});
    }
    task.name = fmt::format("{}{}", kWorkers, number);
    names_.add_task(task.name);
    out_.places.tasks.push_back(out_.places.tasks[like.index()]);
    c.tasks.push_back(std::move(task));
  }

  void host(const RawHost& h) {
    if (!names_.add_host(h.name.text)) fail(h.name.at, fmt::format("host '{}' appears twice", shown(h.name.text)));
    const RawNetwork& network = raw_.cluster.network;
    const RackId rack = names_.rack_or_new(h.rack.text);
    std::vector<RackSpec>& racks = out_.cluster.network.racks;
    if (rack.valid() && rack.index() == racks.size())
      racks.push_back({h.rack.text, {network.rack_latency, network.rack_trunk}});
    const std::vector<std::uint64_t> cards = cards_of(in_, h, raw_.cluster);
    out_.cluster.hosts.push_back({h.name.text, cards.front(), rack, h.pcie, {cards.begin() + 1, cards.end()}});
  }

  // Tasks that are left out count: how many workers there are says nothing about the machines.
  void gpus_below_roots() {
    std::set<std::string> with_gpus;
    for (const auto& [name, task] : raw_.cluster.tasks)
      if (task.gpus > 0) with_gpus.insert(task.host.text);
    const auto has_root = [](const RawHost& h) { return h.pcie.root_bandwidth > 0; };
    const auto first = std::ranges::find_if(raw_.cluster.hosts, has_root);
    if (first == raw_.cluster.hosts.end() || std::ranges::any_of(raw_.cluster.hosts, [&](const RawHost& h) {
          return has_root(h) && with_gpus.contains(h.name.text);
        }))
      return;
    fail(first->name.at, "no task on a host with 'pcie' has a GPU, so it means nothing; expected 'gpus' at a task");
  }

  void task(const Named& name, const RawTask& t) {
    const std::string canonical = names_.task_name(name);
    if (!names_.add_task(canonical)) fail(name.at, fmt::format("task '{}' appears twice", shown(name.text)));
    const RawDevices& usual = raw_.cluster.devices;
    const RawGpu gpu = t.gpu.value_or(usual.gpu);
    const HostId host = names_.host_of(t.host);
    const std::vector<GpuSpec> gpus(
        static_cast<std::size_t>(t.gpus),
        GpuSpec{t.gpu_memory.value_or(gpu.memory), gpu.rates, gpu.copy_bandwidth, gpu.launches_ahead});
    out_.places.tasks.push_back(name.at);
    out_.cluster.tasks.push_back({canonical, host, static_cast<int>(t.inter_op_threads), gpus,
                                  t.cpu.value_or(usual.cpu), card_of_task(in_, t, out_.cluster, host), t.cpu || t.gpu});
  }

  void network(const RawNetwork& n) {
    out_.cluster.network = {.between_hosts = {n.latency, n.bandwidth},
                            .racks = std::move(out_.cluster.network.racks),
                            .same_host = n.same_host,
                            .small_message = n.small_message,
                            .transfers_per_channel = static_cast<int>(n.transfers_per_channel),
                            .engine = n.engine,
                            .transport = n.transport.spec};
    if (!n.platform.text.empty())
      out_.cluster.network.platform = resolve_platform(in_, raw_.cluster, beside(n.platform));
    check_transport(in_, n.transport, out_.cluster);
    if (out_.cluster.network.racks.empty() && (n.rack_trunk > 0 || n.rack_latency > 0))
      fail(raw_.cluster.at,
           "no host is in a rack, so 'rack_trunk' and 'rack_latency' mean nothing; expected 'rack' or "
           "'per_rack' at hosts");
    for (const RawRack& r : n.racks) rack(r);
    for (const RawLink& l : n.links) link(l);
    for (const RawCardVariation& v : n.variations) card_variation(v);
  }

  void card_variation(const RawCardVariation& v) {
    CardVariation of_cards = resolve_card_variation(in_, names_, out_.cluster, v);
    if (v.trace.text.empty())
      out_.cluster.network.variations.push_back(std::move(of_cards));
    else
      out_.card_traces.push_back({{beside(v.trace), v.trace.at}, of_cards.every, of_cards.nic});
  }

  void rack(const RawRack& r) {
    const RackId id = names_.rack_of(r.name);
    if (!in_.ok()) return;
    if (!listed_racks_.insert(id).second)
      return fail(r.name.at, fmt::format("rack '{}' is listed twice", shown(r.name.text)));
    PathSpec& trunk = out_.cluster.network.racks[id.index()].trunk;
    trunk = {r.latency.value_or(trunk.latency), r.trunk.value_or(trunk.bandwidth)};
  }

  void link(const RawLink& l) {
    if (l.between.size() != 2) return fail(l.at, "a link is between two hosts");
    const HostId a = names_.host_of(l.between[0]), b = names_.host_of(l.between[1]);
    if (!in_.ok()) return;
    if (a == b) return fail(l.at, "a link is between two different hosts; see same_host");
    if (!l.latency && !l.bandwidth) return fail(l.at, "a link needs a latency, a bandwidth, or both");
    if (!linked_.insert(std::minmax({a, b})).second) return fail(l.at, "this pair of hosts has a link already");
    const PathSpec& usual = out_.cluster.network.between_hosts;
    out_.cluster.network.links.push_back(
        {a, b, {l.latency.value_or(usual.latency), l.bandwidth.value_or(usual.bandwidth)}});
  }

  // ---- programs and feeds ----

  void programs(const RawPrograms& p) {
    out_.places.job = p.at;
    for (const RawProgram& one : p.all) program(one);
  }

  void program(const RawProgram& p) {
    const TaskId task = names_.task_of(p.task);
    if (!in_.ok()) return;
    if (!names_.with_program.insert(task).second)
      fail(p.task.at, fmt::format("task '{}' has a program already", shown(p.task.text)));
    out_.places.programs.push_back(p.graph.at);
    const bool renamed = !p.serves_as.text.empty();
    out_.programs.push_back({task, graph_path(p.graph.text),
                             renamed ? names_.task_name(p.serves_as) : out_.cluster.tasks[task.index()].name});
  }

  void build() {
    if (!raw_.build && !raw_.programs)
      return fail({}, "the scenario has no 'programs' and no 'build'; it needs one of them");
    if (!raw_.build) return;
    const RawBuild& b = *raw_.build;
    if (const std::string wrong = misplaced_key(b); !wrong.empty()) return fail(b.at, wrong);
    const std::int64_t workers = b.workers.value_or(tasks_of("worker")), ps = b.ps.value_or(tasks_of("ps"));
    if (const std::string wrong = wrong_backups(b, workers); !wrong.empty()) return fail(b.at, wrong);
    out_.places.job = b.graph.at;
    out_.build = BuildSpec{graph_path(b.graph.text), plan_of(b, static_cast<int>(workers), static_cast<int>(ps)),
                           b.backup_workers.has_value()};
    built_tasks("worker", workers);
    check_gpus(b);
    if (b.protocol != Protocol::handwritten) built_tasks("ps", ps);
  }

  static std::string wrong_backups(const RawBuild& b, std::int64_t workers) {
    if (!b.backup_workers) return "";
    if (b.protocol != Protocol::synchronous) return "backup_workers is for 'protocol: sync'";
    if (b.replicas_to_aggregate) return "backup_workers and replicas_to_aggregate say the same: expected one of them";
    if (*b.backup_workers >= workers)
      return fmt::format("{} of {} workers cannot be backup workers: an aggregate needs a gradient", *b.backup_workers,
                         workers);
    return "";
  }

  static std::string misplaced_key(const RawBuild& b) {
    if (b.protocol != Protocol::synchronous && (b.replicas_to_aggregate || b.num_tokens != -1))
      return "replicas_to_aggregate and num_tokens are for 'protocol: sync'";
    if (b.protocol != Protocol::synchronous && b.chiefs) return "chiefs is for 'protocol: sync'";
    if (b.protocol != Protocol::stale_synchronous && b.staleness) return "staleness is for 'protocol: stale_sync'";
    if (b.protocol != Protocol::handwritten && b.gathering) return "gathering is for 'protocol: handwritten'";
    if (b.protocol == Protocol::handwritten && b.towers > 1) return "towers are not for 'protocol: handwritten'";
    if (b.protocol == Protocol::handwritten && b.ps)
      return "a hand-written protocol has no parameter servers: worker 0's task holds the variables";
    return "";
  }

  static JobPlan plan_of(const RawBuild& b, int workers, int ps) {
    JobPlan plan{.protocol = b.protocol,
                 .workers = workers,
                 .ps = ps,
                 .strategy = b.ps_strategy,
                 .num_tokens = static_cast<int>(b.num_tokens)};
    if (b.replicas_to_aggregate) plan.replicas = static_cast<int>(*b.replicas_to_aggregate);
    if (b.backup_workers) plan.replicas = workers - static_cast<int>(*b.backup_workers);
    plan.staleness = static_cast<int>(b.staleness.value_or(0));
    plan.gathering = b.gathering.value_or(Gathering::list);
    plan.towers = static_cast<int>(b.towers);
    plan.chiefs = static_cast<int>(b.chiefs.value_or(1));
    return plan;
  }

  void check_gpus(const RawBuild& b) {
    for (const TaskSpec& t : out_.cluster.tasks)
      if (b.towers > 1 && t.name.starts_with("/job:worker/") && std::cmp_less(t.gpus.size(), b.towers))
        return fail(b.at, fmt::format("{} towers need as many GPUs, and {} has {}: expected gpus: {} there", b.towers,
                                      short_task(t.name), t.gpus.size(), b.towers));
  }

  [[nodiscard]] std::int64_t tasks_of(const std::string& job) const {
    return std::ranges::count_if(out_.cluster.tasks, [prefix = fmt::format("/job:{}/", job)](const TaskSpec& t) {
      return t.name.starts_with(prefix);
    });
  }

  // A built job's tasks are numbered from 0: worker 0 is the chief, and every server holds variables.
  void built_tasks(const std::string& job, std::int64_t count) {
    if (count == 0)
      return fail(raw_.build->at, fmt::format("the cluster has no task of /job:{}, which a built job needs", job));
    if (job == "worker" && tasks_of(job) > count)
      return fail(raw_.build->at,
                  fmt::format("the cluster has {} workers, and the job is built for {}: the others would do nothing",
                              tasks_of(job), count));
    for (std::int64_t i = 0; i < count; ++i) {
      const TaskId task = names_.find_task(fmt::format("/job:{}/replica:0/task:{}", job, i));
      if (task.valid() && job == "worker") names_.with_program.insert(task);
      if (!task.valid() && (job == "ps" || i == 0))
        return fail(raw_.build->at,
                    fmt::format("the cluster has no /job:{}/task:{}, which the built job needs", job, i));
    }
  }

  // A file is the scenario folder's; a bare name is one of the graphs that ship with tarry.
  [[nodiscard]] std::string graph_path(const std::string& graph) const {
    if (!is_graph_file(graph) || fs::path(graph).is_absolute()) return graph;
    return (fs::path(out_.file).parent_path() / graph).string();
  }

  void feeds() {
    out_.feeds.batch = raw_.feeds.batch;
    out_.places.batch = raw_.feeds.at;
    for (const auto& [tensor, dims] : raw_.feeds.shapes) {
      out_.feeds.shapes[tensor.text] = Shape(dims);
      out_.places.feeds[tensor.text] = tensor.at;
    }
    for (const auto& [tensor, spec] : raw_.feeds.values) fed(tensor.text, spec);
    for (const RawInputFile& f : raw_.feeds.files)
      out_.input_files.push_back(resolve_input_file(in_, names_, f, beside(f.from)));
  }

  void fed(const std::string& tensor, FeedSpec spec) {
    if (auto* file = std::get_if<FeedFile>(&spec.what)) file->path = beside({file->path, spec.at});
    out_.places.feeds.emplace(tensor, spec.at);
    out_.fed.emplace(tensor, std::move(spec));
  }

  // ---- costs ----

  void cost(const RawCost& c) {
    if (!c.trace.text.empty()) out_.traces[out_.costs.rules.size()] = {beside(c.trace), c.trace.at};
    out_.costs.rules.push_back(resolve_cost(in_, names_, out_.cluster, c));
    out_.places.costs.push_back(c.at);
  }

  void variation(const RawVariation& v) {
    if (v.trace.text.empty())
      out_.costs.variations.push_back(resolve_variation(in_, names_, out_.cluster, v));
    else if (!v.task.text.empty() || !v.job.text.empty() || v.factor || !v.factors.empty() ||
             v.shared != Variation::Shared::by_nobody)
      fail(v.at, "a variation with a 'trace' has no other key: the file's lines say the worker and the factor");
    else
      out_.step_traces.push_back({beside(v.trace), v.trace.at});
  }

  // The path of a file of the scenario's folder.
  [[nodiscard]] std::string beside(const Named& file) const {
    return (fs::path(out_.file).parent_path() / file.text).string();
  }

  void measured(const Named& file) {
    out_.measured.push_back(beside(file));
    out_.places.measured.push_back(file.at);
  }

  // ---- training, stop, expect ----

  void training() {
    const RawTraining& t = raw_.training;
    out_.places.training = t.at;
    out_.training = {t.start,
                     t.num_tokens,
                     t.queue_runner,
                     t.sync_thread,
                     t.soft_placement,
                     t.device_filters,
                     t.fail_fast,
                     t.save_steps,
                     t.save_every,
                     t.values_up_to,
                     {}};
    for (const auto& [name, client] : t.workers) worker(name, client);
  }

  void worker(const Named& name, const ClientSpec& client) {
    const TaskId task = names_.task_of(name);
    if (!in_.ok()) return;
    if (!names_.with_program.contains(task)) fail(name.at, fmt::format("task '{}' runs no program", shown(name.text)));
    out_.places.workers[task] = name.at;
    if (!out_.training.workers.emplace(task, client).second)
      fail(name.at, fmt::format("task '{}' appears twice", shown(name.text)));
  }

  void stop() {
    out_.stop = raw_.stop.spec;
    out_.places.stop = raw_.stop.at;
    if (out_.stop == StopSpec{})
      fail(raw_.stop.at, "stop says nothing; expected one of aggregates, global_step, steps, time");
  }

  void expect() {
    for (const Named& v : raw_.expect.verdicts) {
      if (const auto kinds = verdict_kinds(); std::ranges::find(kinds, v.text) == kinds.end())
        fail(v.at, fmt::format("unknown verdict '{}'{}", shown(v.text), suggestion(v.text, kinds)));
      out_.expect.verdicts.push_back(v.text);
    }
  }

  Reader& in_;
  const RawScenario& raw_;
  Scenario out_;
  Lookup names_;
  std::set<RackId> listed_racks_;
  std::set<std::pair<HostId, HostId>> linked_;
};

}  // namespace

Scenario resolve(Reader& in, const RawScenario& raw, const std::string& file) { return Resolver(in, raw, file).run(); }

}  // namespace tarry
