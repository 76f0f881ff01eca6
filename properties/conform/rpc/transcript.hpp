// Reading recorded transcripts, and comparing ours with them.
//
// Values that differ from run to run are symbols ($SESSION1, $INC(DEVICE), ...). Ours are written with the same symbols
// before the comparison. Step and request ids, which say nothing about the order of concurrent calls, are left out, and
// so are gRPC's additions to error texts.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "properties/conform/rpc/json.hpp"

namespace tarry::rpc {

// `j` with `replace` applied to each of its strings.
[[nodiscard]] Json map_strings(Json j, const std::function<std::string(std::string)>& replace);

// A text without gRPC's decoration ("Additional GRPC error information ...").
[[nodiscard]] std::string without_decoration(std::string text);
// `j` without what is not compared: gRPC's decoration, step and request ids, memory addresses.
[[nodiscard]] Json plain(const Json& j);

// Translates the incarnations of the real task's devices, in both directions.
class Incarnations {
 public:
  void add(std::string device, std::uint64_t value) { all_[std::move(device)] = value; }
  [[nodiscard]] std::string to_values(std::string text) const;  // $INC(D) -> decimal; in a key, 16 hexadecimal digits
  [[nodiscard]] std::string to_attribute(std::string text) const;  // $INC(D) -> int64, as in a graph's attributes
  [[nodiscard]] std::string to_symbols(std::string text) const;
  [[nodiscard]] const std::map<std::string, std::uint64_t>& all() const { return all_; }

 private:
  std::map<std::string, std::uint64_t> all_;
};

// The first difference of two values, as a path and both values; "" = none.
[[nodiscard]] std::string difference(const Json& ours, const Json& theirs, const std::string& path = "");
// Compares lists as sets; gives the elements that only one of them has.
[[nodiscard]] std::string difference_of_sets(const std::vector<Json>& ours, const std::vector<Json>& theirs);

}  // namespace tarry::rpc
