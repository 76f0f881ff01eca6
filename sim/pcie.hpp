// Copies between the memories of GPUs and of their host, where they share a PCIe root.
//
// A root carries its bandwidth in each direction. The copies that cross it in one direction share that fairly
// (max-min), and none is faster than the copy engine that makes it. A copy engine makes one copy at a time. What makes
// a copy slower or faster than usual is about its engine, not about what crosses the root: together the copies never
// have more than the root carries.
//
// Each copy's end is rounded to the nearest nanosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/heap.hpp"

namespace tarry {

class PcieRoots {
 public:
  // `ended` is told the caller's own number of each copy, at its end. REQUIRES: the heap outlives it.
  PcieRoots(EventHeap& heap, std::function<void(std::uint32_t)> ended) : heap_(heap), ended_(std::move(ended)) {}
  PcieRoots(const PcieRoots&) = delete;
  PcieRoots& operator=(const PcieRoots&) = delete;

  // One direction of one root. REQUIRES: bandwidth > 0.
  std::uint32_t add_root(std::uint64_t bandwidth);
  // A copy engine below it. REQUIRES: the ids of engines ascend; 0 < bandwidth <= that of the root.
  void add_engine(DeviceId engine, std::uint32_t root, std::uint64_t bandwidth);
  // It was added.
  [[nodiscard]] bool has(DeviceId engine) const {
    return engine.index() < copies_.size() && copies_[engine.index()].root != kNone;
  }

  // All of these REQUIRE has(engine).
  // How long its engine takes for a copy, >= 0: now, and usually.
  struct Alone {
    Nanos now = 0, usual = 0;
  };
  // Begins a copy, and gives how long it takes alone on its root. REQUIRES: the engine has none. `wait`: why it ends
  // when it ends; its second part becomes the time that the copy takes alone.
  Nanos begin(DeviceId engine, const Alone& alone, std::uint32_t copy, const Wait& wait);
  // The copy of the engine stops, if there is one, and takes nothing of the root; or it goes on with what is left.
  void pause(DeviceId engine);
  void go_on(DeviceId engine);
  // Takes the engine's copy away, if there is one: nobody is told of its end.
  [[nodiscard]] std::optional<std::uint32_t> drop(DeviceId engine);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class State : std::uint8_t { none, under_way, paused };
  struct Copy {  // of an engine
    std::uint32_t root = kNone;
    double usual = 0, bandwidth = 0;  // of the engine: usually, and for the copy that it makes
    State state = State::none;
    std::uint32_t copy = 0;
    Wait wait;
    double left = 0, rate = 0;  // nanoseconds with the whole bandwidth, and how many of them pass in one
    Nanos since = 0;            // when `left` was so much
    TimerId end;
  };
  struct Root {
    double bandwidth = 0;
    std::vector<DeviceId> engines;
  };

  [[nodiscard]] Nanos end_alone(const Copy& copy) const;
  void set(DeviceId engine, State state);
  void share(const Root& root);
  void set_rate(DeviceId engine, double rate);
  void finish(DeviceId engine);

  EventHeap& heap_;
  std::function<void(std::uint32_t)> ended_;
  std::vector<Copy> copies_;  // by engine
  std::vector<Root> roots_;
  std::vector<DeviceId> sharing_;  // memory for share()
};

}  // namespace tarry
