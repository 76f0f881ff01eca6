// A hint that some memory will be read soon. Changes nothing but the time that reading takes.
#pragma once

namespace tarry {

inline void fetch_ahead(const void* memory) {
  __builtin_prefetch(memory);
  asm volatile("");  // else g++ takes a loop that only fetches for one without effect, and leaves it out
}

}  // namespace tarry
