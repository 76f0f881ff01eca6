// Results that the runs of one job share because they do not depend on the seed, and the clients of one run because
// they have one graph.
//
// All runs of a job place the same graphs, cut and plan them alike, and make the same kernels. A campaign of many runs
// (faults, seeds) owns one KnownJob and hands it to each run (Directory::known). Code that computes such a result keeps
// it here, by the address of the immutable object that it was computed from, and finds it in the next run. A kept
// result is what a pure function would give, so that a run has the same events with and without it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace tarry {

class KnownJob {
 public:
  KnownJob() = default;
  KnownJob(const KnownJob&) = delete;
  KnownJob& operator=(const KnownJob&) = delete;

  // From here on facts may be kept about `thing`. It is held, so that no other object gets its address.
  void keep(std::shared_ptr<const void> thing) {
    const void* key = thing.get();
    things_.try_emplace(key, Thing{std::move(thing), {}});
  }

  [[nodiscard]] std::size_t size() const { return things_.size(); }  // how many things it keeps
  [[nodiscard]] bool keeps(const void* thing) const { return things_.contains(thing); }

  // The fact of type T about a kept thing, default-constructed at first; null for any other thing. Its address does not
  // change.
  template <class T>
  [[nodiscard]] T* about(const void* thing) {
    const auto found = things_.find(thing);
    if (found == things_.end()) return nullptr;
    std::vector<Fact>& facts = found->second.facts;
    const std::type_index type = typeid(T);
    const auto it = std::ranges::find(facts, type, &Fact::type);
    if (it != facts.end()) return static_cast<T*>(it->value.get());
    return static_cast<T*>(facts.emplace_back(Fact{type, std::make_shared<T>()}).value.get());
  }

  // How many events the last run kept, and the most facts (workers/audit.hpp) of any, to reserve memory.
  std::size_t events = 0, facts = 0;

 private:
  struct Fact {
    std::type_index type;
    std::shared_ptr<void> value;
  };
  struct Thing {
    std::shared_ptr<const void> held;
    std::vector<Fact> facts;
  };
  absl::flat_hash_map<const void*, Thing> things_;  // looked up, never iterated
};

}  // namespace tarry
