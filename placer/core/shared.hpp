// A text, or a list of names, that never changes: copies share one object, so that copying is cheap.
//
// REQUIRES: copies stay in one thread.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tarry {

template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(T value)
      : body_(value.empty() ? nullptr : new Body(std::move(value))) {}  // NOLINT(google-explicit-constructor)
  Shared(const char* text) requires std::same_as<T, std::string> : Shared(T(text)) {
  }  // NOLINT(google-explicit-constructor)
  Shared(std::initializer_list<std::string> names) requires std::same_as<T, std::vector<std::string>>
      : Shared(T(names)) {}

  [[nodiscard]] const T& get() const {
    static const T nothing;
    return body_ ? body_->value : nothing;
  }
  operator const T&() const { return get(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return !body_; }

  // Copies of one object compare without a look at the text.
  friend bool operator==(const Shared& a, const Shared& b) { return a.body_ == b.body_ || a.get() == b.get(); }
  friend bool operator==(const Shared& a, const T& b) { return a.get() == b; }

 private:
  struct Body : boost::intrusive_ref_counter<Body, boost::thread_unsafe_counter> {
    explicit Body(T v) : value(std::move(v)) {}
    const T value;
  };
  boost::intrusive_ptr<const Body> body_;
};

using SharedText = Shared<std::string>;
using SharedNames = Shared<std::vector<std::string>>;

}  // namespace tarry
