// Strong ids: an index into one kind of flat array, which cannot be passed where another kind is meant.
//
// An id says nothing by itself: the owner of the array (a graph, a device set, a cluster) gives it meaning. Ids are
// dense, start at 0 and print as plain numbers. `none` is the id of nothing; indexing with it is a bug.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <vector>

namespace tarry {

template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}

  static constexpr Id none() { return Id{}; }
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
  friend std::ostream& operator<<(std::ostream& out, Id id) { return out << id.value; }
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value);
  }
};

using NodeId = Id<struct NodeTag>;
using EdgeId = Id<struct EdgeTag>;
using DeviceId = Id<struct DeviceTag>;
using TaskId = Id<struct TaskTag>;
using HostId = Id<struct HostTag>;
using RackId = Id<struct RackTag>;
using WorkerId = Id<struct WorkerTag>;
using NameId = Id<struct NameTag>;

// A training step or an accumulator's step: a count that moves forward, not an index.
struct StepCount {
  std::int64_t value = 0;
  friend constexpr auto operator<=>(StepCount, StepCount) = default;
  [[nodiscard]] constexpr StepCount next() const { return {value + 1}; }
};

// One run of one signature of one master session; a random 57-bit label (docs/rules/runtime.md#E.2), never an order.
struct StepId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(StepId, StepId) = default;
  template <typename H>
  friend H AbslHashValue(H h, StepId id) {
    return H::combine(std::move(h), id.value);
  }
};

// An array indexed by one kind of id.
template <class Key, class Value>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t n, Value v = Value{}) : items_(n, v) {}
  decltype(auto) operator[](Key k) { return items_[k.index()]; }
  decltype(auto) operator[](Key k) const { return items_[k.index()]; }
  Key push_back(Value v) {
    items_.push_back(std::move(v));
    return Key{items_.size() - 1};
  }
  void assign(std::size_t n, Value v) { items_.assign(n, v); }
  void resize(std::size_t n) { items_.resize(n); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  std::vector<Value> items_;
};

}  // namespace tarry

template <class Tag>
struct std::hash<tarry::Id<Tag>> {
  std::size_t operator()(tarry::Id<Tag> id) const noexcept { return id.value; }
};
