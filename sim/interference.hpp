// What takes a part of a machine again and again: a kernel that begins in one of its windows takes longer.
//
// Windows come one every so long, and are of one task, or of all tasks of a host: these slow down together. Each window
// counts, or one in so many, drawn: keyed by task or host and by the window's number (keyed.hpp), so that it doesn't
// matter who computes in it.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/keyed.hpp"
#include "workers/env.hpp"

namespace tarry {

struct Interference {
  TaskId task;  // or none: then it is of all tasks of
  HostId host;
  Nanos first = 0, every = 1, lasts = 1;  // the first window, from the start; 0 < lasts <= every
  std::int64_t percent = 100, one_in = 1;
  friend bool operator==(const Interference&, const Interference&) = default;
};

class Interferences {
 public:
  // REQUIRES: `cluster` outlives it.
  Interferences(const std::vector<Interference>& all, const ClusterSpec& cluster, const Random& streams);

  // From now on; before, nothing interferes.
  void begin(Nanos now) { began_ = now; }
  [[nodiscard]] bool is_any() const { return !all_.empty(); }
  // The time of a kernel of this task that begins now and usually takes `duration`. Several multiply.
  [[nodiscard]] Nanos of(Nanos duration, TaskId task, Nanos now) const;

 private:
  struct Drawn {
    Interference what;
    Keyed draws;
  };
  [[nodiscard]] bool is_of(const Interference& i, TaskId task) const;

  const ClusterSpec& cluster_;
  std::vector<Drawn> all_;
  Nanos began_ = std::numeric_limits<Nanos>::max();
};

}  // namespace tarry
