#include "workers/rendezvous/key.hpp"

#include <charconv>

#include "placer/core/text.hpp"
#include "placer/device/name.hpp"

namespace tarry {
namespace {

bool is_full_name(std::string_view device) {
  const auto name = parse_device_name(device);
  return name && name->job && name->replica && name->task && name->type && name->id;
}

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return fault == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string make_key(std::string_view send_device, std::uint64_t incarnation, std::string_view recv_device, std::string_view tensor_name,
                     std::uint64_t frame, std::int64_t iteration) {
  return fmt::format("{};{:016x};{};{};{}:{}", send_device, incarnation, recv_device, tensor_name, frame, iteration);
}

StatusOr<ParsedKey> parse_key(std::string_view key) {
  const auto parts = split(key, ';');
  ParsedKey parsed;
  if (parts.size() != 5 || !is_full_name(parts[0]) || !is_full_name(parts[2]) || parts[3].empty() || !parse_hex(parts[1], parsed.incarnation))
    return invalid("Invalid  rendezvous key: {}", key);
  parsed.send_device = parts[0];
  parsed.recv_device = parts[2];
  parsed.tensor_name = parts[3];
  return parsed;
}

}  // namespace tarry
