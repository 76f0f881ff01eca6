// The description of a kind of fault, which its parser, printer and schema share.
//
// A kind is a plain struct in a file of its own: kKey names it in a scenario, kMeaning is one line about it, kExample
// is an example of its key's value; fields() describes its members, and happen() does it and says so in the log.
// Readers, printers, the schema and the lists of kinds are made from its fields. A kind with a single field takes the
// value itself (kill: worker/2), others take a map. The list of kinds is in fault.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "placer/core/ids.hpp"
#include "scenarios/job/faults/context.hpp"

namespace tarry {

// ---- what a field may be: a TaskId, Nanos, one of these, or an optional one ----

struct TaskPair {  // two different ones
  TaskId a, b;
  friend bool operator==(const TaskPair&, const TaskPair&) = default;
};
struct HostPair {  // two different ones
  HostId a, b;
  friend bool operator==(const HostPair&, const HostPair&) = default;
};
struct Percent {
  static constexpr std::int64_t kLeast = 1, kMost = 1'000'000;
  std::int64_t value = 100;
  friend bool operator==(const Percent&, const Percent&) = default;
};

template <class Kind, class Member>
struct Field {
  using Value = Member;
  std::string_view key;
  Member Kind::*member;
  std::string_view meaning;
};
template <class Kind, class Member>
constexpr Field<Kind, Member> field(std::string_view key, Member Kind::*member, std::string_view meaning) {
  return {key, member, meaning};
}

template <class K>
concept FaultKind = std::equality_comparable<K> && requires(const K& kind, FaultContext& context) {
  { K::kKey } -> std::convertible_to<std::string_view>;
  { K::kMeaning } -> std::convertible_to<std::string_view>;
  { K::kExample } -> std::convertible_to<std::string_view>;
  std::tuple_size<decltype(K::fields())>::value;
  kind.happen(context);
};

template <class K>
inline constexpr std::size_t kFieldsOf = std::tuple_size_v<decltype(K::fields())>;

}  // namespace tarry
