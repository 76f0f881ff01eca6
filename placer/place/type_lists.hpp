// Lists of the device types that can run an op, best first; equal lists are kept once.
//
// A list is ordered by the kernels' priority, then by the types' own (docs/rules/placer.md#A.7). Nodes share lists by
// id, so that equal lists compare and intersect as numbers: a graph of ten thousand nodes has a dozen of them.
#pragma once

#include <compare>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

struct SupportedType {
  std::string type;
  int priority = 0;  // of the kernel
  friend auto operator<=>(const SupportedType&, const SupportedType&) = default;
};
using TypeList = std::vector<SupportedType>;
using TypeListId = Id<struct TypeListTag>;

class TypeLists {
 public:
  explicit TypeLists(const Rules& rules) : rules_(rules) {}

  TypeListId intern(TypeList list);
  [[nodiscard]] const TypeList& operator[](TypeListId id) const { return lists_[id.index()]; }

  // What both support (docs/rules/placer.md#C.0). When the two lists' kernel priorities disagree about the order, they
  // are dropped, and the types' own priorities decide.
  [[nodiscard]] TypeListId intersect(TypeListId root, TypeListId child);

  // The same as the free function without_xla below, computed once for each list.
  [[nodiscard]] TypeListId without_xla(TypeListId list);

  // Types by their own priority, ties by name.
  [[nodiscard]] std::vector<std::string> prioritised(std::vector<std::string> types) const;

 private:
  [[nodiscard]] TypeList merged(const TypeList& root, const TypeList& child) const;
  void sort(TypeList& list) const;

  const Rules& rules_;
  std::deque<TypeList> lists_;
  std::map<TypeList, TypeListId> ids_;
  std::map<std::pair<TypeListId, TypeListId>, TypeListId> intersections_;
  std::map<TypeListId, TypeListId> without_xla_;
};

// The type of a device that stands for several (docs/rules/placer.md#C.3.6).
inline constexpr std::string_view kComposite = "COMPOSITE";

[[nodiscard]] bool supports(const TypeList& list, std::string_view type);

// The types that only XLA serves: a group that does not ask for one avoids them (docs/rules/placer.md#C.3.0.5).
[[nodiscard]] bool is_xla_type(std::string_view type);
[[nodiscard]] TypeList without_xla(TypeList list);  // unchanged when nothing else would remain

}  // namespace tarry
