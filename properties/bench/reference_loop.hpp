// A fixed piece of work: figures that are divided by its time can be compared between machines and days.
//
// It fills a table of 512 KiB with hashes, then makes a chain of a million hashes, each of which reads the place in the
// table that the hash before it names. So it waits for what most programs wait for, the processor and its caches. It
// calls nothing of tarry, and takes no memory from the allocator: only a compiler or a machine makes it quicker.
#pragma once

#include <cstdint>

namespace tarry {

// The last hash of the chain that begins with `hash`.
[[nodiscard]] std::uint64_t reference_loop(std::uint64_t hash);
inline constexpr std::uint64_t kReferenceStart = 1, kReferenceEnd = 0x15ca5d904bda1103;

// The processor time of one loop: the quickest of ten.
[[nodiscard]] double seconds_of_reference_loop();

}  // namespace tarry
