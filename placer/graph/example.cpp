#include "placer/graph/example.hpp"

#include <algorithm>

#include "example.pb.h"

namespace tarry {
namespace {

// Bytes of the wire format, as the parsing ops read them, which is less strictly than a message is parsed.
struct Wire {
  std::string_view left;

  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < left.size() && i < 10; ++i) {
      const auto byte = static_cast<std::uint8_t>(left[i]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
      if (byte < 0x80) return left.remove_prefix(i + 1), value;
    }
    return std::nullopt;
  }
  bool skip(std::size_t n) {
    const bool is_there = n <= left.size();
    left.remove_prefix(std::min(n, left.size()));
    return is_there;
  }
  bool takes(char tag) { return left.starts_with(tag) && skip(1); }
  // A part that says its length. Where that runs past the end the part ends there.
  std::optional<Wire> part() {
    const auto n = varint();
    if (!n) return std::nullopt;
    const Wire inside{left.substr(0, static_cast<std::uint32_t>(*n))};
    skip(static_cast<std::uint32_t>(*n));
    return inside;
  }
  std::optional<std::string_view> text() {
    const auto n = varint();
    if (!n || static_cast<std::uint32_t>(*n) > left.size()) return std::nullopt;
    const std::string_view text = left.substr(0, static_cast<std::uint32_t>(*n));
    skip(text.size());
    return text;
  }
};

constexpr char kFirst = 0x0A, kSecond = 0x12, kThird = 0x1A;  // the tags of fields that say their lengths

// A field that no Example has. One that runs past the end is the last, and one of 2 GiB or more has no bytes.
bool skip_field(Wire& wire) {
  const auto tag = wire.varint();
  switch (tag.value_or(0) & 7) {
    case 0:
      return wire.varint().has_value();
    case 1:
      return wire.skip(8);
    case 2: {
      const auto n = wire.varint();
      if (n && static_cast<std::int32_t>(*n) > 0) wire.skip(static_cast<std::uint32_t>(*n));
      return n.has_value();
    }
    case 5:
      return wire.skip(4);
    default:
      return false;
  }
}

using Features = std::map<std::string, Feature>;

void read_feature(std::string_view bytes, const std::string& name, Features& to) {
  to.erase(name);
  const bool has_kind = bytes.empty() || bytes[0] == kFirst || bytes[0] == kSecond || bytes[0] == kThird;
  tensorflow::Feature f;
  if (!has_kind || !f.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    to[name] = UnreadFeature{has_kind};
    return;
  }
  const auto set = [&](auto values) { to[name] = std::vector(values.begin(), values.end()); };
  if (f.has_bytes_list()) set(f.bytes_list().value());
  if (f.has_float_list()) set(f.float_list().value());
  if (f.has_int64_list()) set(f.int64_list().value());
}

// A name and a feature, in any order.
bool read_entry(Wire entry, Features& to) {
  std::string_view name, feature;
  for (int i = 0; i < 2; ++i) {
    const bool is_name = entry.takes(kFirst);
    if (!is_name && !entry.takes(kSecond)) return false;
    const auto text = entry.text();
    if (!text) return false;
    (is_name ? name : feature) = *text;
  }
  if (entry.left.empty()) read_feature(feature, std::string(name), to);
  return entry.left.empty();
}

bool read_features(Wire wire, Features& to) {
  while (!wire.left.empty()) {
    if (!wire.takes(kFirst)) return false;
    const auto entry = wire.part();
    if (!entry || !read_entry(*entry, to)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::map<std::string, Feature>> read_example(std::string_view bytes) {
  Features features;
  for (Wire wire{bytes}; !wire.left.empty();) {
    if (!wire.takes(kFirst)) {
      if (!skip_field(wire)) return std::nullopt;
      continue;
    }
    const auto part = wire.part();
    if (!part || !read_features(*part, features)) return std::nullopt;
  }
  return features;
}

}  // namespace tarry
