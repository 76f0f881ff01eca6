#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/event_names.hpp"
#include "results/evidence.hpp"
#include "results/loads.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/fed_rows.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "sim/cards.hpp"
#include "workers/train/build/device_setter.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

constexpr double kUneven = 1.2, kLessEven = 1.05;  // the busiest parameter server beside the mean

class ImbalanceCandidates {
 public:
  ImbalanceCandidates(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome)
      : out_(out),
        job_(job),
        log_(outcome.log),
        loads_(read_loads(outcome.log)),
        are_copied_(meet_at_variables(outcome.log)) {
    for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
      if (outcome.tasks.is_ps(TaskId{t})) servers_.push_back(TaskId{t});
  }

  void add_all() {
    double all = 0, most = 0;
    for (const TaskId t : servers_) all += sent(t), most = std::max(most, sent(t));
    const double busiest = most * static_cast<double>(servers_.size());  // `all` where it sends an even share
    if (servers_.size() < 2 || busiest < kLessEven * all) return;
    if (!are_copied_) add_spread();
    if (busiest >= kUneven * all && has_flows(job_.cluster) &&
        std::ranges::all_of(servers_, [this](TaskId t) { return is_alone(t); }))
      add_even(all / static_cast<double>(servers_.size()));
  }

 private:
  [[nodiscard]] HostId host(TaskId t) const { return job_.cluster.tasks[t.index()].host; }

  [[nodiscard]] double sent(TaskId t) const {
    const auto it = loads_.tasks.find(t);
    return it == loads_.tasks.end() ? 0 : static_cast<double>(it->second.bytes);
  }

  [[nodiscard]] std::size_t first_with(const std::shared_ptr<const GraphSpec>& graph) const {
    const auto has_it = [&](const ClientJob& c) { return c.program.graph == graph; };
    return static_cast<std::size_t>(std::ranges::find_if(job_.clients, has_it) - job_.clients.begin());
  }

  // The variables go to the parameter server with the fewest bytes so far, in place of where they are. Clients that
  // have one graph still do.
  void add_spread() {
    Job spread = job_;
    for (std::size_t i = 0; i < spread.clients.size(); ++i) {
      ClientProgram& program = spread.clients[i].program;
      const std::size_t first = first_with(program.graph);
      if (first < i)
        program.graph = spread.clients[first].program.graph;
      else if (!set_ps(program, static_cast<int>(servers_.size()), PsStrategy::greedy).ok())
        return;
    }
    out_.push_back({{.cause = Cause::imbalance,
                     .what = "unequal bytes",
                     .instead = "with the variables spread by bytes over the parameter servers"},
                    std::move(spread)});
  }

  // "embedding, weights": the variables in several parts whose rows are most of what the busiest server sends; "" where
  // they are not.
  [[nodiscard]] std::string tables_in_parts() const {
    const TaskId busiest = *std::ranges::max_element(servers_, {}, [this](TaskId t) { return sent(t); });
    std::map<std::string_view, double> bytes;  // by tensor
    for (const LoggedEvent& e : log_.events())
      if (const auto* m = std::get_if<MessageDelivered>(&e.event);
          m != nullptr && m->from == busiest && m->to != busiest && e.at >= log_.started_at)
        bytes[tensor_of(log_.name(m->key))] += static_cast<double>(m->bytes);
    std::set<std::string> tables;
    double of_rows = 0;
    for (const auto& [tensor, sum] : bytes) {
      const std::string table = sum < kWorthTelling * sent(busiest) ? "" : table_of(tensor);
      if (!table.empty()) tables.insert(table), of_rows += sum;
    }
    return 2 * of_rows > sent(busiest) ? join(std::vector(tables.begin(), tables.end()), ", ") : "";
  }
  // Of "edge_7_lookup/GatherV2".
  [[nodiscard]] std::string table_of(std::string_view tensor) const {
    constexpr std::string_view kEdge = "edge_";
    if (!tensor.starts_with(kEdge) || job_.clients.empty() || job_.clients.front().program.graph == nullptr) return "";
    tensor.remove_prefix(kEdge.size());
    tensor.remove_prefix(std::min(tensor.size(), tensor.find('_') + 1));
    return table_in_parts(*job_.clients.front().program.graph, tensor);
  }

  [[nodiscard]] bool is_alone(TaskId task) const {
    return std::ranges::count(job_.cluster.tasks, host(task), &TaskSpec::host) == 1;
  }

  // A variable may be split, too: what a server sends takes as long as an even share of the bytes would.
  void add_even(double share) {
    WhatIf& even = out_.emplace_back(WhatIf{{.cause = Cause::imbalance,
                                             .what = "unequal bytes",
                                             .instead = "with the bytes split evenly over the parameter servers"},
                                            job_});
    if (even.proof.a = tables_in_parts(); !even.proof.a.empty()) even.proof.b = "rows";
    ClusterSpec& cluster = even.job.cluster;
    for (const TaskId t : servers_) {
      const double factor = std::max(1.0, sent(t) / share);
      const auto scaled = [&](std::uint64_t bandwidth) {
        return static_cast<std::uint64_t>(std::llround(static_cast<double>(bandwidth) * factor));
      };
      HostSpec& spec = cluster.hosts[host(t).index()];
      for (std::uint32_t n = 0; n < card_count(spec); ++n) bandwidth_of(spec, n) = scaled(bandwidth_of(spec, n));
      if (spec.rack.valid() && std::ranges::count(cluster.hosts, spec.rack, &HostSpec::rack) == 1) {
        PathSpec& trunk = cluster.network.racks[spec.rack.index()].trunk;
        trunk.bandwidth = scaled(trunk.bandwidth);
      }
      for (std::size_t h = 0; h < cluster.hosts.size(); ++h) {
        PathSpec path = link_between(cluster.network, HostId{h}, host(t));
        path.bandwidth = scaled(path.bandwidth);
        if (HostId{h} != host(t)) set_link(cluster.network, HostId{h}, host(t), path);
      }
    }
  }

  std::vector<WhatIf>& out_;
  const Job& job_;
  const EventLog& log_;
  const Loads loads_;
  const bool are_copied_;  // the variables are, to each worker, which depends on where they are
  std::vector<TaskId> servers_;
};

}  // namespace

void add_imbalance_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  ImbalanceCandidates(out, job, outcome).add_all();
}

}  // namespace tarry
