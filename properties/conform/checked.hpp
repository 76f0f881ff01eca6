// Checked reading of recordings, which are untrusted: what a file holds is refused, with its place, or read.
//
// Readers throw Malformed, or what the JSON library throws for a key that is missing or has another type; the function
// that reads a file, a row or a transcript as a whole turns both into a Status by `refused`. Objects of JSON are read
// with `at` and `value`, never with `[]`, which does not look whether a key is there.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <class... Args>
[[noreturn]] void malformed(fmt::format_string<Args...> text, Args&&... args) {
  throw Malformed(fmt::format(text, std::forward<Args>(args)...));
}

// What `read` gives. Fails: INVALID_ARGUMENT "WHERE: what is wrong" for what a reader threw.
template <class Read>
[[nodiscard]] auto refused(std::string_view where, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const Malformed& e) {
    return invalid("{}: {}", where, e.what());
  } catch (const nlohmann::json::exception& e) {
    return invalid("{}: {}", where, e.what());
  }
}

// Texts of recordings go through regular expressions, whose depth of calls grows with the text.
constexpr std::size_t kLongestText = 8192;
constexpr std::size_t kAnyLength = std::string_view::npos;
// Fails: INVALID_ARGUMENT when `text` nests too deeply for functions that call themselves, or has a string of more than
// `longest` bytes; with the byte.
[[nodiscard]] Status check_nesting(std::string_view text, std::size_t longest);

// Json is nlohmann::json or nlohmann::ordered_json. Fails: as check_nesting; INVALID_ARGUMENT with the byte from which
// on it is not JSON.
template <class Json>
[[nodiscard]] StatusOr<Json> parse_recording(std::string_view text, std::size_t longest = kAnyLength) try {
  TARRY_RETURN_IF_ERROR(check_nesting(text, longest));
  return Json::parse(text);
} catch (const nlohmann::json::parse_error& e) {
  return invalid("byte {}: it is not JSON from here on", e.byte);
} catch (const nlohmann::json::exception& e) {  // a number that no double holds
  return invalid("{}", e.what());
}

// The whole number that is all of `text`. Throws Malformed.
[[nodiscard]] std::uint64_t whole_number(std::string_view text, std::uint64_t most);
// The number at the start of `text`, behind `before` if it has that: 2.5 of "no answer in 2.5 s". Throws Malformed.
[[nodiscard]] double number_in(std::string_view text, std::string_view before = "");

// `value`, which is `what` in the recording. Throws Malformed when it lies outside of [low, high]; NaN does.
template <class T>
[[nodiscard]] T within(T value, T low, T high, std::string_view what) {
  if (!(value >= low && value <= high)) malformed("{} is {}; expected {} to {}", what, value, low, high);
  return value;
}

// A duration: what lasts more than a day was not recorded.
constexpr double kLongestSeconds = 86'400;
[[nodiscard]] inline double seconds_within(double value, std::string_view what) {
  return within(value, 0.0, kLongestSeconds, what);
}
// Of an object: the seconds at `key`, or `otherwise`.
template <class Json>
[[nodiscard]] double seconds_at(const Json& object, const char* key, double otherwise) {
  return object.contains(key) ? seconds_within(object.at(key).template get<double>(), key) : otherwise;
}
// The whole number `value`. JSON's own conversion cuts off what does not fit.
template <class Json>
[[nodiscard]] std::int64_t integer_within(const Json& value, std::int64_t low, std::int64_t high,
                                          std::string_view what) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || std::in_range<std::int64_t>(value.template get<std::uint64_t>()));
  if (!fits)
    malformed("{} is {}; expected a whole number", what, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  return within(value.template get<std::int64_t>(), low, high, what);
}

// The whole numbers of a list; JSON's own loop takes a number for a list of one.
template <class Json>
[[nodiscard]] std::vector<std::int64_t> integers_within(const Json& list, std::int64_t low, std::int64_t high,
                                                        std::string_view what) {
  if (!list.is_array()) malformed("{}: expected a list of whole numbers", what);
  std::vector<std::int64_t> all;
  for (const Json& n : list) all.push_back(integer_within(n, low, high, what));
  return all;
}

}  // namespace tarry
