#include "placer/core/status.hpp"

#include <absl/strings/cord.h>

namespace tarry {
namespace {

constexpr const char* kDerived = "type.googleapis.com/tensorflow.DerivedStatus";

Status with_message(const Status& s, std::string text) {
  Status out(s.code(), text);
  s.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace

std::string code_name(Code code) { return absl::StatusCodeToString(code); }

Status with_suffix(const Status& s, std::string_view suffix) {
  return with_message(s, fmt::format("{}{}", text_of(s), suffix));
}

Status with_prefix(const Status& s, std::string_view prefix) {
  return with_message(s, fmt::format("{}{}", prefix, text_of(s)));
}

Status as_derived(Status s) {
  if (!s.ok()) s.SetPayload(kDerived, absl::Cord());
  return s;
}

bool is_derived(const Status& s) { return s.GetPayload(kDerived).has_value(); }

}  // namespace tarry
