// What the runs of one job share because it does not depend on their seed.
//
// Runs of a job repeat each other: all of them place the same graphs, cut and plan them alike, and make the same
// kernels. A campaign of many runs (faults, seeds) owns one of these and hands it to each (Directory::known). Who makes
// such a thing keeps it here, beside the immutable thing that it follows from, and finds it in the next run. What is
// kept answers as a pure function would: the events are those of a run that has nothing.
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

  // From now on something may be known about `thing`. It is held: no other thing takes its address.
  void keep(std::shared_ptr<const void> thing) {
    const void* key = thing.get();
    things_.try_emplace(key, Thing{std::move(thing), {}});
  }

  [[nodiscard]] bool keeps(const void* thing) const { return things_.contains(thing); }

  // The T that is known about a kept thing, empty at first; null about any other thing. Stays where it is.
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

  std::size_t events = 0;  // that the last run logged: room for as many

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
