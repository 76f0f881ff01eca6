// An allocator for arrays that may be large and are read in no particular order: from a few megabytes on it asks for
// pages of two megabytes.
//
// The processor then needs fewer look-ups in page tables, and the system hands out memory in fewer pieces. Where the
// system has no such pages, nothing is lost.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>

namespace tarry {

template <class T>
class WidePages {
 public:
  using value_type = T;
  WidePages() = default;
  template <class U>
  WidePages(const WidePages<U>&) {}  // NOLINT(google-explicit-constructor): an allocator is one for any type

  [[nodiscard]] T* allocate(std::size_t n) {
    if (!is_wide(n)) return std::allocator<T>().allocate(n);
    void* memory = ::operator new(n * sizeof(T), kPage);
    (void)madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (!is_wide(n)) return std::allocator<T>().deallocate(memory, n);
    ::operator delete(memory, kPage);
  }
  template <class U>
  bool operator==(const WidePages<U>&) const {
    return true;
  }

 private:
  static constexpr std::align_val_t kPage{std::size_t{2} << 20};
  static bool is_wide(std::size_t n) { return n >= 2 * static_cast<std::size_t>(kPage) / sizeof(T); }
};

}  // namespace tarry
