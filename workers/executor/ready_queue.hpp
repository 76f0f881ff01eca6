// The nodes that are ready to run, first in, first out.
//
// TensorFlow keeps a queue in each closure and hands closures to a pool of threads (docs/rules/runtime.md#C.5). One
// thread runs everything here, so closures that would run in parallel take turns, which amounts to one queue in the
// order of readiness. A node with a cost leaves it for its device at once. The queue is a ring, so that its size is the
// largest number of nodes ready at one time, however long a loop runs.
#pragma once

#include <cstdint>
#include <vector>

namespace tarry {

struct Iteration;

struct ReadyNode {
  Iteration* iteration = nullptr;
  std::uint32_t node = 0;
  bool is_dead = false;
};

class ReadyQueue {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }
  void push(ReadyNode n) {
    if (tail_ - head_ > mask_) grow();
    ring_[tail_++ & mask_] = n;
  }
  ReadyNode pop() {
    const ReadyNode n = ring_[head_++ & mask_];
    if (empty()) head_ = tail_ = 0;  // a chain of nodes reuses the same slot, which is in the cache
    return n;
  }

 private:
  [[gnu::noinline]] void grow() {
    std::vector<ReadyNode> larger(ring_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) larger[i - head_] = ring_[i & mask_];
    tail_ -= head_;
    head_ = 0;
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }

  std::vector<ReadyNode> ring_ = std::vector<ReadyNode>(64);  // a power of two
  std::size_t mask_ = ring_.size() - 1, head_ = 0, tail_ = 0;
};

}  // namespace tarry
