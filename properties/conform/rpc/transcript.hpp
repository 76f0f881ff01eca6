// A recorded transcript, read, and how ours is held against it.
//
// Values that differ from run to run are symbols ($SESSION1, $INC(DEVICE), ...). Ours are written with the same symbols
// before the two are compared. The numbers of steps and requests carry no order among concurrent calls and are left
// out; what gRPC adds to error texts is cut off.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "properties/conform/rpc/json.hpp"

namespace tarry::rpc {

// Text by text: `replace` on every string of a value.
[[nodiscard]] Json map_strings(Json j, const std::function<std::string(std::string)>& replace);

// A text without gRPC's decoration ("Additional GRPC error information ...").
[[nodiscard]] std::string without_decoration(std::string text);
// What does not count in a recorded value, and in ours: decoration, numbers of steps and requests, addresses of memory.
[[nodiscard]] Json plain(const Json& j);

// The incarnations of the real task's devices, each way.
class Incarnations {
 public:
  void add(std::string device, std::uint64_t value) { all_[std::move(device)] = value; }
  [[nodiscard]] std::string to_values(std::string text) const;  // $INC(D) -> decimal; in a key, 16 hexadecimal digits
  [[nodiscard]] std::string to_attribute(std::string text) const;  // $INC(D) as a graph's int64 has it
  [[nodiscard]] std::string to_symbols(std::string text) const;
  [[nodiscard]] const std::map<std::string, std::uint64_t>& all() const { return all_; }

 private:
  std::map<std::string, std::uint64_t> all_;
};

// Where two values differ first: a path and both, or "".
[[nodiscard]] std::string difference(const Json& ours, const Json& theirs, const std::string& path = "");
// Lists as sets: what only one of them has.
[[nodiscard]] std::string difference_of_sets(const std::vector<Json>& ours, const std::vector<Json>& theirs);

}  // namespace tarry::rpc
