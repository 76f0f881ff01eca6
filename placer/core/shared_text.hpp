// A text that never changes, such as a handle: copies are the same text.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <string>
#include <utility>

namespace tarry {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) : body_(text.empty() ? nullptr : new Body(std::move(text))) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& str() const {
    static const std::string nothing;
    return body_ ? body_->text : nothing;
  }
  operator const std::string&() const { return str(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return !body_; }

 private:
  struct Body : boost::intrusive_ref_counter<Body, boost::thread_unsafe_counter> {
    explicit Body(std::string t) : text(std::move(t)) {}
    const std::string text;
  };
  boost::intrusive_ptr<const Body> body_;
};

}  // namespace tarry
