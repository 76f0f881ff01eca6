// How kernels vary from one training step to the next, whatever says what they usually take.
//
// A variation multiplies the time of every kernel that a task runs in a training step. The factor is one and the same
// in all of the step; that of a worker's n-th step is keyed by the task, the worker and n (keyed.hpp), so what one
// worker draws depends on no other. Variations draw apart, each from its own stream. A shared variation is keyed by the
// task's host, by its rack, or by nothing: all who share it have the same factor in their n-th steps. The steps in
// which a synchronous job's thread applies aggregates count beside the training steps of its worker, from their own
// first one.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/keyed.hpp"
#include "sim/laws.hpp"
#include "workers/events.hpp"

namespace tarry {

struct Variation {
  enum class Shared : std::uint8_t { by_nobody, by_host, by_rack, by_all };
  TaskId task;      // none = every one
  std::string job;  // "" = every one
  Shared shared = Shared::by_nobody;
  FactorLaw law;
  std::uint32_t stream = 0;  // its place among the job's variations: what it draws, without some of them, too
  friend bool operator==(const Variation&, const Variation&) = default;
};

class Variations {
 public:
  // REQUIRES: `cluster` outlives it.
  Variations(std::vector<Variation> all, const ClusterSpec& cluster, const Random& streams);

  [[nodiscard]] bool is_any() const { return !all_.empty(); }
  // Looks which steps begin and end.
  void look(const Event& event);
  // The time of a kernel of this task in this step, which usually takes `duration`; a step of another purpose does not
  // vary. Several variations multiply.
  [[nodiscard]] Nanos of(Nanos duration, TaskId task, StepId step);

 private:
  struct Course {  // the factors of one key, by step, as far as they were asked for
    Keyed draws;
    std::vector<std::int64_t> factors;
    bool is_slow = false;
  };
  struct Drawn {
    Variation what;
    Random streams;
    std::vector<Course> courses;
    std::map<std::string, std::size_t> by_key;
    absl::flat_hash_map<std::uint64_t, std::size_t> by_tasks;  // by task and worker; looked up, never iterated
  };
  struct Step {
    TaskId worker;
    std::uint64_t number = 0;  // of the worker's steps of that purpose
  };

  [[nodiscard]] bool is_of(const Variation& v, TaskId task) const;
  [[nodiscard]] std::string key_of(const Variation& v, TaskId task, TaskId worker) const;
  [[nodiscard]] Course& course_of(Drawn& d, TaskId task, TaskId worker) const;

  const ClusterSpec& cluster_;
  std::vector<Drawn> all_;
  absl::flat_hash_map<StepId, Step> steps_;  // that are under way; looked up, never iterated
  std::vector<std::uint64_t> begun_;         // training steps, by worker
  std::vector<std::uint64_t> applied_;       // steps that apply an aggregate, by the worker whose thread makes them
};

}  // namespace tarry
