#include "sim/pcie.hpp"

#include <algorithm>
#include <cmath>

namespace tarry {
namespace {

constexpr double kLatestCopy = 9e18;  // nanoseconds; what takes longer takes that long

}  // namespace

std::uint32_t PcieRoots::add_root(std::uint64_t bandwidth) {
  roots_.push_back({.bandwidth = static_cast<double>(bandwidth), .engines = {}});
  return static_cast<std::uint32_t>(roots_.size() - 1);
}

void PcieRoots::add_engine(DeviceId engine, std::uint32_t root, std::uint64_t bandwidth) {
  copies_.resize(engine.index() + 1);
  copies_.back() = {.root = root, .usual = static_cast<double>(bandwidth)};
  roots_[root].engines.push_back(engine);
}

// The work is that of a copy with the usual bandwidth.
Nanos PcieRoots::begin(DeviceId engine, const Alone& alone, std::uint32_t copy, const Wait& wait) {
  Copy& c = copies_[engine.index()];
  const double pace = static_cast<double>(alone.usual) / static_cast<double>(std::max<Nanos>(1, alone.now));
  c.bandwidth = std::min(roots_[c.root].bandwidth, c.usual * (alone.now == alone.usual ? 1 : pace));
  c.left = static_cast<double>(alone.usual) * c.usual / c.bandwidth;
  c.copy = copy;
  c.wait = wait;
  c.wait.second_until = end_alone(c);
  const Nanos takes = c.wait.second_until - heap_.now();
  set(engine, State::under_way);
  return takes;
}

Nanos PcieRoots::end_alone(const Copy& copy) const {
  return heap_.now() + std::llround(std::min(copy.left, kLatestCopy - static_cast<double>(heap_.now())));
}

void PcieRoots::pause(DeviceId engine) {
  if (copies_[engine.index()].state == State::under_way) set(engine, State::paused);
}

void PcieRoots::go_on(DeviceId engine) {
  Copy& c = copies_[engine.index()];
  if (c.state != State::paused) return;
  c.wait = {.kind = WaitKind::kernel, .cause = heap_.present(), .first_until = heap_.now()};
  c.wait.second_until = end_alone(c);
  set(engine, State::under_way);
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
  const auto bandwidth_of = [this](DeviceId e) { return copies_[e.index()].bandwidth; };
  sharing_.clear();
  for (const DeviceId e : root.engines)
    if (copies_[e.index()].state == State::under_way) sharing_.push_back(e);
  std::ranges::sort(sharing_, {}, [&](DeviceId e) { return std::pair(bandwidth_of(e), e.index()); });
  double bandwidth = root.bandwidth;
  std::size_t others = sharing_.size();
  for (const DeviceId e : sharing_) {
    const double own = bandwidth_of(e), used = std::min(own, bandwidth / static_cast<double>(others--));
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
  if (c.end.valid()) heap_.cancel(std::exchange(c.end, TimerId::none()));
  if (rate == 0) return;
  const Nanos due = std::llround(std::min(c.left / rate, kLatestCopy - static_cast<double>(heap_.now())));
  c.end = heap_.after(
      due, [this, engine] { finish(engine); }, {}, {Strand::Kind::device, engine.index()}, c.wait);
}

void PcieRoots::finish(DeviceId engine) {
  copies_[engine.index()].end = TimerId::none();
  const std::uint32_t copy = copies_[engine.index()].copy;
  set(engine, State::none);
  ended_(copy);
}

}  // namespace tarry
