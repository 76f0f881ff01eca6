// A node's attributes, as plain values.
//
// Attribute maps are immutable and shared between the copies of a node that travel from client to worker; changing one
// copies it first. Entries are sorted by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "placer/core/shared_array.hpp"
#include "placer/graph/types.hpp"

namespace tarry {

// A constant. `content` holds the elements that the proto lists, little-endian and packed; when there are fewer than
// the shape has, the last one stands for all that follow (and none at all means zeros). Strings are in `strings`, same
// rule. What a file says is kept as text (`unread`) where it is no tensor: its type is none, its shape is no full one,
// or its content has another length.
struct TensorSpec {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  std::string content;
  std::vector<std::string> strings;
  std::string unread = {};
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

struct AttrValue;
using AttrEntry = std::pair<std::string, AttrValue>;

struct FuncRef {  // a function and its own attributes
  std::string name;
  std::shared_ptr<const std::vector<AttrEntry>> attrs;
  bool operator==(const FuncRef& o) const;
};

struct AttrList {  // at most one of the lists is not empty
  std::vector<std::string> s;
  std::vector<std::int64_t> i;
  std::vector<float> f;
  std::vector<bool> b;
  DataTypes type;
  std::vector<Shape> shape;
  std::vector<std::shared_ptr<const TensorSpec>> tensor;
  std::vector<FuncRef> func;
  bool operator==(const AttrList& o) const;
};

struct Placeholder {  // inside function bodies: the name of the caller's attribute
  std::string name;
  friend bool operator==(const Placeholder&, const Placeholder&) = default;
};

template <class T>
inline constexpr bool kIsPointedTo = std::is_same_v<T, AttrList> || std::is_same_v<T, FuncRef>;

struct AttrValue {
  // Lists and functions are large and rare, so they stand behind pointers (never null): every node's attributes are an
  // array of these.
  std::variant<std::monostate, std::string, std::int64_t, float, bool, DataType, Shape,
               std::shared_ptr<const TensorSpec>, std::shared_ptr<const AttrList>, std::shared_ptr<const FuncRef>,
               Placeholder>
      value;

  AttrValue() = default;
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, AttrValue> && !kIsPointedTo<std::remove_cvref_t<T>>) AttrValue(T v)
      : value(std::move(v)) {}  // NOLINT(google-explicit-constructor): a value is an attribute value
  AttrValue(const char* v) : value(std::string(v)) {}  // NOLINT(google-explicit-constructor)
  AttrValue(AttrList v)
      : value(std::make_shared<const AttrList>(std::move(v))) {}                  // NOLINT(google-explicit-constructor)
  AttrValue(FuncRef v) : value(std::make_shared<const FuncRef>(std::move(v))) {}  // NOLINT(google-explicit-constructor)

  template <class T>
  [[nodiscard]] const T* get() const {
    if constexpr (kIsPointedTo<T>) {
      const auto* pointer = std::get_if<std::shared_ptr<const T>>(&value);
      return pointer == nullptr ? nullptr : pointer->get();
    } else {
      return std::get_if<T>(&value);
    }
  }
  bool operator==(const AttrValue& o) const;
};

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<AttrEntry> entries);
  explicit Attrs(std::vector<AttrEntry> entries);  // sorts; of entries with equal names the last stays
  explicit Attrs(std::span<AttrEntry> sorted);     // REQUIRES: sorted, no name twice. Moves from the entries.

  [[nodiscard]] const AttrValue* find(std::string_view name) const {
    return (names_ & mark_of(name)) != 0 ? look_up(name) : nullptr;
  }
  template <class T>
  [[nodiscard]] const T* get(std::string_view name) const {
    const AttrValue* v = find(name);
    return v == nullptr ? nullptr : v->get<T>();
  }
  void set(std::string name, AttrValue value);
  void erase(std::string_view name);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool is_same_object(const Attrs& o) const { return begin() == o.begin(); }  // shared, hence equal
  [[nodiscard]] const AttrEntry* begin() const { return entries_.begin(); }
  [[nodiscard]] const AttrEntry* end() const { return entries_.end(); }
  friend bool operator==(const Attrs& a, const Attrs& b) {
    return a.is_same_object(b) || std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // One of 64 bits for a name: most look-ups are of names that are not there, and `names_` shows that without a look at
  // the entries.
  [[nodiscard]] static std::uint64_t mark_of(std::string_view name) {
    return name.empty() ? 1
                        : std::uint64_t{1} << ((7 * name.size() + 3UL * static_cast<unsigned char>(name.front()) +
                                                11UL * static_cast<unsigned char>(name.back())) %
                                               64);
  }
  [[nodiscard]] const AttrValue* look_up(std::string_view name) const;

  SharedArray<AttrEntry> entries_;
  std::uint64_t names_ = 0;  // the marks of all names
};

// As TensorFlow prints an attribute value in error texts: DT_FLOAT, "text", [1, 2], 3, true, Tensor<type: float shape:
// [2]>.
[[nodiscard]] std::string summarize(const AttrValue& value);

}  // namespace tarry
