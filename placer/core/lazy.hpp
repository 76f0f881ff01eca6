// A value that is made when it is first asked for, out of what never changes: whenever that is, it is the same.
//
// It stays where it is once made, also when the Lazy is moved. One thread asks, as everywhere in tarry.
#pragma once

#include <memory>
#include <utility>

namespace tarry {

template <class T>
class Lazy {
 public:
  Lazy() = default;
  explicit Lazy(T value) : value_(std::make_unique<const T>(std::move(value))) {}

  // REQUIRES: `make` gives the same at every call.
  template <class Make>
  [[nodiscard]] const T& get(Make&& make) const {
    if (value_ == nullptr) value_ = std::make_unique<const T>(make());
    return *value_;
  }

 private:
  mutable std::unique_ptr<const T> value_;
};

}  // namespace tarry
