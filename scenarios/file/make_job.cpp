#include "scenarios/file/make_job.hpp"

#include <algorithm>
#include <map>

#include "placer/device/name.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/file/fed_values.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/trace.hpp"
#include "scenarios/job/guess.hpp"
#include "sim/cards.hpp"
#include "sim/flow_engine.hpp"
#include "workers/train/build/initial_tokens.hpp"

namespace tarry {
namespace {

std::vector<std::string> filters_of(const Scenario& s, TaskId task) {
  const bool is_one_client = s.build && s.build->plan.protocol == Protocol::handwritten;
  if (!s.training.device_filters || is_one_client) return {};
  return {"/job:ps", s.cluster.tasks[task.index()].name};
}

TrainOptions options_of(const Scenario& s, TaskId task, const ClientSpec& client) {
  TrainOptions o;
  o.session.device_filters = filters_of(s, task);
  o.session.soft_placement = s.training.soft_placement;
  if (s.training.num_tokens) o.num_tokens = static_cast<int>(*s.training.num_tokens);
  o.era = s.training.queue_runner;
  o.sync_thread = s.training.sync_thread;
  o.also = client.also;
  o.save_steps = s.training.save_steps;
  o.save_every = s.training.save_every;
  o.last_global_step = client.global_step ? client.global_step : s.stop.global_step;
  o.steps = client.steps ? client.steps : s.stop.steps;
  o.start_after = client.start_after;
  o.first_step_after = client.first_step_after;
  o.joins_gate = client.start_after == 0;
  return o;
}

using Loaded = std::map<std::string, ClientProgram>;  // by graph: clients that run one graph share it

// A task takes a client's name in the graph: its own, or the one that it serves as.
StatusOr<ClientProgram> program_of(const Scenario& s, const ProgramSpec& p, const RunOptions& options, Loaded& loaded) {
  if (!loaded.contains(p.graph)) {
    TARRY_ASSIGN(loaded[p.graph], load_program(p.graph, options.graphs_folder, s.feeds));
  }
  ClientProgram program = loaded.at(p.graph);
  const std::string task = p.serves_as.empty() ? s.cluster.tasks[p.task.index()].name : p.serves_as;
  TARRY_RETURN_IF_ERROR(serve_as(program, task));
  return program;
}

// All of a job but its clients.
Job settings_of(const Scenario& s, const RunOptions& options) {
  Job job;
  job.cluster = s.cluster;
  job.costs = s.costs;
  job.faults = s.faults;
  job.seed = options.seed.value_or(s.seed);
  job.start_together = s.training.start == Start::together;
  job.values_up_to = s.training.values_up_to;
  job.fail_fast = s.training.fail_fast;
  job.stop.aggregates = s.stop.aggregates;
  job.stop.time = s.stop.time;
  job.looks_ahead = true;
  job.keep_kernels = options.keep_kernels;
  return job;
}

bool saves_without_saver(const ClientJob& c) {
  return c.program.is_chief && (c.options.save_steps || c.options.save_every) && c.program.saver.save.empty();
}

Status take_tokens(ClientProgram& program, const Scenario& s) {
  const std::int64_t wanted = s.training.num_tokens.value_or(0);  // without any, the op is not run
  if (wanted == 0 || !program.sync) return absl::OkStatus();
  const int tokens = wanted < 0 ? program.sync->replicas_to_aggregate : static_cast<int>(wanted);
  const Status set = set_initial_tokens(program, tokens);
  return set.ok() ? set : with_prefix(set, place_text(s, s.places.training));
}

Status add_client(Job& job, const Scenario& s, TaskId task, ClientProgram program) {
  TARRY_RETURN_IF_ERROR(take_tokens(program, s));
  const auto it = s.training.workers.find(task);
  job.clients.push_back(
      {task, std::move(program), options_of(s, task, it == s.training.workers.end() ? ClientSpec{} : it->second)});
  if (saves_without_saver(job.clients.back()))
    return invalid("{}training saves checkpoints, but the graph {} has no saver", place_text(s, s.places.training),
                   job.clients.back().program.name);
  return absl::OkStatus();
}

bool is_absent(const Scenario& s, TaskId task) {
  const auto it = s.training.workers.find(task);
  return it != s.training.workers.end() && it->second.absent;
}

StatusOr<std::vector<TaskProgram>> recorded_programs(const Scenario& s, const RunOptions& options) {
  std::vector<TaskProgram> all;
  Loaded loaded;
  for (std::size_t i = 0; i < s.programs.size(); ++i) {
    const TaskId task = s.programs[i].task;
    auto program = program_of(s, s.programs[i], options, loaded);
    if (!program.ok())
      return with_prefix(program.status(), fmt::format("{}the program of {}: ", place_text(s, s.places.programs, i),
                                                       s.cluster.tasks[task.index()].name));
    all.emplace_back(task, *std::move(program));
  }
  return all;
}

// One more than the highest number of a worker: nobody runs the programs of those beyond it. At least one.
int workers_in(const ClusterSpec& cluster) {
  int most = 1;
  for (const TaskSpec& t : cluster.tasks)
    if (const auto name = parse_device_name(t.name); name && name->job == "worker" && name->task)
      most = std::max(most, *name->task + 1);
  return most;
}

constexpr char kOtherWay[] =
    "; another way: under 'programs', give each task the graph that its own client made (docs/from_a_script.md)";

StatusOr<std::vector<ClientProgram>> build_programs(const Scenario& s, const RunOptions& options) {
  TARRY_ASSIGN(const ClientProgram recorded, load_program(s.build->graph, options.graphs_folder, s.feeds));
  JobPlan plan = s.build->plan;
  plan.first_workers = workers_in(s.cluster);
  auto built = build_job(recorded, plan);
  if (built.ok()) return built;
  const std::string lines = left_out_of_sidecar(recorded);
  return error(built.status().code(), "{}{}", text_of(built.status()), lines.empty() ? kOtherWay : lines);
}

// Takes those whose task is in the cluster, in the order of its tasks. "/job:worker/task:0" is
// /job:worker/replica:0/task:0.
std::vector<TaskProgram> given_to_tasks(std::vector<ClientProgram>& programs, const ClusterSpec& cluster) {
  std::map<std::pair<std::string, int>, std::size_t> tasks;
  for (std::size_t t = 0; t < cluster.tasks.size(); ++t)
    if (const auto name = parse_device_name(cluster.tasks[t].name); name && name->job && name->task)
      tasks.try_emplace({*name->job, *name->task}, t);
  std::vector<TaskProgram> given;
  for (ClientProgram& p : programs)
    if (const auto name = parse_device_name(p.task); name && name->job && name->task)
      if (const auto it = tasks.find({*name->job, *name->task}); it != tasks.end())
        given.emplace_back(TaskId{it->second}, std::move(p));
  std::ranges::stable_sort(given, {}, [](const TaskProgram& p) { return p.first; });
  return given;
}

StatusOr<std::vector<TaskProgram>> built_programs(const Scenario& s, const RunOptions& options) {
  auto programs = build_programs(s, options);
  if (!programs.ok()) return with_prefix(programs.status(), place_text(s, s.places.job));
  std::vector<TaskProgram> all = given_to_tasks(*programs, s.cluster);
  if (all.empty())
    return invalid(
        "{}no client runs: the graph {} was built for {} ('task' in its sidecar), and the cluster has no such task",
        place_text(s, s.places.job), programs->front().name, programs->front().task);
  return all;
}

Status add_clients(Job& job, const Scenario& s, const RunOptions& options) {
  TARRY_ASSIGN(std::vector<TaskProgram> programs, s.build ? built_programs(s, options) : recorded_programs(s, options));
  if (programs.empty()) return invalid("{}no client runs: 'programs' is empty", place_text(s, s.places.job));
  TARRY_RETURN_IF_ERROR(check_names(s, programs));
  FedValues fed(s);
  for (auto& [task, program] : programs) {
    if (is_absent(s, task)) continue;
    TARRY_RETURN_IF_ERROR(fed.fill(program));
    TARRY_RETURN_IF_ERROR(add_client(job, s, task, std::move(program)));
  }
  if (job.clients.empty())
    return invalid("{}no client runs: every program's worker is absent", place_text(s, s.places.training));
  return absl::OkStatus();
}

Status add_measured(Job& job, const Scenario& s) {
  std::vector<NodeExecTime> times;
  for (std::size_t i = 0; i < s.measured.size(); ++i) {
    auto more = read_step_stats(s.measured[i]);
    if (!more.ok()) return with_prefix(more.status(), place_text(s, s.places.measured, i) + "measured: ");
    std::ranges::move(*more, std::back_inserter(times));
  }
  job.costs.measured = Measured(times);
  return absl::OkStatus();
}

// A rule with a trace becomes one for each worker that the trace has; other workers keep the rule.
void add_trace(std::vector<CostRule>& rules, std::size_t number, const Trace& trace) {
  std::vector<CostRule> traced;
  for (const auto& [worker, factors] : trace) {
    CostRule rule = rules[number];
    const std::string task = fmt::format("/job:worker/replica:0/task:{}", worker);
    if (!rule.task.empty() && rule.task != task) continue;
    rule.task = task;
    rule.factors = factors;
    traced.push_back(std::move(rule));
  }
  rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(number), traced.begin(), traced.end());
}

template <class Parsed>
StatusOr<Parsed> read_trace(const Scenario& s, const TraceSpec& spec,
                            StatusOr<Parsed> (*parse)(std::string_view, const std::string&)) {
  const auto text = read_file(spec.file);
  if (!text.ok()) return with_prefix(text.status(), place_text(s, spec.at) + "trace: ");
  return parse(*text, spec.file);
}

// Of workers that the cluster has.
void add_variations(Job& job, const Trace& trace) {
  for (const auto& [worker, factors] : trace) {
    const TaskId task = find_task(job.cluster, fmt::format("/job:worker/replica:0/task:{}", worker));
    if (task.valid()) job.costs.variations.push_back({.task = task, .law = Amount{Listed{factors}}});
  }
}

Status add_traces(Job& job, const Scenario& s) {
  for (auto it = s.traces.rbegin(); it != s.traces.rend(); ++it) {  // from the back: numbers stay
    TARRY_ASSIGN(const Trace trace, read_trace(s, it->second, parse_trace));
    add_trace(job.costs.rules, it->first, trace);
  }
  for (const TraceSpec& spec : s.step_traces) {
    TARRY_ASSIGN(const Trace trace, read_trace(s, spec, parse_trace));
    add_variations(job, trace);
  }
  return absl::OkStatus();
}

// Whether that card of it, or of no number any, has a bandwidth that may vary.
bool has_card(const HostSpec& host, std::optional<std::uint32_t> number) {
  if (!number) return has_limited_card(host);
  return *number < card_count(host) && bandwidth_of(host, *number) > 0;
}

Status add_input_files(Job& job, const Scenario& s) {
  std::vector<InputFile> files;
  for (const InputFileSpec& spec : s.input_files) {
    files.push_back(spec.file);
    if (spec.from.empty()) continue;
    auto bytes = read_file(spec.from);
    if (!bytes.ok()) return with_prefix(bytes.status(), place_text(s, spec.at));
    files.back().bytes = std::make_shared<const std::string>(*std::move(bytes));
  }
  job.inputs = InputFiles(std::move(files));
  return {};
}

// Of hosts that the cluster has. A file without any is about another cluster.
Status add_card_traces(Job& job, const Scenario& s) {
  for (const CardTraceSpec& spec : s.card_traces) {
    TARRY_ASSIGN(const HostTrace trace, read_trace(s, spec.trace, parse_host_trace));
    const std::size_t before = job.cluster.network.variations.size();
    for (const auto& [name, factors] : trace) {
      const HostId host = find_host(job.cluster, name);
      if (!host.valid()) continue;
      if (!has_card(job.cluster.hosts[host.index()], spec.nic))
        return invalid("{}trace: {} names the host '{}', which has no such network card with a bandwidth",
                       place_text(s, spec.trace.at), spec.trace.file, name);
      job.cluster.network.variations.push_back(
          {.host = host, .every = spec.every, .factor = Amount{Listed{factors}}, .nic = spec.nic});
    }
    if (job.cluster.network.variations.size() == before)
      return invalid("{}trace: {} names no host of the cluster, only such as '{}'", place_text(s, spec.trace.at),
                     spec.trace.file, trace.begin()->first);
  }
  return absl::OkStatus();
}

// A client that looks first finds no model: the chief's session is then created a little later.
void delay_chief_for_polls(Job& job, const Scenario& s) {
  if (std::ranges::none_of(s.training.workers, [](const auto& w) { return w.second.poll_first; })) return;
  for (ClientJob& c : job.clients)
    if (c.program.is_chief) {
      c.options.start_after = 2'000'000'000;
      c.lets_others_look = true;
    }
}

bool has_accumulator(const ClientJob& c) {
  return std::ranges::any_of(c.program.graph->nodes,
                             [](const NodeSpec& n) { return n.op.ends_with("ConditionalAccumulator"); });
}

bool never_stops(const Job& job, const Scenario& s) {
  return s.stop.aggregates && !s.stop.global_step && !s.stop.steps && !s.stop.time &&
         std::ranges::none_of(job.clients, has_accumulator);
}

// Tokens carry the step, so their values are needed, however many are put at once.
std::int64_t most_tokens(const Job& job) {
  int most = 0;
  for (const ClientJob& c : job.clients) {
    most = std::max(most, c.options.num_tokens.value_or(0));
    if (c.program.sync)
      most = std::max(
          {most, c.program.sync->replicas_to_aggregate, c.program.sync->total_replicas, c.program.sync->num_tokens});
  }
  return most;
}

// What each draws from, whichever of them another run is without.
void number_streams(Job& job) {
  std::uint32_t next = 0, next_of_cards = 0;
  for (Variation& v : job.costs.variations) v.stream = next++;
  for (CardVariation& v : job.cluster.network.variations) v.stream = next_of_cards++;
}

}  // namespace

StatusOr<Job> make_job(const Scenario& s, const RunOptions& options) {
  Job job = settings_of(s, options);
  TARRY_RETURN_IF_ERROR(add_measured(job, s));
  TARRY_RETURN_IF_ERROR(add_traces(job, s));
  TARRY_RETURN_IF_ERROR(add_card_traces(job, s));
  number_streams(job);
  TARRY_RETURN_IF_ERROR(add_input_files(job, s));
  TARRY_RETURN_IF_ERROR(add_clients(job, s, options));
  if (never_stops(job, s))
    return invalid("{}stop: aggregates: this job is asynchronous and takes none; expected steps, global_step or time",
                   place_text(s, s.places.stop));
  job.values_up_to = std::max(job.values_up_to, most_tokens(job));
  delay_chief_for_polls(job, s);
  return job;
}

std::string flow_engine(const Job& job) {
  return has_flows(job.cluster) ? flow_engine_name(flows_by(job.cluster)) : "";
}

}  // namespace tarry
