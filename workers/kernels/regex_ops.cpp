// Regular expressions on texts: RE2's, as in TensorFlow.

#include <re2/re2.h>

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

class Pattern {
 public:
  explicit Pattern(const std::string& text) : regex_(text, RE2::Quiet) {}
  [[nodiscard]] Status check() const {
    return regex_.ok() ? Status() : invalid("Invalid pattern: {}, error: {}", regex_.pattern(), regex_.error());
  }
  // A rewrite has the pattern's groups as \0 to \9, and \\ for a backslash; one that is none changes nothing.
  [[nodiscard]] std::string replaced(std::string text, const std::string& rewrite, bool all) const {
    if (all)
      RE2::GlobalReplace(&text, regex_, rewrite);
    else
      RE2::Replace(&text, regex_, rewrite);
    return text;
  }
  [[nodiscard]] bool is(const std::string& text) const { return RE2::FullMatch(text, regex_); }

 private:
  RE2 regex_;
};

constexpr InputRule kPattern{1, "Pattern must be scalar, but received {}"};
constexpr InputRule kRewrite{2, "Rewrite must be scalar, but received {}"};

Status replace_all(KernelContext& c, const std::string& pattern, const std::string& rewrite, bool all) {
  const Pattern regex(pattern);
  TARRY_RETURN_IF_ERROR(regex.check());
  std::ranges::transform(c.in(0).strings(), out(c).mutable_strings().begin(),
                         [&](const std::string& text) { return regex.replaced(text, rewrite, all); });
  return {};
}

Behaviour make_replace(const KernelSetup& s) {
  return {[all = attr_or(s.attrs, "replace_global", true)](KernelContext& c) -> Status {
            TARRY_ASSIGN(const std::string pattern, text_in(c, kPattern));
            TARRY_ASSIGN(const std::string rewrite, text_in(c, kRewrite));
            return replace_all(c, pattern, rewrite, all);
          },
          same_shape};
}
Behaviour make_static_replace(const KernelSetup& s) {
  return {[all = attr_or(s.attrs, "replace_global", true), pattern = attr_or(s.attrs, "pattern", std::string()),
           rewrite = attr_or(s.attrs, "rewrite", std::string())](KernelContext& c) {
            return replace_all(c, pattern, rewrite, all);
          },
          same_shape};
}

Status match_all(KernelContext& c, const std::string& pattern) {
  const Pattern regex(pattern);
  TARRY_RETURN_IF_ERROR(regex.check());
  std::ranges::transform(c.in(0).strings(), c.out<bool>(0).begin(),
                         [&](const std::string& text) { return regex.is(text); });
  return {};
}

Status full_match(KernelContext& c) {
  TARRY_ASSIGN(const std::string pattern, text_in(c, kPattern));
  return match_all(c, pattern);
}
Behaviour make_static_full_match(const KernelSetup& s) {
  return {[pattern = attr_or(s.attrs, "pattern", std::string())](KernelContext& c) { return match_all(c, pattern); },
          same_shape};
}

constexpr KernelRow kRegexRows[] = {
    {"RegexReplace", make_replace},
    {"StaticRegexReplace", make_static_replace},
    {"RegexFullMatch", behaves<full_match, same_shape>},
    {"StaticRegexFullMatch", make_static_full_match},
};

}  // namespace

KernelFamily regex_ops() { return kRegexRows; }

}  // namespace tarry
