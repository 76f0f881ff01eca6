#include "placer/device/name.hpp"

#include <array>
#include <cctype>
#include <limits>

namespace tarry {
namespace {

// What is left to read of a name.
struct Cursor {
  std::string_view rest;

  bool eat(std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  }
  std::string_view eat_while(bool (*wanted)(char)) {
    std::size_t n = 0;
    while (n < rest.size() && wanted(rest[n])) ++n;
    const std::string_view taken = rest.substr(0, n);
    rest.remove_prefix(n);
    return taken;
  }
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// "*" clears the field; else a word that starts with a letter.
bool eat_word(Cursor& in, std::optional<std::string>& field) {
  field.reset();
  if (in.eat("*")) return true;
  if (in.rest.empty() || !is_letter(in.rest.front())) return false;
  field = std::string(in.eat_while(is_word));
  return true;
}

// "*" clears the field; else digits, read as 64 bits and cut to an int without a look (docs/rules/placer.md#A.2.5).
bool eat_number(Cursor& in, std::optional<int>& field) {
  field.reset();
  if (in.eat("*")) return true;
  const std::string_view digits = in.eat_while(is_digit);
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
    value = value * 10 + digit;
  }
  field = static_cast<int>(value);
  return !digits.empty();
}

bool eat_device(Cursor& in, DeviceName& name) {
  if (!eat_word(in, name.type)) return false;
  name.id.reset();
  return !in.eat(":") || eat_number(in, name.id);
}

bool eat_legacy(Cursor& in, DeviceName& name, const char* type) {
  name.type = type;
  return eat_number(in, name.id);
}

bool eat_component(Cursor& in, DeviceName& name) {
  if (in.eat("/job:")) return eat_word(in, name.job);
  if (in.eat("/replica:")) return eat_number(in, name.replica);
  if (in.eat("/task:")) return eat_number(in, name.task);
  if (in.eat("/device:")) return eat_device(in, name);
  if (in.eat("/cpu:") || in.eat("/CPU:")) return eat_legacy(in, name, "CPU");
  if (in.eat("/gpu:") || in.eat("/GPU:")) return eat_legacy(in, name, "GPU");
  return false;
}

}  // namespace

std::optional<DeviceName> parse_device_name(std::string_view text) {
  DeviceName name;
  if (text == "/") return name;
  for (Cursor in{text}; !in.rest.empty();)
    if (!eat_component(in, name)) return std::nullopt;
  return name;
}

std::string to_string(const DeviceName& name, NameStyle style) {
  std::string out;
  const auto add = [&](const char* before, const std::string& field) { out.append(before).append(field); };
  if (name.job) add("/job:", *name.job);
  if (name.replica) add("/replica:", std::to_string(*name.replica));
  if (name.task) add("/task:", std::to_string(*name.task));
  if (!name.type) return out;
  add(style == NameStyle::with_device ? "/device:" : "/", *name.type);
  add(":", name.id ? std::to_string(*name.id) : "*");
  return out;
}

bool has_details(const DeviceName& n) { return n.job || n.replica || n.task || n.type || n.id; }
bool is_complete(const DeviceName& n) { return n.job && n.replica && n.task && n.type && n.id; }

}  // namespace tarry
