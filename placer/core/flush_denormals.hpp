// Numbers next to zero, as TensorFlow's threads compute: a result that would be denormal is zero, and a denormal
// operand is read as zero (seen in 2.15.1, of float and double).
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tarry {

// For as long as it lives, in this thread; where the processor is of another kind, nothing changes.
class FlushDenormals {
 public:
  FlushDenormals() : before_(control()) { set_control(before_ | kBits); }
  ~FlushDenormals() { set_control(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr std::uint64_t kBits = 0x8040;  // flush to zero, denormals are zeros
  static std::uint64_t control() { return _mm_getcsr(); }
  static void set_control(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kBits = std::uint64_t{1} << 24;  // flush to zero, of operands, too
  static std::uint64_t control() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
  static constexpr std::uint64_t kBits = 0;
  static std::uint64_t control() { return 0; }
  static void set_control(std::uint64_t) {}
#endif

  std::uint64_t before_;
};

}  // namespace tarry
