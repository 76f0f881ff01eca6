// Which of the events of one instant comes first, by drawn priorities.
//
// What happens at the same nanosecond has no order of its own: two workers' gradients that arrive together may be taken
// either way. Events of one strand (the messages from one task to another, the ends of kernels on one device, the
// timers of one process) stay in order; of different strands, the one with the higher priority runs first. A few times
// the strand whose turn it is gets a lower priority than all have. So a bug that needs d orderings is met with a
// probability of at least 1 / (n k^(d-1)) with d - 1 changes among k choices of n strands (Burckhardt et al., "A
// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tarry {

struct Strand {
  enum class Kind : std::uint8_t { none, messages, device, process };  // none: the world's own; it always runs first
  std::uint32_t bits = 0;
  Strand() = default;
  Strand(Kind kind, std::size_t index)
      : bits(static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(index)) {}
  friend bool operator==(Strand, Strand) = default;
};

struct DrawnOrder {
  std::uint64_t seed = 0;     // of the priorities and of when they change
  std::uint64_t changes = 0;  // how often the strand whose turn it is becomes the last
  std::uint64_t within = 0;   // among so many choices; a choice is between the events of at least two strands
};

class TieOrder {
 public:
  explicit TieOrder(const DrawnOrder& order);
  [[nodiscard]] bool is_before(Strand a, Strand b) const { return priority(a) > priority(b); }
  // To be called for each choice, with the strand whose turn it was.
  void chosen(Strand strand);

 private:
  [[nodiscard]] std::uint64_t priority(Strand strand) const;

  std::uint64_t seed_ = 0, choices_ = 0;
  std::vector<std::uint64_t> change_at_;  // in choices; a later one in the list leaves a higher priority
  struct Lowered {
    Strand strand;
    std::uint64_t priority = 0;
  };
  std::vector<Lowered> lowered_;  // each strand once
};

}  // namespace tarry
