#include "workers/rendezvous/key.hpp"

#include <fmt/compile.h>

#include <charconv>
#include <cstring>

#include "placer/core/text.hpp"
#include "placer/device/name.hpp"

namespace tarry {
namespace {

bool is_device_name(std::string_view device) { return parse_device_name(device).has_value(); }

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return fault == std::errc{} && end == text.data() + text.size();
}

std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800ULL + (a << 10) + (a >> 4));
}

}  // namespace

std::uint64_t child_frame_id(std::uint64_t parent, std::int64_t parent_iteration, std::uint64_t name_hash) {
  return combine(parent, combine(static_cast<std::uint64_t>(parent_iteration), name_hash));
}

std::uint64_t frame_name_hash(std::string_view name) {
  constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995ULL, seed = 0xDECAFCAFFEULL;
  constexpr int shift = 47;
  std::uint64_t h = seed ^ (name.size() * multiplier);
  for (; name.size() >= 8; name.remove_prefix(8)) {
    std::uint64_t k = 0;
    std::memcpy(&k, name.data(), 8);
    k *= multiplier;
    h = (h ^ ((k ^ (k >> shift)) * multiplier)) * multiplier;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, name.data(), name.size());
  if (!name.empty()) h = (h ^ rest) * multiplier;
  h = (h ^ (h >> shift)) * multiplier;
  return h ^ (h >> shift);
}

std::string make_key(std::string_view send_device, std::uint64_t incarnation, std::string_view recv_device,
                     std::string_view tensor_name, std::uint64_t frame, std::int64_t iteration) {
  return fmt::format(FMT_COMPILE("{};{:016x};{};{};{}:{}"), send_device, incarnation, recv_device, tensor_name, frame,
                     iteration);
}

StatusOr<ParsedKey> parse_key(std::string_view key) {
  const auto parts = split(key, ';');
  ParsedKey parsed;
  if (parts.size() != 5 || !is_device_name(parts[0]) || !is_device_name(parts[2]) || parts[3].empty() ||
      !parse_hex(parts[1], parsed.incarnation))
    return invalid("Invalid  rendezvous key: {}", key);
  parsed.send_device = parts[0];
  parsed.recv_device = parts[2];
  parsed.tensor_name = parts[3];
  return parsed;
}

}  // namespace tarry
