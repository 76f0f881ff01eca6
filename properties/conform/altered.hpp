// Recordings that somebody changed: shipped ones with one thing or a few put wrong, for tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "placer/core/random.hpp"

namespace tarry {

class Alteration {
 public:
  using Json = nlohmann::json;
  explicit Alteration(std::uint64_t seed) : draw_(seed) {}

  // Mostly JSON of nearly the same form.
  [[nodiscard]] std::string of(Json j) {
    const std::uint64_t changes = 1 + below(3), seldom = below(10);
    for (std::uint64_t i = 0; i < changes; ++i) change(j);
    std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (seldom == 0) text.resize(below(text.size() + 1));
    if (seldom == 1) text[below(text.size())] = static_cast<char>(below(256));
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : draw_.next() % n; }

  static void collect(Json& j, std::vector<Json*>& all) {
    for (Json& child : j) {
      all.push_back(&child);
      if (child.is_structured()) collect(child, all);
    }
  }

  void change(Json& j) {
    std::vector<Json*> all;
    collect(j, all);
    if (all.empty()) return;
    Json& one = *all[below(all.size())];
    const Json other = *all[below(all.size())];
    const std::uint64_t how = below(6);
    if (how == 0) one = other;
    if (how == 1) drop_something(one);
    if (how == 2) one = oddity();
    if (how == 3) repeat_something(one);
    if (how == 4 && one.is_number()) one = number();
    if (how == 5 && one.is_string()) one = text(one.get<std::string>());
  }

  void drop_something(Json& j) {
    if (!j.is_structured() || j.empty()) return;
    auto it = j.begin();
    std::advance(it, below(j.size()));
    j.erase(it);
  }
  void repeat_something(Json& j) {
    if (j.is_array() && !j.empty()) j.push_back(Json(j.at(below(j.size()))));
  }

  Json number() {
    const Json numbers[] = {0,          1,       -1,    64,   1e9,  -1e9,  0.5,       1e300,     -1e300,
                            2147483648, 1000000, 65536, 1e18, 1e-9, false, INT64_MAX, INT64_MIN, UINT64_MAX};
    return numbers[below(std::size(numbers))];
  }
  Json oddity() {
    const Json odd[] = {nullptr, Json::array(), Json::object(), "", "x", "worker:9", true, number()};
    return odd[below(std::size(odd))];
  }
  std::string text(std::string s) {
    const std::uint64_t how = below(5), at = below(s.size() + 1);
    if (how == 0) return s.substr(0, at);
    if (how == 1) return s + s;
    if (how == 2) return s.insert(at, 1, "0/:^$(\xff"[below(7)]);
    if (how == 3) return std::string(7000, 'a') + s;
    return s.empty() ? "?" : s.replace(at % s.size(), 1, "_");
  }

  Random draw_;
};

}  // namespace tarry
