// Regular expressions on texts.
//
// TensorFlow's are RE2's, ours are the standard library's (ECMAScript): re2_pattern.hpp writes one as the other, for
// ASCII. A pattern that only RE2 knows is UNIMPLEMENTED.

#include <algorithm>
#include <regex>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/re2_pattern.hpp"

namespace tarry {
namespace {

StatusOr<std::regex> compiled(const std::string& pattern) {
  const EcmaPattern ours = from_re2(pattern);
  if (!ours.fault.empty()) return invalid("Invalid pattern: {}, error: {}", pattern, ours.fault);
  try {
    if (ours.is_known) return std::regex(ours.text, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
  }
  return error(Code::kUnimplemented, "tarry does not know the regular expression {}", pattern);
}

// A rewrite has the pattern's groups as \0 to \9, and \\ for a backslash. Gives false where it has another one; what
// stands before that is appended.
bool append_rewritten(const std::string& rewrite, const std::smatch& match, std::string& to) {
  for (std::size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      to += rewrite[i];
      continue;
    }
    const char what = ++i < rewrite.size() ? rewrite[i] : ' ';
    if (what == '\\')
      to += '\\';
    else if (what >= '0' && what <= '9')
      to += match[static_cast<std::size_t>(what - '0')].str();
    else
      return false;
  }
  return true;
}

bool names_a_missing_group(const std::string& rewrite, const std::regex& pattern) {
  for (std::size_t i = 0; i + 1 < rewrite.size(); ++i)
    if (rewrite[i] == '\\') {
      const char what = rewrite[++i];
      if (what >= '0' && what <= '9' && static_cast<unsigned>(what - '0') > pattern.mark_count()) return true;
    }
  return false;
}

// The first match only. A rewrite that is none changes nothing.
std::string replaced_once(const std::string& text, const std::regex& pattern, const std::string& rewrite) {
  std::smatch match;
  std::string to;
  if (!std::regex_search(text, match, pattern)) return text;
  to = match.prefix().str();
  return append_rewritten(rewrite, match, to) ? to + match.suffix().str() : text;
}

// All matches. One of no characters does not count right behind another.
std::string replaced_everywhere(const std::string& text, const std::regex& pattern, const std::string& rewrite) {
  std::string to;
  std::smatch match;
  auto at = text.begin(), last = text.begin();
  bool has_last = false;
  while (true) {
    const auto flags =
        at == text.begin() ? std::regex_constants::match_default : std::regex_constants::match_prev_avail;
    if (!std::regex_search(at, text.end(), match, pattern, flags)) break;
    to.append(at, match[0].first);
    const bool is_empty = match[0].length() == 0;
    if (!is_empty || !has_last || match[0].first != last) (void)append_rewritten(rewrite, match, to);
    at = last = match[0].second;
    has_last = true;
    if (is_empty && at == text.end()) break;
    if (is_empty) to += *at++;
  }
  return to.append(at, text.end());
}

std::string replaced(const std::string& text, const std::regex& pattern, const std::string& rewrite, bool all) {
  if (names_a_missing_group(rewrite, pattern)) return text;
  return all ? replaced_everywhere(text, pattern, rewrite) : replaced_once(text, pattern, rewrite);
}

constexpr InputRule kPattern{1, "Pattern must be scalar, but received {}"};
constexpr InputRule kRewrite{2, "Rewrite must be scalar, but received {}"};

Status replace_all(KernelContext& c, const std::string& pattern, const std::string& rewrite, bool all) {
  TARRY_ASSIGN(const std::regex regex, compiled(pattern));
  std::ranges::transform(c.in(0).strings(), out(c).mutable_strings().begin(),
                         [&](const std::string& text) { return replaced(text, regex, rewrite, all); });
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
  TARRY_ASSIGN(const std::regex regex, compiled(pattern));
  std::ranges::transform(c.in(0).strings(), c.out<bool>(0).begin(),
                         [&](const std::string& text) { return std::regex_match(text, regex); });
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
