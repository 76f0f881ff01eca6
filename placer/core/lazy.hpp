// A value that is made when it is first asked for. It is made from inputs that never change, so the moment does not
// matter.
//
// Once made, the value keeps its address, even when the Lazy is moved. Not thread-safe: tarry uses one thread.
#pragma once

#include <memory>
#include <utility>

namespace tarry {

template <class T>
class Lazy {
 public:
  Lazy() = default;
  explicit Lazy(T value) : value_(std::make_unique<const T>(std::move(value))) {}

  // REQUIRES: `make` gives the same value at every call.
  template <class Make>
  [[nodiscard]] const T& get(Make&& make) const {
    if (value_ == nullptr) value_ = std::make_unique<const T>(make());
    return *value_;
  }

 private:
  mutable std::unique_ptr<const T> value_;
};

}  // namespace tarry
