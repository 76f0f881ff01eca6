// Objects that outlive a step: the variables, queues and accumulators of one device (docs/rules/runtime.md#C.9.5).
//
// They are found by container and shared name (or node name), so that all workers' graphs that use a name on a
// parameter server share one object. They survive sessions and end with the process or with CleanupAll of their
// container.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "workers/state/accumulator.hpp"
#include "workers/state/fifo_queue.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

enum class ResourceKind : std::uint8_t {
  none,
  variable,
  queue,
  accumulator,
  barrier,
  stack,
  tensor_array,
  staging_area,
  lookup_table,
  reader
};

class ResourceManager;

class Resource {
 public:
  explicit Resource(ResourceKind kind) : kind_(kind) {}
  virtual ~Resource() = default;
  [[nodiscard]] ResourceKind kind() const { return kind_; }
  [[nodiscard]] virtual TensorBody* content() const { return nullptr; }  // a variable's value, if it has one

  // Called when its container was cleared: ops that still have its handle fail with lost().
  void lose(const ResourceManager& from, std::string container, std::string name) {
    place_ = {&from, std::move(container), std::move(name)};
  }
  [[nodiscard]] bool is_lost() const { return place_.from != nullptr; }
  // NOT_FOUND `Container C does not exist. (Could not find resource: C/N)`, or `Resource C/N/TYPE does not exist.` when
  // its container holds something again.
  [[nodiscard]] Status lost() const;
  [[nodiscard]] Status lost_as(std::string_view type) const;  // the same for an op that asks for another type

 private:
  ResourceKind kind_;
  struct Place {
    const ResourceManager* from = nullptr;
    std::string container, name;
  };
  Place place_;  // set when it was lost
};
struct Variable : Resource {
  Variable() : Resource(ResourceKind::variable) {}
  NameId name;       // in the run's name table
  std::string text;  // the same, for errors
  std::string container;
  Shape declared = Shape::unknown();  // of a reference variable: what an assignment must have while there is no value
  TensorRef value;                    // null = not initialised
  TensorRef fresh =
      nullptr;  // the value before the first assignment: set for a reference variable without elements (seen in 2.15.1)
  [[nodiscard]] TensorBody* content() const override { return const_cast<TensorBody*>(value.get()); }
};
struct QueueResource : Resource {
  explicit QueueResource(FifoQueue q) : Resource(ResourceKind::queue), queue(std::move(q)) {}
  FifoQueue queue;
  DataTypes types;            // of the components
  std::vector<Shape> shapes;  // empty = any
  bool pads = false;          // elements of different shapes are padded when they are batched
};
struct AccumulatorResource : Resource {
  explicit AccumulatorResource(Accumulator a) : Resource(ResourceKind::accumulator), accumulator(std::move(a)) {}
  Accumulator accumulator;
};

class ResourceManager {
 public:
  // The object of this name, made by `make` when there is none. Fails: INVALID_ARGUMENT when the name belongs to an
  // object of another kind.
  template <class T, class Make>
  StatusOr<T*> find_or_make(std::string_view container, std::string_view name, Make make) {
    auto& slot = objects_[{container.empty() ? default_container : std::string(container), std::string(name)}];
    if (!slot) slot = make();
    if (auto* object = dynamic_cast<T*>(slot.get())) return object;
    return invalid("Trying to access resource '{}' of another kind in container '{}'", name,
                   container.empty() ? default_container : container);
  }
  // Whether the container holds anything. A resource variable is in it only once it has a value.
  [[nodiscard]] bool has_container(std::string_view container) const;
  // DestroyResourceOp: the object is marked as lost, a variable loses its value. Its container stays.
  // Fails: NOT_FOUND `Resource C/N/<unknown> does not exist.`, or `Container C does not exist.`
  [[nodiscard]] Status remove(const Resource& object);
  // CleanupAll of one container ("" = the default one). Variables lose their values. Other objects are marked as lost,
  // and live on for operations that wait at them.
  void clear(std::string_view container);

  // Calls `f(name, resource)` for all that is there, in order.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [key, object] : objects_) f(key.second, *object);
  }

  std::string default_container = "localhost";  // a server names it after its job

 private:
  using Objects = std::map<std::pair<std::string, std::string>, std::unique_ptr<Resource>>;
  Objects::iterator lose(Objects::iterator it);

  Objects objects_;
  std::vector<std::unique_ptr<Resource>> lost_;
  std::set<std::string, std::less<>> emptied_;  // containers that exist though their last object may have been removed
};

}  // namespace tarry
