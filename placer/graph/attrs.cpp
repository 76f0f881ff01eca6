#include "placer/graph/attrs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "placer/graph/tensor_text.hpp"

namespace tarry {
namespace {

bool is_sorted(const std::vector<AttrEntry>& entries) {
  return std::ranges::adjacent_find(entries, std::ranges::greater_equal(), &AttrEntry::first) == entries.end();
}

std::vector<AttrEntry> sorted(std::vector<AttrEntry> entries) {
  if (is_sorted(entries)) return entries;
  std::ranges::stable_sort(entries, {}, &AttrEntry::first);
  std::vector<AttrEntry> unique;
  for (AttrEntry& e : entries) {
    if (!unique.empty() && unique.back().first == e.first)
      unique.back().second = std::move(e.second);
    else
      unique.push_back(std::move(e));
  }
  return unique;
}

constexpr std::size_t kScanned = 8;

// Of a few entries all are looked at: most names are told apart by their lengths, without reading them.
const AttrEntry* position(std::span<const AttrEntry> entries, std::string_view name) {
  const auto end = entries.end();
  auto it = entries.begin();
  if (entries.size() <= kScanned)
    it = std::ranges::find(entries, name, &AttrEntry::first);
  else
    it = std::ranges::lower_bound(entries, name, {}, [](const AttrEntry& e) { return std::string_view(e.first); });
  return it == end || it->first != name ? nullptr : &*it;
}

template <class T>
bool same_targets(const std::vector<std::shared_ptr<const T>>& a, const std::vector<std::shared_ptr<const T>>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x == y || (x && y && *x == *y); });
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '\'')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (u < 32 || u > 126)
      out += fmt::format("\\{:03o}", u);
    else
      out += c;
  }
  return out;
}

// Long strings are shown by their ends, as TensorFlow does.
std::string summarize_string(std::string_view text) {
  std::string e = escaped(text);
  if (e.size() >= 80) e = e.substr(0, 32) + "..." + e.substr(e.size() - 32);
  return "\"" + e + "\"";
}

std::string summarize_func(const FuncRef& f) {
  std::vector<std::string> parts;
  if (f.attrs)
    for (const AttrEntry& e : *f.attrs) parts.push_back(fmt::format("{}={}", e.first, summarize(e.second)));
  return fmt::format("{}[{}]", f.name, fmt::join(parts, ", "));
}

template <class List, class Print>
void append_all(std::vector<std::string>& out, const List& list, Print print) {
  for (const auto& v : list) out.push_back(print(v));
}

std::string summarize_list(const AttrList& l) {
  std::vector<std::string> parts;
  append_all(parts, l.s, [](const std::string& v) { return summarize_string(v); });
  append_all(parts, l.i, [](std::int64_t v) { return std::to_string(v); });
  append_all(parts, l.f, [](float v) { return fmt::format("{:g}", v); });
  append_all(parts, l.b, [](bool v) { return std::string(v ? "true" : "false"); });
  append_all(parts, l.type, [](DataType v) { return type_enum_name(v); });
  append_all(parts, l.shape, [](const Shape& v) { return to_string(v); });
  append_all(parts, l.tensor, [](const auto& v) { return tensor_text(*v); });
  append_all(parts, l.func, [](const FuncRef& v) { return summarize_func(v); });
  constexpr std::size_t kMostShown = 30, kKept = 5;  // 14 are all shown (seen in 2.15.1)
  if (parts.size() >= kMostShown) {
    parts.erase(parts.begin() + kKept, parts.end() - kKept);
    parts.insert(parts.begin() + kKept, "...");
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

struct Summarize {
  std::string operator()(std::monostate) const { return "<Unknown AttrValue type>"; }
  std::string operator()(const std::string& v) const { return summarize_string(v); }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(float v) const { return fmt::format("{:g}", v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(DataType v) const { return type_enum_name(v); }
  std::string operator()(const Shape& v) const { return to_string(v); }
  std::string operator()(const std::shared_ptr<const TensorSpec>& v) const { return tensor_text(*v); }
  std::string operator()(const std::shared_ptr<const AttrList>& v) const { return summarize_list(*v); }
  std::string operator()(const std::shared_ptr<const FuncRef>& v) const { return summarize_func(*v); }
  std::string operator()(const Placeholder& v) const { return "$" + v.name; }
};

}  // namespace

bool FuncRef::operator==(const FuncRef& o) const {
  return name == o.name && (attrs == o.attrs || (attrs && o.attrs && *attrs == *o.attrs));
}

bool AttrList::operator==(const AttrList& o) const {
  return s == o.s && i == o.i && f == o.f && b == o.b && type == o.type && shape == o.shape && func == o.func &&
         same_targets(tensor, o.tensor);
}

bool AttrValue::operator==(const AttrValue& o) const {
  return value.index() == o.value.index() && std::visit(
                                                 [&]<class T>(const T& a) {
                                                   const T& b = std::get<T>(o.value);
                                                   if constexpr (requires { *a; })
                                                     return a == b || *a == *b;
                                                   else
                                                     return a == b;
                                                 },
                                                 value);
}

Attrs::Attrs(std::initializer_list<AttrEntry> entries) : Attrs(std::vector<AttrEntry>(entries)) {}
Attrs::Attrs(std::vector<AttrEntry> entries) {
  std::vector<AttrEntry> kept = sorted(std::move(entries));
  *this = Attrs(std::span(kept));
}
Attrs::Attrs(std::span<AttrEntry> sorted) {
  for (const AttrEntry& e : sorted) names_ |= mark_of(e.first);
  entries_ = SharedArray<AttrEntry>(sorted);
}

const AttrValue* Attrs::look_up(std::string_view name) const {
  const AttrEntry* found = position({begin(), end()}, name);
  return found == nullptr ? nullptr : &found->second;
}

void Attrs::set(std::string name, AttrValue value) {
  std::vector<AttrEntry> copy(begin(), end());
  copy.emplace_back(std::move(name), std::move(value));
  *this = Attrs(std::move(copy));
}

void Attrs::erase(std::string_view name) {
  std::vector<AttrEntry> copy(begin(), end());
  std::erase_if(copy, [&](const AttrEntry& e) { return e.first == name; });
  *this = Attrs(std::span(copy));
}

std::string summarize(const AttrValue& value) { return std::visit(Summarize{}, value.value); }

}  // namespace tarry
