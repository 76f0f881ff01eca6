#include "scenarios/job/overheads.hpp"

#include <algorithm>

#include "results/evidence.hpp"
#include "results/loads.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

constexpr double kTransfersShow = 0.10, kLatencyShows = 0.10;  // of the steps' time
constexpr const char* kMessageOps[] = {"_Send", "_Recv"};

// ---- the network ----

bool transfers_show(const StepTimes& all) { return share(all.transferring, all.total) >= kTransfersShow; }
bool latency_shows(const StepTimes& all) {
  return share(all.on_the_way - all.transferring, all.total) >= kLatencyShows;
}
bool shows_always(const StepTimes&) { return true; }
bool is_for_why_alone(const StepTimes&) { return false; }

bool has_narrow_hosts(const Job& job) {
  const ClusterSpec& c = job.cluster;
  const auto shares_its_host = [&](const TaskSpec& t) {
    return std::ranges::count(c.tasks, t.host, &TaskSpec::host) > 1;
  };
  return c.network.same_host.bandwidth > 0 && std::ranges::any_of(c.tasks, shares_its_host);
}

void free_same_host(Job& job) { job.cluster.network.same_host.bandwidth = 0; }

// Besides what tasks of one host have.
bool has_limits(const Job& job) {
  Job other{.cluster = job.cluster};
  free_same_host(other);
  return has_flows(other.cluster);
}

bool has_narrow_trunks(const Job& job) {
  return std::ranges::any_of(job.cluster.network.racks, [](const RackSpec& r) { return r.trunk.bandwidth > 0; });
}

void free_trunks(Job& job) {
  for (RackSpec& r : job.cluster.network.racks) r.trunk.bandwidth = 0;
}

// The window of connections stays: it is of the transport. So does what tasks of one host have.
void free_network(Job& job) {
  const std::uint64_t window = job.cluster.network.transport.window, within = job.cluster.network.same_host.bandwidth;
  free_bandwidth(job.cluster);
  job.cluster.network.transport.window = window;
  job.cluster.network.same_host.bandwidth = within;
}

bool has_latency(const Job& job) {
  const NetworkSpec& n = job.cluster.network;
  return n.between_hosts.latency > 0 || n.same_host.latency > 0 ||
         std::ranges::any_of(n.racks, [](const RackSpec& r) { return r.trunk.latency > 0; }) ||
         std::ranges::any_of(n.platform.routes, [](const PlatformRoute& r) { return r.latency > 0; }) ||
         std::ranges::any_of(n.links, [](const LinkSpec& l) { return l.path.latency > 0; });
}

void free_latency(Job& job) {
  NetworkSpec& n = job.cluster.network;
  for (LinkSpec& l : n.links) l.path.latency = 0;
  for (RackSpec& r : n.racks) r.trunk.latency = 0;
  for (PlatformRoute& r : n.platform.routes) r.latency = 0;
  n.between_hosts.latency = n.same_host.latency = 0;
}

TransportSpec& transport_of(Job& job) { return job.cluster.network.transport; }
const TransportSpec& transport_of(const Job& job) { return job.cluster.network.transport; }

bool copies_messages(const Job& job) {
  return !transport_of(job).send.is_free() || !transport_of(job).receive.is_free();
}
bool copies_bytes(const Job& job) { return transport_of(job).send.copy > 0 || transport_of(job).receive.copy > 0; }
bool costs_each_message(const Job& job) {
  return transport_of(job).send.per_message > 0 || transport_of(job).receive.per_message > 0;
}
bool has_few_senders(const Job& job) { return transport_of(job).threads > 0 && copies_messages(job); }
bool has_windows(const Job& job) { return transport_of(job).window > 0; }
bool has_incast(const Job& job) { return !transport_of(job).incast.empty(); }
bool has_transport(const Job& job) {
  return copies_bytes(job) + costs_each_message(job) + has_few_senders(job) + has_windows(job) + has_incast(job) > 1;
}

void free_copies(Job& job) { transport_of(job).send.copy = transport_of(job).receive.copy = 0; }
void free_each(Job& job) { transport_of(job).send.per_message = transport_of(job).receive.per_message = 0; }
void free_senders(Job& job) { transport_of(job).threads = 0; }
void free_windows(Job& job) { transport_of(job).window = 0; }
void free_incast(Job& job) { transport_of(job).incast.clear(); }
void free_transport(Job& job) { transport_of(job) = {}; }

// ---- devices ----

bool prices_messages(const Job& job) {
  return std::ranges::any_of(job.costs.rules, [](const CostRule& r) {
    return std::ranges::any_of(kMessageOps, [&](const char* op) { return !r.op.empty() && matches_glob(op, r.op); });
  });
}

void free_messages(Job& job) {
  for (const char* op : kMessageOps) free_op(job, op, "CPU");
}

bool cards_vary(const Job& job) { return !job.cluster.network.variations.empty(); }

// "it does on host1 (worker 1)": where each variation is of one host.
std::string varying_cards(const Job& job, const TaskNames& tasks) {
  std::vector<std::string> who;
  for (const CardVariation& v : job.cluster.network.variations) {
    if (!v.host.valid()) return "";
    if (const std::string host = with_its_tasks(job, tasks, v.host); std::ranges::find(who, host) == who.end())
      who.push_back(host);
  }
  return "it does on " + (who.size() == 1 ? who.front() : listed(who));
}

void vary_no_card(Job& job) { job.cluster.network.variations.clear(); }

bool shares_roots(const Job& job) {
  return std::ranges::any_of(job.cluster.hosts, [](const HostSpec& h) { return h.pcie.root_bandwidth > 0; });
}

void free_roots(Job& job) {
  for (HostSpec& h : job.cluster.hosts) h.pcie = {};
}

std::string odd_root(const Job& job, const TaskNames&) {
  std::vector<Amounted> roots;
  for (std::size_t h = 0; h < job.cluster.hosts.size(); ++h)
    if (std::ranges::any_of(job.cluster.tasks,
                            [h](const TaskSpec& t) { return t.host == HostId{h} && !t.gpus.empty(); }))
      roots.push_back({job.cluster.hosts[h].name, job.cluster.hosts[h].pcie.root_bandwidth});
  return odd_in_words("each PCIe root of ", roots, bandwidth_in_words);
}

std::string odd_trunk(const Job& job, const TaskNames&) {
  std::vector<Amounted> all;
  for (const RackSpec& r : job.cluster.network.racks) all.push_back({r.name, r.trunk.bandwidth});
  return odd_in_words("the trunk of ", all, bandwidth_in_words);
}

std::string odd_threads(const Job& job, const TaskNames& tasks) {
  std::vector<Amounted> all;
  for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
    all.push_back({tasks.show(TaskId{t}), static_cast<std::uint64_t>(job.cluster.tasks[t].inter_op_threads)});
  return odd_in_words("", all, [](std::uint64_t n) {
    return n == 0 ? "as many threads as kernels" : counted(static_cast<std::int64_t>(n), "thread", "threads");
  });
}

bool has_few_threads(const Job& job) {
  return std::ranges::any_of(job.cluster.tasks, [](const TaskSpec& t) { return t.inter_op_threads > 0; });
}

void free_threads(Job& job) {
  for (TaskSpec& t : job.cluster.tasks) t.inter_op_threads = 0;
}

// ---- clients ----

bool saves(const Job& job) {
  return std::ranges::any_of(job.clients, [](const ClientJob& c) {
    return c.program.is_chief && (c.options.save_steps || c.options.save_every);
  });
}

void save_nothing(Job& job) {
  for (ClientJob& c : job.clients) c.options.save_steps = {}, c.options.save_every = {};
}

bool may_look_again(const Job& job) { return !job.start_together || !job.faults.empty(); }

void look_again_soon(Job& job) {
  for (ClientJob& c : job.clients) c.options.recovery_wait = std::min(c.options.recovery_wait, kSecond);
}

constexpr Overhead kTable[] = {
    {Cause::pcie, "they carry less than the copies of the GPUs below them need",
     "with PCIe roots of unlimited bandwidth", shares_roots, shows_always, free_roots, odd_root},
    {Cause::trunks, "all messages that leave a rack share its trunk, and so do all that come in",
     "with trunks of unlimited bandwidth", has_narrow_trunks, shows_always, free_trunks, odd_trunk},
    {Cause::network, "bandwidth", "with a network of unlimited bandwidth", has_limits, transfers_show, free_network},
    {Cause::network, "bandwidth", "with unlimited bandwidth between tasks of one host", has_narrow_hosts,
     transfers_show, free_same_host, nullptr, "host"},
    {Cause::latency, "latency", "with a network without latency", has_latency, latency_shows, free_latency},
    {Cause::messages, "sending and receiving keep the tasks' CPUs busy", "with messages that cost their tasks no time",
     prices_messages, shows_always, free_messages},
    {Cause::transport, "messages cost more than the wire", "with messages that cost nothing but the wire",
     has_transport, shows_always, free_transport, nullptr, kAllParts},
    {Cause::transport, "threads copy the bytes of messages", "with messages whose bytes are copied in no time",
     copies_bytes, shows_always, free_copies, nullptr, "copies"},
    {Cause::transport, "each message takes a thread's time, whatever its size",
     "with messages that take no thread's time but for their bytes", costs_each_message, shows_always, free_each,
     nullptr, "each"},
    {Cause::transport, "a task has few threads that serialise and copy its messages",
     "with a thread to serialise and copy each message", has_few_senders, shows_always, free_senders, nullptr,
     "threads"},
    {Cause::transport, "a connection passes no more than its window in a round trip",
     "with connections without windows", has_windows, shows_always, free_windows, nullptr, "windows"},
    {Cause::transport, "cards take in less of many senders",
     "with cards that take in as much of many senders as of one", has_incast, shows_always, free_incast, nullptr,
     "incast"},
    {Cause::threads, "kernels wait for a thread of a CPU that is busy with others", "with a thread for each kernel",
     has_few_threads, shows_always, free_threads, odd_threads},
    {Cause::checkpoints, "the chief saves checkpoints", "without checkpoints", saves, shows_always, save_nothing},
    {Cause::card_variations, "the bandwidth of network cards varies", "with network cards of their usual bandwidth",
     cards_vary, transfers_show, vary_no_card, varying_cards},
    {Cause::polls, "a client that finds no model ready, or has lost its session, waits before it looks again",
     "with clients that look again after a second", may_look_again, is_for_why_alone, look_again_soon},
};

}  // namespace

std::span<const Overhead> overheads() { return kTable; }

void free_op(Job& job, const std::string& op, const std::string& device_type) {
  job.costs.rules.insert(job.costs.rules.begin(),
                         CostRule{.op = op, .device_type = device_type, .amount = Constant{0}});
}

}  // namespace tarry
