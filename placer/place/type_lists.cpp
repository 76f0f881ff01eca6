#include "placer/place/type_lists.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace tarry {
namespace {

TypeList kept(const TypeList& list, const TypeList& wanted) {
  TypeList out;
  std::ranges::copy_if(list, std::back_inserter(out), [&](const SupportedType& t) { return supports(wanted, t.type); });
  return out;
}

bool has_priorities(const TypeList& list) {
  return std::ranges::any_of(list, [](const SupportedType& t) { return t.priority != 0; });
}

bool same_order(const TypeList& a, const TypeList& b) {
  return std::ranges::equal(a, b, {}, &SupportedType::type, &SupportedType::type);
}

}  // namespace

TypeListId TypeLists::intern(TypeList list) {
  const auto [it, is_new] = ids_.try_emplace(std::move(list), TypeListId{lists_.size()});
  if (is_new) lists_.push_back(it->first);
  return it->second;
}

TypeListId TypeLists::without_xla(TypeListId list) {
  const auto [it, is_new] = without_xla_.try_emplace(list);
  if (is_new) it->second = intern(tarry::without_xla((*this)[list]));
  return it->second;
}

TypeListId TypeLists::intersect(TypeListId root, TypeListId child) {
  const auto [it, is_new] = intersections_.try_emplace({root, child});
  if (is_new) it->second = intern(merged((*this)[root], (*this)[child]));
  return it->second;
}

TypeList TypeLists::merged(const TypeList& root, const TypeList& child) const {
  TypeList ours = kept(root, child), theirs = kept(child, root);
  sort(ours);
  sort(theirs);
  if (!has_priorities(theirs)) return ours;
  if (!has_priorities(ours)) return theirs;
  if (same_order(ours, theirs)) return ours;
  for (SupportedType& t : ours) t.priority = 0;
  sort(ours);
  return ours;
}

void TypeLists::sort(TypeList& list) const {
  const auto key = [&](const SupportedType& t) {
    return std::tuple(-t.priority, -rules_.priority_of(t.type), std::string_view(t.type));
  };
  std::ranges::sort(list, {}, key);
}

std::vector<std::string> TypeLists::prioritised(std::vector<std::string> types) const {
  std::ranges::sort(types, {},
                    [&](const std::string& t) { return std::tuple(-rules_.priority_of(t), std::string_view(t)); });
  const auto rest = std::unique(types.begin(), types.end());
  types.erase(rest, types.end());
  return types;
}

bool supports(const TypeList& list, std::string_view type) {
  return std::ranges::find(list, type, &SupportedType::type) != list.end();
}

bool is_xla_type(std::string_view type) {
  static constexpr std::array kTypes = {"XLA_CPU_JIT", "XLA_GPU_JIT", "XLA_TPU_JIT", "XLA_CPU", "XLA_GPU", "TPU"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

TypeList without_xla(TypeList list) {
  TypeList rest = list;
  std::erase_if(rest, [](const SupportedType& t) { return is_xla_type(t.type); });
  return rest.empty() ? list : rest;
}

}  // namespace tarry
