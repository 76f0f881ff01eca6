#include "scenarios/file/units.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace tarry {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t numerator = 1, denominator = 1;  // how many of the base unit
};

constexpr std::uint64_t kKilo = 1000, kMega = kKilo * kKilo, kGiga = kKilo * kMega, kTera = kKilo * kGiga;
constexpr std::uint64_t kKibi = 1024, kMebi = kKibi * kKibi, kGibi = kKibi * kMebi, kTebi = kKibi * kGibi;

// Largest first: formatting takes the first that divides.
constexpr Unit kTimes[] = {{"h", 3600 * kGiga}, {"min", 60 * kGiga}, {"s", kGiga},
                           {"ms", kMega},       {"us", kKilo},       {"ns"}};
constexpr Unit kBandwidths[] = {
    {"Tbps", kTera, 8}, {"Gbps", kGiga, 8}, {"Mbps", kMega, 8}, {"Kbps", kKilo, 8}, {"bps", 1, 8},
    {"TB/s", kTera},    {"GB/s", kGiga},    {"MB/s", kMega},    {"KB/s", kKilo},    {"B/s"}};
constexpr Unit kShares[] = {{"%", 100}};
constexpr Unit kFlops[] = {{"Pflop/s", kTera* kKilo}, {"Tflop/s", kTera}, {"Gflop/s", kGiga},
                           {"Mflop/s", kMega},        {"Kflop/s", kKilo}, {"flop/s"}};
constexpr Unit kSizes[] = {{"TiB", kTebi}, {"GiB", kGibi}, {"MiB", kMebi}, {"KiB", kKibi}, {"TB", kTera},
                           {"GB", kGiga},  {"MB", kMega},  {"KB", kKilo},  {"B"}};

struct Quantity {
  std::string_view kind, example;
  std::span<const Unit> units;
};
constexpr Quantity kTime{"time", "200ms", kTimes}, kBandwidth{"bandwidth", "10Gbps", kBandwidths},
    kSize{"size", "16KiB", kSizes}, kSpeed{"speed", "10Tflop/s", kFlops}, kShare{"share", "20 %", kShares};

struct Decimal {  // digits / scale
  unsigned __int128 digits = 0;
  std::uint64_t scale = 1;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "1.5" -> 15 / 10. False for anything else, or more than 18 digits.
bool read_decimal(std::string_view text, Decimal& d) {
  const std::size_t dot = text.find('.');
  if (text.empty() || text.size() > 19 || dot == 0 || dot == text.size() - 1) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == dot) continue;
    if (!is_digit(text[i])) return false;
    d.digits = d.digits * 10 + static_cast<unsigned>(text[i] - '0');
    if (i > dot) d.scale *= 10;
  }
  return true;
}

std::string unit_names(std::span<const Unit> units) {
  std::string all;
  for (const Unit& u : units) all += fmt::format("{}{}", all.empty() ? "" : ", ", u.name);
  return all;
}

StatusOr<std::uint64_t> scaled(std::string_view text, const Quantity& q, const Decimal& d, const Unit& u) {
  const unsigned __int128 product = d.digits * u.numerator,
                          divisor = static_cast<unsigned __int128>(d.scale) * u.denominator;
  const bool may_be_cut = q.units.data() == kSizes && u.numerator > 1;  // 15.9GiB
  if (product % divisor != 0 && !may_be_cut)
    return invalid("'{}' is not a whole number of {}", text,
                   q.units.data() == kTimes    ? "nanoseconds"
                   : q.units.data() == kFlops  ? "operations"
                   : q.units.data() == kShares ? "hundredths of a percent"
                                               : "bytes");
  constexpr auto kMost = static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max() / 4);
  if (product / divisor > kMost) return invalid("'{}' is too large a {}", text, q.kind);
  return static_cast<std::uint64_t>(product / divisor);
}

// Of "5e-05s": "e-05s".
bool is_exponent(std::string_view unit) {
  return unit.size() > 1 && (unit[0] == 'e' || unit[0] == 'E') &&
         (is_digit(unit[1]) || unit[1] == '-' || unit[1] == '+');
}

StatusOr<std::uint64_t> parse(std::string_view text, const Quantity& q) {
  if (text.starts_with('-')) return invalid("'{}': a {} cannot be negative", text, q.kind);
  const auto number_ends = std::ranges::find_if(text, [](char c) { return !is_digit(c) && c != '.'; });
  const std::string_view number(text.begin(), number_ends);
  std::string_view unit(number_ends, text.end());
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  Decimal d;
  if (!read_decimal(number, d))
    return invalid("'{}' is not a {}; expected a number and a unit, such as {}", text, q.kind, q.example);
  if (unit.empty()) return invalid("'{}' has no unit; a {} needs one of {}", text, q.kind, unit_names(q.units));
  const auto found = std::ranges::find(q.units, unit, &Unit::name);
  if (found == q.units.end() && is_exponent(unit))
    return invalid("'{}': a {} has no exponent; write all its digits, as in 0.00005", text, q.kind);
  if (found == q.units.end())
    return invalid("'{}': unknown unit '{}'; a {} needs one of {}", text, unit, q.kind, unit_names(q.units));
  return scaled(text, q, d, *found);
}

std::string format(std::uint64_t amount, std::span<const Unit> units) {
  for (const Unit& u : units) {
    const auto scaled = static_cast<unsigned __int128>(amount) * u.denominator;
    if (scaled % u.numerator == 0) return fmt::format("{}{}", static_cast<std::uint64_t>(scaled / u.numerator), u.name);
  }
  return fmt::format("{}{}", amount, units.back().name);
}

}  // namespace

StatusOr<Nanos> parse_time(std::string_view text) {
  TARRY_ASSIGN(const std::uint64_t t, parse(text, kTime));
  return static_cast<Nanos>(t);
}

StatusOr<std::uint64_t> parse_bandwidth(std::string_view text) {
  if (text == "unlimited") return std::uint64_t{0};
  TARRY_ASSIGN(const std::uint64_t b, parse(text, kBandwidth));
  if (b == 0) return invalid("'{}': nothing gets through; expected more, or 'unlimited'", text);
  return b;
}

StatusOr<std::uint64_t> parse_size(std::string_view text) { return parse(text, kSize); }
StatusOr<std::uint64_t> parse_speed(std::string_view text) {
  TARRY_ASSIGN(const std::uint64_t speed, parse(text, kSpeed));
  if (speed == 0) return invalid("'{}': nothing is ever done; expected more", text);
  return speed;
}

StatusOr<std::int64_t> parse_number(std::string_view text) {
  Decimal d;
  if (!read_decimal(text, d)) return invalid("'{}' is not a number such as 1.5", text);
  const unsigned __int128 millionths = d.digits * kMega;
  if (millionths % d.scale != 0) return invalid("'{}' has more than six decimals", text);
  if (millionths / d.scale > kTera * kKilo) return invalid("'{}' is too large a number", text);
  return static_cast<std::int64_t>(millionths / d.scale);
}

StatusOr<std::int64_t> parse_share(std::string_view text) {
  TARRY_ASSIGN(const std::uint64_t share, parse(text, kShare));
  if (share > 10'000) return invalid("'{}' is more than all; expected at most 100 %", text);
  return static_cast<std::int64_t>(share);
}

std::string format_number(std::int64_t millionths) {
  std::string text = fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string format_time(Nanos t) { return t == 0 ? "0s" : format(static_cast<std::uint64_t>(t), kTimes); }
std::string format_bandwidth(std::uint64_t b) { return b == 0 ? "unlimited" : format(b, kBandwidths); }
std::string format_speed(std::uint64_t s) { return s == 0 ? "not known" : format(s, kFlops); }
std::string format_size(std::uint64_t bytes) { return bytes == 0 ? "0B" : format(bytes, kSizes); }

}  // namespace tarry
