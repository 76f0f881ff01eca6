// Rendezvous keys: who sends what to whom (docs/rules/runtime.md#B.3).
//
// `send_device;incarnation;recv_device;tensor_name;frame:iter`. The prefix, incarnation included, is fixed when a Send
// or Recv kernel is made, that is at registration.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "workers/task_change.hpp"

namespace tarry {

struct ParsedKey {
  std::string_view send_device, recv_device, tensor_name;  // into the parsed text
  std::uint64_t incarnation = 0;
};

// The incarnations of devices that have changed since a graph was cut: old -> present.
using Incarnations = absl::flat_hash_map<std::uint64_t, std::uint64_t>;  // looked up, never iterated

// A graph may have been cut earlier, and for another task's client (known_job.hpp): what its transfers say of devices,
// and what holds now.
struct Renewal {
  Incarnations incarnations;
  TaskChange task;
};

[[nodiscard]] std::string make_key(std::string_view send_device, std::uint64_t incarnation,
                                   std::string_view recv_device, std::string_view tensor_name, std::uint64_t frame = 0,
                                   std::int64_t iteration = 0);
// The id of a loop frame, decimal in keys and equal in every process: a hash of the parent frame's id and iteration (0
// and 0 at the root) and of the hash of the frame's name.
[[nodiscard]] std::uint64_t child_frame_id(std::uint64_t parent, std::int64_t parent_iteration,
                                           std::uint64_t name_hash);
[[nodiscard]] std::uint64_t frame_name_hash(std::string_view name);  // MurmurHash64A

// Fails: INVALID_ARGUMENT `Invalid  rendezvous key: K` unless there are five parts, two device names (they may lack
// parts: seen in 2.15.1), a hexadecimal incarnation and a tensor's name. The frame:iter part is not checked (seen in
// 2.15.1).
[[nodiscard]] StatusOr<ParsedKey> parse_key(std::string_view key);

}  // namespace tarry
