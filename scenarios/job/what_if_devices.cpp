#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

constexpr double kShows = 0.10, kShowsInWhy = 0.01;  // of the training
// Kernels that other causes are about: messages and checkpoints.
constexpr const char* kOthers[] = {"_Send", "_Recv", "SaveV2", "RestoreV2"};

class DeviceCandidates {
 public:
  DeviceCandidates(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope, Nanos trained)
      : out_(out), job_(job), outcome_(outcome), scope_(scope), trained_(trained) {
    std::map<std::string_view, Nanos> copies;  // by GPU, of its engines together
    for (const DeviceUse& d : outcome.stats.devices) {
      if (const std::size_t engine = d.name.find("memcpy"); engine != d.name.npos)
        copies[std::string_view(d.name).substr(0, engine)] += d.busy - d.busy_before - d.shared;
      else if (outcome.tasks.is_ps(d.task))
        servers_[d.task] += d.busy - d.busy_before;
    }
    for (const auto& [gpu, busy] : copies) longest_copies_ = std::max(longest_copies_, busy);
    leave_out_checkpoints();
  }

  void add_all() {
    add_interference();
    add_servers();
    add_copies();
  }

 private:
  // Another cause is about them.
  void leave_out_checkpoints() {
    std::set<std::string_view> nodes;
    for (const ClientJob& c : job_.clients)
      if (c.program.graph != nullptr)
        for (const NodeSpec& n : c.program.graph->nodes)
          if (n.op == "SaveV2" || n.op == "RestoreV2") nodes.insert(n.name);
    for (const NodeUse& n : outcome_.stats.nodes)
      if (const auto server = servers_.find(n.task);
          server != servers_.end() && nodes.contains(outcome_.log.name(n.node)))
        server->second = std::max<Nanos>(0, server->second - (n.time - n.time_before)), has_checkpoints_ = true;
  }

  [[nodiscard]] bool shows(Nanos busy) const {
    const double share = scope_ == Scope::all ? kShowsInWhy : kShows;
    return busy > 0 && static_cast<double>(busy) >= share * static_cast<double>(trained_);
  }

  void add_interference() {
    std::vector<Interference> known;
    for (const Interference& i : job_.costs.interference) {
      const auto is_same = [&](const Interference& o) { return o.task == i.task && o.host == i.host; };
      if (std::ranges::any_of(known, is_same)) continue;
      known.push_back(i);
      const std::string host = i.task.valid() ? "" : job_.cluster.hosts[i.host.index()].name,
                        who = i.task.valid() ? outcome_.tasks.show(i.task) : with_its_tasks(job_, outcome_, i.host);
      WhatIf w{{.cause = Cause::interference,
                .task = i.task,
                .a = host,
                .what = fmt::format("again and again the kernels on {} take {} % of their usual time", who, i.percent),
                .instead = fmt::format("without what interferes with {}", who)},
               job_};
      std::erase_if(w.job.costs.interference, is_same);
      out_.push_back(std::move(w));
    }
  }

  // But those of kOthers, which keep what their rules say.
  static void free_kernels(Job& job, const std::string& task) {
    std::vector<CostRule> first;
    for (const char* op : kOthers)
      for (CostRule rule : job.costs.rules)
        if (rule.op.empty() || matches_glob(op, rule.op)) rule.op = op, first.push_back(std::move(rule));
    first.push_back({.task = task, .amount = Constant{0}});
    job.costs.rules.insert(job.costs.rules.begin(), first.begin(), first.end());
  }

  // ", those of ps 1 to 4.100 s".
  [[nodiscard]] std::string added_up(TaskId task, Nanos busy, bool is_first) const {
    if (!is_first) return fmt::format(", those of {} to {:.3f} s", outcome_.tasks.show(task), in_seconds(busy));
    return fmt::format("the kernels of {}{} add up to {:.3f} s", outcome_.tasks.show(task),
                       has_checkpoints_ ? ", without those of checkpoints," : "", in_seconds(busy));
  }
  // "in 9.300 s of training".
  [[nodiscard]] std::string of_training() const {
    const bool side_by_side = std::ranges::any_of(servers_, [this](const auto& s) { return s.second > trained_; });
    return fmt::format("{}in {:.3f} s of training", side_by_side ? "many of them side by side, " : "",
                       in_seconds(trained_));
  }

  void add_servers() {
    Job none = job_;
    std::string all;
    int busy_ones = 0;
    for (const auto& [task, busy] : servers_) {
      if (!shows(busy)) continue;
      WhatIf w{{.cause = Cause::server_kernels,
                .task = task,
                .what = compared(task),
                .instead = fmt::format("with kernels on {} that take no time", outcome_.tasks.show(task))},
               job_};
      free_kernels(w.job, job_.cluster.tasks[task.index()].name);
      free_kernels(none, job_.cluster.tasks[task.index()].name);
      out_.push_back(std::move(w));
      all += added_up(task, busy, busy_ones++ == 0);
    }
    if (busy_ones > 1)
      out_.push_back({{.cause = Cause::server_kernels,
                       .what = all + ", " + of_training(),
                       .instead = "with kernels on the parameter servers that take no time",
                       .together = true},
                      std::move(none)});
  }

  // "the kernels of ps 1 add up to 4.100 s, those of each other parameter server to 0.200 s at the most, in ... s of
  // training".
  [[nodiscard]] std::string compared(TaskId task) const {
    Nanos others = 0;
    for (const auto& [other, busy] : servers_)
      if (other != task) others = std::max(others, busy);
    const std::string own = added_up(task, servers_.at(task), true);
    // One that others wait for need not be the one that is busy longest.
    if (others == 0 || others > servers_.at(task)) return fmt::format("{}, {}", own, of_training());
    return fmt::format("{}, those of each other parameter server to {:.3f} s at the most, {}", own, in_seconds(others),
                       of_training());
  }

  // "; the copy engines of worker 1 have ...", of the task that has least.
  [[nodiscard]] std::string odd_engine() const {
    std::vector<Amounted> engines;
    for (std::size_t t = 0; t < job_.cluster.tasks.size(); ++t)
      if (!job_.cluster.tasks[t].gpus.empty())
        engines.push_back({outcome_.tasks.show(TaskId{t}), job_.cluster.tasks[t].gpus[0].copy_bandwidth});
    const std::string odd = odd_in_words("each copy engine of ", engines, bandwidth_in_words);
    return odd.empty() ? "" : "; " + odd;
  }
  // PCIe roots stay: what they cost is told of them.
  void add_copies() {
    if (!shows(longest_copies_)) return;
    WhatIf w{{.cause = Cause::copies,
              .what = "the copy engines of GPUs carry less than their kernels and messages need" + odd_engine(),
              .instead = "with copy engines of unlimited bandwidth"},
             job_};
    for (TaskSpec& t : w.job.cluster.tasks)
      for (GpuSpec& g : t.gpus) g.copy_bandwidth = 0;
    out_.push_back(w);
    if (std::ranges::none_of(job_.cluster.hosts, [](const HostSpec& h) { return h.pcie.root_bandwidth > 0; })) return;
    for (HostSpec& h : w.job.cluster.hosts) h.pcie = {};
    w.proof.what = "the copy engines of GPUs and the PCIe roots above them carry less than kernels and messages need";
    w.proof.instead = "with copies between GPUs and their hosts that take no time";
    w.proof.together = true;
    out_.push_back(std::move(w));
  }

  std::vector<WhatIf>& out_;
  const Job& job_;
  const Outcome& outcome_;
  const Scope scope_;
  const Nanos trained_;
  Nanos longest_copies_ = 0;         // of one GPU, without what others took of its root
  std::map<TaskId, Nanos> servers_;  // how long their kernels ran, but for those of checkpoints
  bool has_checkpoints_ = false;     // there were some
};

}  // namespace

void add_device_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope, Nanos trained) {
  DeviceCandidates(out, job, outcome, scope, trained).add_all();
}

}  // namespace tarry
