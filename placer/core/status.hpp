// Errors of bad input and of the modelled system, as values with TensorFlow's codes and texts.
//
// Two kinds travel as Status and are never mixed: bad input (a graph, a scenario: says where, what was expected, and
// suggests), and the modelled system's errors (ABORTED, UNAVAILABLE, ...: the exact text that users search for).
// Our own bugs are not Status: see check.hpp. absl::StatusCode has TensorFlow's numbers.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace tarry {

using Status = absl::Status;
template <class T>
using StatusOr = absl::StatusOr<T>;
using Code = absl::StatusCode;

template <class... Args>
[[nodiscard]] Status error(Code code, fmt::format_string<Args...> text, Args&&... args) {
  return Status(code, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
[[nodiscard]] Status invalid(fmt::format_string<Args...> text, Args&&... args) {
  return Status(Code::kInvalidArgument, fmt::format(text, std::forward<Args>(args)...));
}

// The message of a status as std::string_view (absl::string_view differs on Debian 12).
[[nodiscard]] inline std::string_view text_of(const Status& s) { return {s.message().data(), s.message().size()}; }

// "INVALID_ARGUMENT", as TensorFlow prints codes.
[[nodiscard]] std::string code_name(Code code);

// `s` with more text: the code and the payloads stay.
[[nodiscard]] Status with_suffix(const Status& s, std::string_view suffix);
[[nodiscard]] Status with_prefix(const Status& s, std::string_view prefix);

// A derived error follows from another one (a cancelled receive, an aborted rendezvous) and never counts as a root
// cause. Carried as the payload type.googleapis.com/tensorflow.DerivedStatus (docs/rules/runtime.md#C.6.3), never in
// the text.
[[nodiscard]] Status as_derived(Status s);
[[nodiscard]] bool is_derived(const Status& s);

}  // namespace tarry

#define TARRY_JOIN_(a, b) a##b
#define TARRY_JOIN(a, b) TARRY_JOIN_(a, b)
// Returns from the enclosing function when `expr` is an error.
#define TARRY_RETURN_IF_ERROR(expr)                       \
  do {                                                    \
    if (::tarry::Status s_ = (expr); !s_.ok()) return s_; \
  } while (false)
// `TARRY_ASSIGN(auto x, f())`: x is f's value, or the enclosing function returns f's error.
#define TARRY_ASSIGN(declaration, expr) TARRY_ASSIGN_IMPL(TARRY_JOIN(result_, __LINE__), declaration, expr)
#define TARRY_ASSIGN_IMPL(result, declaration, expr) \
  auto result = (expr);                              \
  if (!result.ok()) return result.status();          \
  declaration = *std::move(result)
