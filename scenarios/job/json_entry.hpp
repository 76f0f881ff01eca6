// A value in a JSON file that a user wrote. Errors for missing values and wrong types give the value's path and what
// was expected there, without texts of the JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

// Fails: INVALID_ARGUMENT with line and column when `text` is not JSON, or is nested very deeply.
[[nodiscard]] StatusOr<nlohmann::json> parse_json(const std::string& file, const std::string& text);

class JsonEntry {
 public:
  // Thrown by all of these: "'feeds[0].name' is 5; expected a text".
  struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  explicit JsonEntry(const nlohmann::json& json, std::string path = "") : json_(json), path_(std::move(path)) {}

  // Null counts as missing.
  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] JsonEntry at(const char* key, const char* expected) const;
  // A map with none but these keys; else "unknown key 'feds' in 'session'; did you mean 'feeds'?".
  void expect_keys(std::span<const std::string> known) const;
  // The elements of the list at `key`.
  [[nodiscard]] std::vector<JsonEntry> items(const char* key, const char* expected) const;

  // T is std::string, bool, an integer or a vector of texts.
  template <class T>
  [[nodiscard]] T get(const char* key) const {
    return at(key, expected<T>()).template as<T>();
  }
  template <class T>
  [[nodiscard]] T get(const char* key, T otherwise) const {
    return has(key) ? get<T>(key) : otherwise;
  }
  template <class T>
  [[nodiscard]] T as() const {
    if (!is<T>()) refuse(expected<T>());
    return value<T>();
  }
  // A whole number in this range.
  [[nodiscard]] std::int64_t within(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] bool is_null() const { return json_.is_null(); }

 private:
  using Texts = std::vector<std::string>;

  template <class T>
  static constexpr const char* expected() {
    if constexpr (std::is_same_v<T, std::string>) return "a text";
    if constexpr (std::is_same_v<T, bool>) return "true or false";
    if constexpr (std::is_same_v<T, Texts>) return "a list of texts";
    return "a whole number";
  }
  template <class T>
  [[nodiscard]] bool is() const {
    if constexpr (std::is_same_v<T, std::string>) return json_.is_string();
    if constexpr (std::is_same_v<T, bool>) return json_.is_boolean();
    if constexpr (std::is_same_v<T, Texts>) return is_texts();
    return json_.is_number_integer();
  }
  template <class T>
  [[nodiscard]] T value() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const bool fits = json_.is_number_unsigned() ? std::in_range<T>(json_.get<std::uint64_t>())
                                                   : std::in_range<T>(json_.get<std::int64_t>());
      if (!fits) refuse("a smaller number");
    }
    return json_.get<T>();
  }
  [[nodiscard]] bool is_texts() const;
  [[nodiscard]] std::string path_of(const char* key) const;
  [[noreturn]] void refuse(const char* expected) const;

  const nlohmann::json& json_;
  std::string path_;
};

}  // namespace tarry
