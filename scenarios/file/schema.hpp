// Reading YAML files into plain values, and publishing their schema, both from one description of every key.
//
// A Type<T> reads a YAML node into a T, says in words what it expects, and has a JSON Schema. A Section<T> is the Type
// of a map with known keys: each has a name, a type, a line of documentation and, as default, the value of T's own
// initialiser. So the loader, its errors and `tarry schema` cannot disagree. Reading stops at the first error:
// "file:line:column: what is wrong; what was expected".
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "placer/core/status.hpp"
#include "placer/core/text.hpp"
#include "scenarios/file/position.hpp"

namespace tarry {

using Json = nlohmann::ordered_json;

// A name and its position in the file, for errors that only show when names are looked up.
struct Named {
  std::string text;
  Position at;
};

// The state of reading one file: the first error, if any.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] bool ok() const { return status_.ok(); }
  void fail(Position at, const std::string& what);
  void fail(const YAML::Node& at, const std::string& what);
  // Counts the nodes that were read. Gives false, with an error, when there are too many: aliases can make a small file
  // huge.
  bool enter(const YAML::Node& node);

 private:
  std::string file_;
  Status status_;
  int visited_ = 0;
};

[[nodiscard]] Position position_of(const YAML::Node& node);
// "a list", "the text 'x'", "nothing": for "expected a time such as 200ms, found a list".
[[nodiscard]] std::string describe(const YAML::Node& node);
// Where below the section of that schema a key of that name stands: "build", "cluster.network".
[[nodiscard]] std::vector<std::string> sections_with(const Json& schema, const std::string& key);

template <class T>
struct Type {
  std::string expected;  // "a time such as 200ms"
  Json schema;
  std::function<void(Reader&, const YAML::Node&, T&)> read;
  std::function<Json(const T&)> show;  // a value as YAML has it; empty = defaults are not shown
};

template <class T>
void refuse(Reader& in, const YAML::Node& node, const Type<T>& type) {
  in.fail(node, fmt::format("expected {}, found {}", type.expected, describe(node)));
}

// ---- a map with known keys ----

template <class T>
class Section {
 public:
  Section(std::string name, std::string doc) : name_(std::move(name)), doc_(std::move(doc)) {}

  template <class M>
  Section& key(std::string key_name, M T::*member, Type<M> type, std::string doc) {
    Json schema = described(type.schema, doc);
    if (type.show) schema["default"] = type.show(T{}.*member);
    return add(std::move(key_name), std::mem_fn(member), std::move(type), std::move(schema), false);
  }
  template <class M>
  Section& required(std::string key_name, M T::*member, Type<M> type, std::string doc) {
    Json schema = described(type.schema, doc);
    return add(std::move(key_name), std::mem_fn(member), std::move(type), std::move(schema), true);
  }

  // A value that is not a plain member: `place` gives the object to read it into.
  template <class Place, class M>
  Section& entry(std::string key_name, Place place, Type<M> type, const std::string& doc, bool required) {
    return add(std::move(key_name), std::move(place), type, described(type.schema, doc), required);
  }

  [[nodiscard]] Type<T> type() const {
    const auto self = std::make_shared<const Section>(*this);
    return {fmt::format("a map with the keys of {}", name_),
            schema(),
            [self](Reader& in, const YAML::Node& node, T& out) { self->read(in, node, out); },
            {}};
  }

 private:
  struct Key {
    std::string name;
    bool required = false;
    Json schema;
    std::function<void(Reader&, const YAML::Node&, T&)> read;
  };

  static Json described(Json schema, const std::string& doc) {
    schema["description"] = doc;
    return schema;
  }

  template <class Place, class M>
  Section& add(std::string key_name, Place place, Type<M> type, Json schema, bool required) {
    keys_.push_back({std::move(key_name), required, std::move(schema),
                     [place = std::move(place), type = std::move(type)](Reader& in, const YAML::Node& node, T& out) {
                       type.read(in, node, place(out));
                     }});
    return *this;
  }

  void read(Reader& in, const YAML::Node& node, T& out) const {
    if (!node.IsMap())
      return in.fail(node, fmt::format("expected a map with the keys of {}, found {}", name_, describe(node)));
    std::vector<std::string> seen;
    for (const auto& entry : node) {
      if (!in.enter(entry.first)) return;
      read_entry(in, entry.first, entry.second, seen, out);
      if (!in.ok()) return;
    }
    for (const Key& k : keys_)
      if (k.required && std::ranges::find(seen, k.name) == seen.end())
        return in.fail(node, fmt::format("{} has no '{}'", name_, k.name));
  }

  void read_entry(Reader& in, const YAML::Node& key, const YAML::Node& value, std::vector<std::string>& seen,
                  T& out) const {
    const std::string text = key.IsScalar() ? key.Scalar() : "";
    const auto found = std::ranges::find(keys_, text, &Key::name);
    if (found == keys_.end()) return in.fail(key, unknown_key(key));
    if (std::ranges::find(seen, text) != seen.end())
      return in.fail(key, fmt::format("key '{}' appears twice in {}", text, name_));
    seen.push_back(text);
    found->read(in, value, out);
  }

  [[nodiscard]] std::string unknown_key(const YAML::Node& key) const {
    if (!key.IsScalar()) return fmt::format("expected a key of {}, found {}", name_, describe(key));
    std::vector<std::string> names;
    for (const Key& k : keys_) names.push_back(k.name);
    const std::size_t space = key.Scalar().find(' ');  // "latency 5ms" lacks a colon
    const bool lacks_colon = std::ranges::find(names, key.Scalar().substr(0, space)) != names.end();
    const std::string with_colon = lacks_colon ? std::string(key.Scalar()).insert(space, ":") : "";
    const std::vector<std::string> below = sections_with(schema(), key.Scalar());
    std::string hint = did_you_mean(key.Scalar(), names);
    if (!below.empty()) hint = fmt::format("; it belongs under {}", join(below, " or "));
    if (lacks_colon) hint = fmt::format("; did you mean '{}'?", with_colon.substr(0, 80));
    return fmt::format("unknown key '{}' in {}{}", key.Scalar().substr(0, 80), name_,
                       hint.empty() ? fmt::format("; expected one of {}", join(names, ", ")) : hint);
  }

  [[nodiscard]] Json schema() const {
    Json s{{"type", "object"}, {"description", doc_}, {"additionalProperties", false}, {"properties", Json::object()}};
    for (const Key& k : keys_) {
      s["properties"][k.name] = k.schema;
      if (k.required) s["required"].push_back(k.name);
    }
    return s;
  }

  std::string name_, doc_;
  std::vector<Key> keys_;
};

// ---- types made of types ----

template <class T>
Type<std::optional<T>> optional_of(Type<T> type) {
  const auto read = [inner = type.read](Reader& in, const YAML::Node& node, std::optional<T>& out) {
    inner(in, node, out.emplace());
  };
  return {type.expected, type.schema, read, {}};
}

template <class T>
Type<std::vector<T>> list_of(Type<T> item) {
  Type<std::vector<T>> list{
      fmt::format("a list, each {}", item.expected), {{"type", "array"}, {"items", item.schema}}, {}, {}};
  list.read = [item, expected = list.expected](Reader& in, const YAML::Node& node, std::vector<T>& out) {
    if (!node.IsSequence()) return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    for (const auto& entry : node) {
      if (!in.enter(entry)) return;
      item.read(in, entry, out.emplace_back());
      if (!in.ok()) return;
    }
  };
  return list;
}

// A map whose keys are names that the file chooses, in the file's order; a name appears once.
template <class T>
Type<std::vector<std::pair<Named, T>>> map_of(std::string key_doc, Type<T> item) {
  using Entries = std::vector<std::pair<Named, T>>;
  Type<Entries> map{
      fmt::format("a map from {}", key_doc), {{"type", "object"}, {"additionalProperties", item.schema}}, {}, {}};
  map.read = [item, expected = map.expected](Reader& in, const YAML::Node& node, Entries& out) {
    if (!node.IsMap()) return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (!in.enter(entry.first)) return;
      const Named name{entry.first.IsScalar() ? entry.first.Scalar() : "", position_of(entry.first)};
      if (name.text.empty())
        return in.fail(entry.first, fmt::format("expected a name, found {}", describe(entry.first)));
      if (!seen.insert(name.text).second) return in.fail(name.at, fmt::format("'{}' appears twice", name.text));
      item.read(in, entry.second, out.emplace_back(name, T{}).second);
      if (!in.ok()) return;
    }
  };
  return map;
}

// A section whose values know where they stand.
template <class T>
Type<T> with_position(Type<T> type) {
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, T& out) {
    inner(in, node, out);
    out.at = position_of(node);
  };
  return type;
}

// A short form (a word) or a long form (a map) of the same value.
template <class T>
Type<T> word_or_map(Type<T> word, Type<T> map) {
  Type<T> both{
      fmt::format("{} or {}", word.expected, map.expected), {{"oneOf", {word.schema, map.schema}}}, {}, word.show};
  both.read = [word, map, expected = both.expected](Reader& in, const YAML::Node& node, T& out) {
    if (node.IsMap()) return map.read(in, node, out);
    if (node.IsScalar()) return word.read(in, node, out);
    in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
  };
  return both;
}

// A map with exactly one key, which says what the value is.
template <class T>
Type<T> one_key_of(std::vector<std::pair<std::string, Type<T>>> choices) {
  std::vector<std::string> names;
  Json schema{{"type", "object"},
              {"minProperties", 1},
              {"maxProperties", 1},
              {"additionalProperties", false},
              {"properties", Json::object()}};
  for (const auto& [name, type] : choices) {
    names.push_back(name);
    schema["properties"][name] = type.schema;
  }
  const std::string expected = fmt::format("a map with one of {}", join(names, ", "));
  const auto read = [choices, names, expected](Reader& in, const YAML::Node& node, T& out) {
    if (!node.IsMap() || node.size() != 1)
      return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    const YAML::Node key = node.begin()->first, value = node.begin()->second;
    for (const auto& [name, type] : choices)
      if (key.IsScalar() && key.Scalar() == name) return type.read(in, value, out);
    in.fail(key, fmt::format("expected {}, found {}{}", expected, describe(key),
                             did_you_mean(key.IsScalar() ? key.Scalar() : "", names)));
  };
  return {expected, schema, read, {}};
}

// Reads a From and converts it to a To.
template <class To, class From, class Convert>
Type<To> converted(Type<From> from, Convert convert) {
  const auto read = [inner = from.read, convert](Reader& in, const YAML::Node& node, To& out) {
    From value{};
    inner(in, node, value);
    if (in.ok()) out = convert(std::move(value));
  };
  return {from.expected, from.schema, read, {}};
}

// ---- words ----

[[nodiscard]] Type<std::string> text_type();
[[nodiscard]] Type<Named> name_type(std::string what);  // "the name of a host"
[[nodiscard]] Type<bool> boolean_type();
[[nodiscard]] Type<std::int64_t> integer_type(std::int64_t least, std::int64_t most);
// In millionths: at least `least`, at the most `most`.
[[nodiscard]] Type<std::int64_t> number_type(std::int64_t least, std::int64_t most);
[[nodiscard]] Type<std::int64_t> time_type();
[[nodiscard]] Type<std::uint64_t> bandwidth_type();
[[nodiscard]] Type<std::uint64_t> size_type();
[[nodiscard]] Type<std::uint64_t> speed_type();

// One of a few words.
template <class T>
Type<T> word_type(std::vector<std::pair<std::string, T>> words) {
  std::vector<std::string> names;
  for (const auto& w : words) names.push_back(w.first);
  const std::string expected = fmt::format("one of {}", join(names, ", "));
  const auto read = [words, names, expected](Reader& in, const YAML::Node& node, T& out) {
    for (const auto& [name, value] : words)
      if (node.IsScalar() && node.Scalar() == name) return void(out = value);
    in.fail(node, fmt::format("expected {}, found {}{}", expected, describe(node),
                              did_you_mean(node.IsScalar() ? node.Scalar() : "", names)));
  };
  const auto show = [words](const T& value) {
    const auto found = std::ranges::find(words, value, &std::pair<std::string, T>::second);
    return Json(found == words.end() ? "" : found->first);
  };
  return {expected, {{"enum", names}}, read, show};
}

}  // namespace tarry
