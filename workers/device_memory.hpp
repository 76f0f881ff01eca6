// A device's memory as an allocator sees it, in bytes: in use, the peak, and the capacity.
//
// Tensors on the device take memory from it, and give it back when the last reader is done. Sizes are rounded up to 256
// bytes, as TensorFlow's BFC allocator does; chunks, bins and fragmentation are not modelled: an allocation fails only
// when too few bytes are left. Others may hold a part of the same memory (set_others), and then too little may be left
// of it. Tensors share ownership: a message may outlive the process whose tensor it carries.
#pragma once

#include <algorithm>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace tarry {

class DeviceMemory : public boost::intrusive_ref_counter<DeviceMemory, boost::thread_unsafe_counter> {
 public:
  DeviceMemory(std::string device, std::string allocator, std::uint64_t capacity)
      : device(std::move(device)), allocator(std::move(allocator)), capacity_(capacity) {}

  // Gives false and takes nothing when too little is left.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    if (bytes > left() || rounded(bytes) > left()) return false;
    in_use_ += rounded(bytes);
    peak_ = std::max(peak_, in_use_);
    return true;
  }
  // REQUIRES: one take() took this many bytes.
  void give_back(std::uint64_t bytes) { in_use_ -= rounded(bytes); }

  // What other processes hold of it from now on; what is in use already stays so.
  void set_others(std::uint64_t bytes) { others_ = bytes; }

  [[nodiscard]] std::uint64_t in_use() const { return in_use_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

  const std::string device;     // full name
  const std::string allocator;  // "GPU_0_bfc", as error texts name it

 private:
  static std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

  [[nodiscard]] std::uint64_t left() const {
    const std::uint64_t free = capacity_ - in_use_;
    return others_ < free ? free - others_ : 0;
  }

  std::uint64_t capacity_, in_use_ = 0, peak_ = 0, others_ = 0;
};
// Whether a process can still use one of its GPUs.
struct DeviceHealth {
  bool is_lost = false;
};

using DeviceMemoryRef = boost::intrusive_ptr<DeviceMemory>;

}  // namespace tarry
