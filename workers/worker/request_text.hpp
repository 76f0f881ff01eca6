// A request as protobuf prints it on one line, for the error that quotes a repeated request
// (docs/rules/runtime.md#D.9).
#pragma once

#include <string>

#include "workers/worker/messages.hpp"

namespace tarry {

// One field after the other, in the order of their numbers.
class ProtoText {
 public:
  ProtoText& text(std::string_view field, std::string_view value);    // left out when empty
  ProtoText& number(std::string_view field, std::uint64_t value);     // left out when 0
  ProtoText& flag(std::string_view field, bool value);                // left out when false
  ProtoText& word(std::string_view field, std::string_view value);    // the name of an enum value
  ProtoText& item(std::string_view field, std::string_view value);    // an element of a list: never left out
  ProtoText& message(std::string_view field, std::string_view body);  // `body` as a message's text; may be empty
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void add(std::string_view field, std::string_view rest);
  std::string out_;
};

[[nodiscard]] std::string text_of(const TensorBody& t);
[[nodiscard]] std::string text_of(const Env& env, const RunGraphRequest& r);
[[nodiscard]] std::string text_of(const Env& env, const RecvTensorRequest& r);

// The error ABORTED `The same M request was received twice. T`, with `method` for M and `text` for T.
[[nodiscard]] Status received_twice(std::string_view method, std::string_view text);

}  // namespace tarry
