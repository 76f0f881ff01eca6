// A fault as its file has it, with names not yet looked up. Its members follow from the fields of its kind
// (scenarios/job/faults/kind.hpp).
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/file/schema.hpp"
#include "scenarios/job/fault.hpp"

namespace tarry {

// ---- the type of a field's value until names are looked up ----

template <class Value>
struct RawOf {
  using type = Value;
};
template <>
struct RawOf<TaskId> {
  using type = Named;
};
template <>
struct RawOf<HostId> {
  using type = Named;
};
template <>
struct RawOf<HostList> {
  using type = std::vector<Named>;
};
template <>
struct RawOf<TaskPair> {
  using type = std::vector<Named>;
};
template <>
struct RawOf<HostPair> {
  using type = std::vector<Named>;
};
template <class Value>
struct RawOf<std::optional<Value>> {
  using type = std::optional<typename RawOf<Value>::type>;
};

template <class K>
struct RawKind {
  using Kind = K;
  template <class... F>
  static std::tuple<typename RawOf<typename F::Value>::type...> raw_of(const std::tuple<F...>&);
  decltype(raw_of(K::fields())) values;
};

template <class Kinds>
struct RawKindsOf;
template <class... K>
struct RawKindsOf<std::variant<K...>> {
  using type = std::variant<RawKind<K>...>;
};
using RawKinds = RawKindsOf<FaultKinds>::type;

struct RawMoment {
  std::vector<std::pair<Moment, Named>> given;  // one, if it is right
  std::int64_t count = 1;
  Nanos delay = 0;
};

struct RawFault {
  std::optional<Nanos> at;
  std::optional<RawMoment> after;
  std::vector<RawKinds> what;  // one, if it is right
  Position position;
};

[[nodiscard]] Type<RawFault> fault_type();

// "kill, restart, ...": of all kinds.
[[nodiscard]] std::string kind_names();
[[nodiscard]] std::string moment_names();

}  // namespace tarry
