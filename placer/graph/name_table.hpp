// Interned strings: each is kept once, with ids in order of first appearance.
//
// PROMISES: a text keeps its address as long as the table or a copy of it lives. A copy shares the characters of the
// strings that were there when it was made; after that both grow independently.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "placer/core/fetch_ahead.hpp"
#include "placer/core/ids.hpp"
#include "placer/core/wide_pages.hpp"

namespace tarry {

class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable& o);
  NameTable(NameTable&&) noexcept = default;
  NameTable& operator=(NameTable o) noexcept;
  ~NameTable() = default;

  NameId intern(std::string_view text);
  [[nodiscard]] NameId find(std::string_view text) const;  // none when it was never interned
  // Prefetch the memory that looking up `text` will read, for tables larger than the processor's caches: `expect` the
  // place in the table, `expect_characters`, some time later, the characters of the name found there.
  void expect(std::string_view text) const { ids_.prefetch(text); }
  void expect_characters(std::string_view text) const { (void)ids_.contains(Glance{text}); }
  [[nodiscard]] std::string_view operator[](NameId id) const { return texts_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  void reserve(std::size_t names);

 private:
  struct Entry {
    const char* begin;
    std::uint32_t size;
    NameId id;
    [[nodiscard]] std::string_view text() const { return {begin, size}; }
  };
  struct Glance {  // a look-up that only prefetches the characters of the first name that may be equal
    std::string_view text;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
    std::size_t operator()(const Entry& e) const { return (*this)(e.text()); }
    std::size_t operator()(const Glance& g) const { return (*this)(g.text); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Entry& a, const Glance&) const { return fetch_ahead(a.begin), true; }
    bool operator()(const Entry& a, std::string_view b) const { return a.text() == b; }
    bool operator()(const Entry& a, const Entry& b) const { return a.text() == b.text(); }
  };
  using Characters = std::pmr::monotonic_buffer_resource;
  [[nodiscard]] std::string_view kept(std::string_view text);

  std::vector<std::string_view> texts_;
  absl::flat_hash_set<Entry, Hash, Same, WidePages<Entry>> ids_;  // looked up, never iterated
  std::shared_ptr<Characters> own_;                               // null until the first string
  std::vector<std::shared_ptr<const void>> copied_;               // characters of the tables that this one is a copy of
};

}  // namespace tarry
