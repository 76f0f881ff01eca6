#include "workers/kernels/re2_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <iterator>
#include <optional>
#include <utility>

namespace tarry {
namespace {

using std::string_view_literals::operator""sv;

constexpr unsigned kAscii = 128;

struct Characters {
  std::bitset<kAscii> ascii;
  bool others = false;  // all that are not ASCII
  void add(unsigned low, unsigned high) {
    for (unsigned c = low; c <= high && c < kAscii; ++c) ascii.set(c);
  }
  void add(const Characters& more) {
    ascii |= more.ascii;
    others |= more.others;
  }
  void invert() {
    ascii.flip();
    others = !others;
  }
};

// A name, or the letter behind a backslash, and the first and last characters of ranges.
struct GroupRow {
  std::string_view name, ranges;
};
constexpr GroupRow kNamedGroups[] = {
    {"alnum", "09AZaz"},           {"alpha", "AZaz"}, {"ascii", "\0\x7f"sv}, {"blank", "\t\t  "}, {"digit", "09"},
    {"cntrl", "\0\x1f\x7f\x7f"sv}, {"graph", "!~"},   {"lower", "az"},       {"print", " ~"},     {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},           {"upper", "AZ"},   {"word", "09AZ__az"},  {"xdigit", "09AFaf"}};
constexpr GroupRow kLetterGroups[] = {{"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZ__az"}};

struct EscapeRow {
  char letter, meaning;
};
constexpr EscapeRow kEscapes[] = {{'a', '\a'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'v', '\v'}};

bool is_repetition(char c) { return c == '*' || c == '+' || c == '?'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < kAscii; }

std::optional<unsigned> hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char low = static_cast<char>(c | 0x20);
  if (low < 'a' || low > 'f') return std::nullopt;
  return static_cast<unsigned>(low - 'a' + 10);
}

template <std::size_t rows>
std::optional<Characters> group_of(const GroupRow (&table)[rows], std::string_view name, bool is_inverted) {
  const auto* row = std::ranges::find(table, name, &GroupRow::name);
  if (row == std::end(table)) return std::nullopt;
  Characters all;
  for (std::size_t i = 0; i + 1 < row->ranges.size(); i += 2)
    all.add(static_cast<unsigned char>(row->ranges[i]), static_cast<unsigned char>(row->ranges[i + 1]));
  if (is_inverted) all.invert();
  return all;
}

std::string in_ecma(unsigned c) { return fmt::format("\\x{:02x}", c); }

std::string in_ecma(const Characters& all) {
  const std::bitset<kAscii> listed = all.others ? ~all.ascii : all.ascii;
  std::string out = all.others ? "[^" : "[";
  for (unsigned low = 0; low < kAscii; ++low) {
    if (!listed[low]) continue;
    unsigned high = low;
    while (high + 1 < kAscii && listed[high + 1]) ++high;
    out += low == high ? in_ecma(low) : in_ecma(low) + "-" + in_ecma(high);
    low = high;
  }
  return out + "]";
}

class Re2Reader {
 public:
  explicit Re2Reader(std::string_view pattern) : pattern_(pattern) {}

  EcmaPattern run() {
    while (!at_end() && out_.fault.empty()) read_one();
    if (open_ > 0) fail("missing ): {}", pattern_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= pattern_.size(); }
  [[nodiscard]] bool is_next(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  // The first fault counts.
  template <class... A>
  void fail(fmt::format_string<A...> text, A&&... args) {
    if (out_.fault.empty()) out_.fault = fmt::format(text, std::forward<A>(args)...);
  }

  void read_one() {
    const char c = pattern_[at_];
    if (c == ')' && --open_ < 0) return fail("unexpected ): {}", pattern_);
    open_ += c == '(' ? 1 : 0;
    if (is_repetition(c)) return read_repetition();
    has_operand_ = c != '(' && c != '|';
    if (c == '\\') return read_escape();
    if (c == '[') return read_class();
    ++at_;
    out_.text += c == '.' ? std::string("[^\\x0a]") : std::string(1, c);
    if (c == '(' && is_next("?")) read_kind_of_group();
  }

  // Of a group that begins with "(?".
  void read_kind_of_group() {
    constexpr std::string_view kKinds = "imsU-:P<";
    const std::string_view kind = pattern_.substr(at_, 2);
    if (kind.size() < 2 || kKinds.find(kind[1]) == kKinds.npos) return fail("invalid perl operator: ({}", kind);
    out_.text += pattern_[at_++];
  }

  // Of "*" and "*?"; `at` where none begins there.
  [[nodiscard]] std::size_t end_of_repetition(std::size_t at) const {
    const std::string_view rest = pattern_.substr(at);
    if (rest.empty() || !is_repetition(rest[0])) return at;
    return at + (rest.substr(1).starts_with('?') ? 2 : 1);
  }
  void read_repetition() {
    const std::size_t first = at_, end = end_of_repetition(first), next = end_of_repetition(end);
    at_ = end;
    if (!has_operand_) return fail("no argument for repetition operator: {}", pattern_.substr(first, end - first));
    if (next != end) return fail("bad repetition operator: {}", pattern_.substr(first, next - first));
    out_.text += pattern_.substr(first, end - first);
  }

  // Outside of a class.
  void read_escape() {
    if (const auto group = letter_group()) {
      out_.text += in_ecma(*group);
      return;
    }
    constexpr std::string_view kBounds = "bB", kOnlyRe2 = "ACEQpPz";
    const char what = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    if (what != '\0' && kBounds.find(what) != kBounds.npos)
      out_.text += pattern_.substr(at_, 2), at_ += 2;
    else if (what != '\0' && kOnlyRe2.find(what) != kOnlyRe2.npos)
      out_.is_known = false, at_ += 2;
    else if (const auto c = character())
      out_.text += in_ecma(*c);
  }

  // \d, \S; the place is behind it then.
  std::optional<Characters> letter_group() {
    if (!is_next("\\") || at_ + 1 >= pattern_.size()) return std::nullopt;
    const char letter = pattern_[at_ + 1], small = static_cast<char>(letter | 0x20);
    if (!is_letter(letter)) return std::nullopt;
    auto group = group_of(kLetterGroups, std::string_view(&small, 1), letter != small);
    if (group) at_ += 2;
    return group;
  }

  // [:alpha:], [:^alpha:] in a class. False: none is there.
  bool read_named_group(Characters& all) {
    const std::size_t end = is_next("[:") ? pattern_.find(":]", at_ + 2) : pattern_.npos;
    if (end == pattern_.npos) return false;
    const std::string_view whole = pattern_.substr(at_, end + 2 - at_);
    std::string_view name = whole.substr(2, whole.size() - 4);
    const bool is_inverted = name.starts_with('^');
    if (is_inverted) name.remove_prefix(1);
    const auto group = group_of(kNamedGroups, name, is_inverted);
    if (!group) fail("invalid character class range: {}", whole);
    at_ = end + 2;
    if (group) all.add(*group);
    return true;
  }

  void read_class() {
    const std::size_t first = at_++;
    Characters all;
    const bool is_inverted = is_next("^");
    if (is_inverted) ++at_;
    for (bool is_first = true; !at_end() && out_.fault.empty() && (is_first || !is_next("]")); is_first = false)
      read_part_of_class(all);
    if (at_end()) return fail("missing ]: {}", pattern_.substr(first));
    ++at_;
    if (is_inverted) all.invert();
    out_.text += in_ecma(all);
  }

  void read_part_of_class(Characters& all) {
    if (read_named_group(all)) return;
    if (is_next("\\p") || is_next("\\P")) {
      out_.is_known = false, at_ += 2;
      return;
    }
    if (const auto group = letter_group()) return all.add(*group);
    const std::size_t first = at_;
    const auto low = character();
    auto high = low;
    if (low && is_next("-") && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') ++at_, high = character();
    if (!low || !high) return;
    if (*high < *low) return fail("invalid character class range: {}", pattern_.substr(first, at_ - first));
    all.add(*low, *high);
  }

  // What is here, or what an escape here means. Fails, with none, where that means no character.
  std::optional<unsigned> character() {
    const std::size_t first = at_;
    const char c = pattern_[at_++];
    std::optional<unsigned> code = static_cast<unsigned char>(c);
    if (c == '\\' && at_end()) {
      fail("trailing \\");
      return std::nullopt;
    }
    if (c == '\\') code = meant_by(pattern_[at_++]);
    if (c == '\\' && !code) {
      while (!at_end() && (static_cast<unsigned char>(pattern_[at_]) & 0xc0U) == 0x80U) ++at_;
      fail("invalid escape sequence: {}", pattern_.substr(first, at_ - first));
      return std::nullopt;
    }
    if (*code >= kAscii) out_.is_known = false;
    return code;
  }
  std::optional<unsigned> meant_by(char c) {
    if (c == 'x') return hexadecimal();
    if (is_octal(c) && (c == '0' || (!at_end() && is_octal(pattern_[at_])))) return octal(c);
    if (const auto* row = std::ranges::find(kEscapes, c, &EscapeRow::letter); row != std::end(kEscapes))
      return static_cast<unsigned>(row->meaning);
    if (!is_ascii(c) || is_letter(c) || is_digit(c)) return std::nullopt;
    return static_cast<unsigned>(c);
  }
  unsigned octal(char first) {
    auto code = static_cast<unsigned>(first - '0');
    for (int more = 0; more < 2 && !at_end() && is_octal(pattern_[at_]); ++more)
      code = 8 * code + static_cast<unsigned>(pattern_[at_++] - '0');
    return code;
  }
  // Two digits, or some in braces.
  std::optional<unsigned> hexadecimal() {
    constexpr unsigned kLast = 0x10ffff;
    const bool has_braces = is_next("{");
    if (has_braces) ++at_;
    unsigned code = 0;
    bool is_right = true;
    for (int digits = 0; has_braces ? is_right : digits < 2; ++digits) {
      if (at_end()) return std::nullopt;
      const char c = pattern_[at_++];
      if (has_braces && c == '}' && digits > 0) break;
      const auto value = hex_value(c);
      code = 16 * code + value.value_or(0);
      is_right = is_right && value && code <= kLast;
    }
    return is_right ? std::optional(code) : std::nullopt;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  int open_ = 0;
  bool has_operand_ = false;  // something that may be repeated
  EcmaPattern out_;
};

}  // namespace

EcmaPattern from_re2(std::string_view pattern) { return Re2Reader(pattern).run(); }

}  // namespace tarry
