// An immutable array that its copies share: one block of memory, which also holds the count of its owners.
//
// REQUIRES: copies stay in one thread. An empty array owns no memory.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace tarry {

template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  explicit SharedArray(std::span<T> moved_from) : block_(moved_from.empty() ? nullptr : make(moved_from)) {}

  [[nodiscard]] std::size_t size() const { return block_ ? block_->size : 0; }
  [[nodiscard]] const T* begin() const { return block_ ? block_->values() : nullptr; }
  [[nodiscard]] const T* end() const { return begin() + size(); }

 private:
  struct alignas(alignof(T) > alignof(std::size_t) ? alignof(T) : alignof(std::size_t)) Block {  // the values follow
    std::size_t owners, size;
    [[nodiscard]] T* values() { return std::launder(reinterpret_cast<T*>(this + 1)); }

    friend void intrusive_ptr_add_ref(Block* b) { ++b->owners; }
    friend void intrusive_ptr_release(Block* b) {
      if (--b->owners > 0) return;
      std::destroy_n(b->values(), b->size);
      ::operator delete(b);
    }
  };

  static Block* make(std::span<T> values) {
    auto* block = new (::operator new(sizeof(Block) + values.size_bytes())) Block{0, values.size()};
    std::uninitialized_move(values.begin(), values.end(), reinterpret_cast<T*>(block + 1));
    return block;
  }

  boost::intrusive_ptr<Block> block_;
};

}  // namespace tarry
