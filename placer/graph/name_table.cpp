#include "placer/graph/name_table.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

constexpr std::size_t kFirstCharacters = 512;

}  // namespace

NameTable::NameTable(const NameTable& o) : texts_(o.texts_), ids_(o.ids_), copied_(o.copied_) {
  copied_.push_back(o.own_);
}

NameTable& NameTable::operator=(NameTable o) noexcept {
  std::swap(texts_, o.texts_);
  std::swap(ids_, o.ids_);
  std::swap(own_, o.own_);
  std::swap(copied_, o.copied_);
  return *this;
}

std::size_t NameTable::Hash::operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }

std::string_view NameTable::kept(std::string_view text) {
  if (own_ == nullptr) own_ = std::make_shared<Characters>(kFirstCharacters);
  auto* begin = static_cast<char*>(own_->allocate(text.size() + 1, 1));
  std::ranges::copy(text, begin);
  return {begin, text.size()};
}

NameId NameTable::intern(std::string_view text) {
  const auto add = [&](const auto& make) {
    const std::string_view own = kept(text);
    make(Entry{own.data(), static_cast<std::uint32_t>(own.size()), NameId{texts_.size()}});
    texts_.push_back(own);
  };
  return ids_.lazy_emplace(text, add)->id;
}

NameId NameTable::find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? NameId::none() : it->id;
}

void NameTable::reserve(std::size_t names) {
  texts_.reserve(names);
  ids_.reserve(names);
}

}  // namespace tarry
