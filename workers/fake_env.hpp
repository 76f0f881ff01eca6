// A tiny world for tests of worker code: latencies by a function, costs by node name, any number of kernels at a time
// on a device.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "placer/graph/graph.hpp"
#include "workers/env.hpp"

namespace tarry {

class FakeEnv : public Env {
 public:
  explicit FakeEnv(std::uint64_t seed = 1) : random_(seed) {}

  std::function<Nanos(TaskId, TaskId)> latency = [](TaskId, TaskId) { return Nanos{0}; };
  std::map<std::string, Nanos, std::less<>> cost_by_node;
  std::vector<std::pair<Nanos, Event>> events;
  bool keep_events = true;
  bool by_work = false;  // kernels with a cost are told their work, which `works` keeps
  std::vector<Work> works;

  Nanos now() const override { return now_; }
  KernelCost cost_of(const KernelSite& site) override {
    const auto it = cost_by_node.find(site.node);
    if (it == cost_by_node.end()) return {};
    costs_.push_back(it->second);
    return {CostId{costs_.size() - 1}, CostSource::scenario, by_work, by_work && site.op == "_Recv"};
  }
  void run_kernel(CostId cost, const Work& work, StepId, Continuation done) override {
    if (by_work) works.push_back(work);
    after(costs_[cost.index()], [done] { done(); });
  }
  void send(TaskId from, TaskId to, const MessageLabel& label, std::uint64_t bytes, StatusCallback&& done) override {
    const Nanos sent = now_;
    after(latency(from, to), [this, from, to, label, bytes, sent, done = std::move(done)]() mutable {
      note(MessageDelivered{from, to, label.kind, bytes, sent, label.key, label.step});
      std::move(done)(Status());
    });
  }
  TimerId after(Nanos delay, Callback&& done) override {
    queue_.emplace(std::pair{now_ + delay, ++sequence_}, std::move(done));
    return TimerId{sequence_};
  }
  void cancel(TimerId timer) override {
    for (auto it = queue_.begin(); it != queue_.end(); ++it)
      if (it->first.second == timer.value) return void(queue_.erase(it));
  }
  Random& random() override { return random_; }
  NameId name(std::string_view text) override { return names_.intern(text); }
  void note(const Event& event) override {
    if (keep_events) events.emplace_back(now_, event);
    if (on_event) on_event(event);
  }

  // Runs until nothing is left, or `stop` gives true after an event.
  void run(const std::function<bool()>& stop = [] { return false; }) {
    while (!queue_.empty() && !stop()) {
      auto first = queue_.extract(queue_.begin());
      now_ = first.key().first;
      std::move(first.mapped())();
    }
  }
  [[nodiscard]] bool is_idle() const { return queue_.empty(); }
  [[nodiscard]] std::string_view text(NameId id) const override { return names_[id]; }
  [[nodiscard]] const NameTable& names() const { return names_; }
  std::function<void(const Event&)> on_event;

 private:
  Nanos now_ = 0;
  std::uint64_t sequence_ = 0;
  Random random_;
  NameTable names_;
  std::vector<Nanos> costs_;
  std::map<std::pair<Nanos, std::uint64_t>, Callback> queue_;
};

}  // namespace tarry
