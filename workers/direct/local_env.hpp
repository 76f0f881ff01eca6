// The world of a direct session: one process, no network, time that passes only while everybody waits.
//
// Kernels take no time, or all take the same time, one after the other on their device. Events are passed to `on_event`
// only.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "placer/graph/graph.hpp"
#include "workers/env.hpp"

namespace tarry {

class LocalEnv : public Env {
 public:
  explicit LocalEnv(std::uint64_t seed = 1, Nanos kernel_time = 0) : random_(seed), kernel_time_(kernel_time) {}

  std::function<void(const Event&)> on_event;

  [[nodiscard]] Nanos now() const override { return now_; }
  KernelCost cost_of(const KernelSite& site) override {
    if (kernel_time_ == 0) return {};
    sites_.push_back({site.task, name(site.device), name(site.node), name(site.op)});
    return {CostId{sites_.size() - 1}, CostSource::otherwise};
  }
  void run_kernel(CostId cost, const Work&, StepId step, Continuation done) override {
    const Site site = sites_[cost.index()];
    Nanos& free_at = device_free_at_[site.device];
    const Nanos began = std::max(now_, free_at);
    free_at = began + kernel_time_;
    after(free_at - now_, [this, site, step, began, done] {
      note(KernelRan{site.task, site.device, site.node, site.op, step, began});
      done();
    });
  }
  void send(TaskId, TaskId, const MessageLabel&, std::uint64_t, StatusCallback&& done) override {
    after(0, [done = std::move(done)]() mutable { std::move(done)(Status()); });
  }
  TimerId after(Nanos delay, Callback&& done) override {
    due_.emplace(std::pair{now_ + delay, ++sequence_}, std::move(done));
    return TimerId{sequence_};
  }
  void cancel(TimerId timer) override {
    std::erase_if(due_, [timer](const auto& entry) { return entry.first.second == timer.value; });
  }
  Random& random() override { return random_; }
  NameId name(std::string_view text) override { return names_.intern(text); }
  [[nodiscard]] std::string_view text(NameId name) const override { return names_[name]; }
  void note(const Event& event) override {
    if (on_event) on_event(event);
  }

  // Runs what is due until `finished()`, or until nothing is left.
  void run_until(const std::function<bool()>& finished) {
    while (!finished() && !due_.empty()) {
      auto first = due_.extract(due_.begin());
      now_ = first.key().first;
      std::move(first.mapped())();
    }
  }

  [[nodiscard]] std::vector<std::string> names() const {  // by NameId
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < names_.size(); ++i) texts.emplace_back(names_[NameId{i}]);
    return texts;
  }

 private:
  struct Site {
    TaskId task;
    NameId device, node, op;
  };

  Nanos now_ = 0;
  std::uint64_t sequence_ = 0;
  Random random_;
  Nanos kernel_time_;
  std::vector<Site> sites_;
  std::map<NameId, Nanos> device_free_at_;
  NameTable names_;
  std::map<std::pair<Nanos, std::uint64_t>, Callback> due_;
};

}  // namespace tarry
