#include "sim/pcie.hpp"

#include <algorithm>
#include <cmath>

namespace tarry {
namespace {

constexpr double kLatest = 9e18;  // nanoseconds; what takes longer takes that long

}  // namespace

std::uint32_t PcieRoots::add_root(std::uint64_t bandwidth) {
  roots_.push_back({.bandwidth = static_cast<double>(bandwidth), .engines = {}});
  return static_cast<std::uint32_t>(roots_.size() - 1);
}

void PcieRoots::add_engine(DeviceId engine, std::uint32_t root, std::uint64_t bandwidth) {
  copies_.resize(engine.index() + 1);
  copies_.back() = {.root = root, .bandwidth = static_cast<double>(bandwidth)};
  std::vector<DeviceId>& engines = roots_[root].engines;
  engines.push_back(engine);
  std::ranges::stable_sort(engines, {}, [this](DeviceId e) { return copies_[e.index()].bandwidth; });
}

void PcieRoots::begin(DeviceId engine, Nanos alone, std::uint32_t copy, Wait wait) {
  Copy& c = copies_[engine.index()];
  const double fastest = std::min(1.0, roots_[c.root].bandwidth / c.bandwidth);
  wait.second_until = heap_.now() + std::llround(std::min(static_cast<double>(alone) / fastest, kLatest / 2));
  c.copy = copy;
  c.wait = wait;
  c.left = static_cast<double>(alone);
  set(engine, State::under_way);
}

void PcieRoots::pause(DeviceId engine) {
  if (copies_[engine.index()].state == State::under_way) set(engine, State::paused);
}

void PcieRoots::go_on(DeviceId engine) {
  if (copies_[engine.index()].state == State::paused) set(engine, State::under_way);
}

std::optional<std::uint32_t> PcieRoots::drop(DeviceId engine) {
  if (copies_[engine.index()].state == State::none) return std::nullopt;
  set(engine, State::none);
  return copies_[engine.index()].copy;
}

void PcieRoots::set(DeviceId engine, State state) {
  Copy& c = copies_[engine.index()];
  if (state != State::under_way) set_rate(engine, 0);
  c.state = state;
  share(roots_[c.root]);
}

// The slowest engines are asked first: what they cannot use is there for the others.
void PcieRoots::share(const Root& root) {
  const auto is_under_way = [this](DeviceId e) { return copies_[e.index()].state == State::under_way; };
  double bandwidth = root.bandwidth;
  auto others = std::ranges::count_if(root.engines, is_under_way);
  for (const DeviceId e : root.engines) {
    if (!is_under_way(e)) continue;
    const double own = copies_[e.index()].bandwidth, used = std::min(own, bandwidth / static_cast<double>(others--));
    bandwidth -= used;
    set_rate(e, used / own);
  }
}

void PcieRoots::set_rate(DeviceId engine, double rate) {
  Copy& c = copies_[engine.index()];
  if (c.rate == rate) return;
  c.left = std::max(0.0, c.left - static_cast<double>(heap_.now() - c.since) * c.rate);
  c.since = heap_.now();
  c.rate = rate;
  heap_.cancel(c.end);
  if (rate == 0) return;
  const Nanos due = std::llround(std::min(c.left / rate, kLatest - static_cast<double>(heap_.now())));
  c.end = heap_.after(
      due, [this, engine] { finish(engine); }, {}, {Strand::Kind::device, engine.index()}, c.wait);
}

void PcieRoots::finish(DeviceId engine) {
  const std::uint32_t copy = copies_[engine.index()].copy;
  set(engine, State::none);
  ended_(copy);
}

}  // namespace tarry
