// Faults written on a command line.

#include <algorithm>
#include <cctype>
#include <limits>

#include "placer/core/text.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

// ---- writing ----

template <class K>
inline constexpr bool kIsAboutATask =
    std::is_same_v<typename std::tuple_element_t<0, decltype(K::fields())>::Value, TaskId>;

// No sign of the line's own, of YAML's or of a shell's is in the name.
bool is_plain(std::string_view name) {
  const auto is_safe = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
  };
  return !name.empty() && std::ranges::all_of(name, is_safe);
}

class LineWriter {
 public:
  explicit LineWriter(const ClusterSpec& cluster) : cluster_(cluster) {}

  [[nodiscard]] std::string line(const Fault& fault) {
    const std::string text =
        std::visit([&](const auto& kind) { return what(kind) + " " + when(fault.when); }, fault.what);
    return is_plain_ ? text : fault_text(fault, cluster_);
  }

 private:
  template <class K>
  std::string what(const K& kind) {
    std::string text(K::kKey);
    std::apply(
        [&](const auto& first, const auto&... more) {
          if constexpr (kIsAboutATask<K>) own_ = kind.*first.member;
          text += " " + value(kind.*first.member);
          (add(text, more.key, kind.*more.member), ...);
        },
        K::fields());
    return text;
  }
  template <class Value>
  void add(std::string& text, std::string_view key, const std::optional<Value>& v) {
    if (v) add(text, key, *v);
  }
  template <class Value>
  void add(std::string& text, std::string_view key, const Value& v) {
    text += fmt::format(" {}={}", key, value(v));
  }

  std::string when(const std::variant<Nanos, Trigger>& when) {
    if (const auto* at = std::get_if<Nanos>(&when)) return "at " + format_time(*at);
    const auto& t = std::get<Trigger>(when);
    std::string text = fmt::format("after {}", std::ranges::find(kMoments, t.moment, &MomentText::moment)->key);
    if (t.count != 1) text += fmt::format("#{}", t.count);
    if (t.task != own_) text += ":" + value(t.task);
    if (t.delay != 0) text += " +" + format_time(t.delay);
    return text;
  }

  std::string plain(std::string name) {
    is_plain_ = is_plain_ && is_plain(name);
    return name;
  }
  std::string value(TaskId task) { return plain(short_task(cluster_.tasks.at(task.index()).name)); }
  std::string value(HostId host) { return plain(cluster_.hosts.at(host.index()).name); }
  template <class Pair>
  requires requires(const Pair& p) { p.a; }
  std::string value(const Pair& pair) { return value(pair.a) + "," + value(pair.b); }
  std::string value(const HostList& list) {
    std::string all;
    for (const HostId host : list.hosts) all += (all.empty() ? "" : ",") + value(host);
    return all;
  }
  std::string value(const OpPattern& op) {
    is_plain_ = is_plain_ && op.text != "null" && op.text != "Null" && op.text != "NULL";
    return plain(op.text);
  }
  std::string value(Bytes b) { return format_size(b.value); }
  std::string value(All) { return "all"; }
  template <class Number>
  requires std::integral<decltype(Number::value)> std::string value(Number n) { return std::to_string(n.value); }
  std::string value(Nanos t) { return format_time(t); }

  const ClusterSpec& cluster_;
  TaskId own_;
  bool is_plain_ = true;
};

// ---- reading: the line is turned into what a scenario's file has ----

struct KindShape {
  std::string_view key;
  std::vector<std::string_view> fields;
  bool is_about_a_task = false, begins_with_a_list = false;  // of names
};

const std::vector<KindShape>& shapes() {
  static const std::vector<KindShape> kAll = [] {
    std::vector<KindShape> all;
    for_each_kind([&]<class K>() {
      KindShape& s = all.emplace_back(KindShape{K::kKey, {}, kIsAboutATask<K>, false});
      std::apply([&](const auto&... f) { (s.fields.push_back(f.key), ...); }, K::fields());
      s.begins_with_a_list = requires(K k) { (k.*std::get<0>(K::fields()).member).a; }
      || requires(K k) { (k.*std::get<0>(K::fields()).member).hosts; };
    });
    return all;
  }();
  return kAll;
}

class LineReader {
 public:
  LineReader(std::string_view text, const Scenario& scenario) : text_(text), scenario_(scenario) {}

  StatusOr<Fault> read(const Fault* before) {
    if (text_.starts_with('{')) return parsed(std::string(text_));
    for (const std::string_view word : split(text_, ' '))
      if (!word.empty()) words_.push_back(word);
    TARRY_ASSIGN(const std::string what, read_what());
    if (is_next("at") && at_ + 1 < words_.size() && words_[at_ + 1].starts_with('+')) return read_later(what, before);
    TARRY_ASSIGN(const std::string when, read_when());
    return parsed(fmt::format("{{{}, {}}}", when, what));
  }

 private:
  [[nodiscard]] bool is_next(std::string_view word) const { return at_ < words_.size() && words_[at_] == word; }

  // The message without its place in a text that the user has not seen.
  [[nodiscard]] StatusOr<Fault> parsed(const std::string& yaml) const {
    auto fault = parse_fault(yaml, scenario_);
    if (fault.ok()) return fault;
    const std::string text(text_of(fault.status()));
    const std::size_t place = text.find(": ");
    return invalid("{}", text.starts_with("fault:") && place != text.npos ? text.substr(place + 2) : text);
  }

  StatusOr<std::string> read_what() {
    if (words_.empty()) return invalid("it is empty; expected one such as 'kill worker/0 at 2s'");
    const auto shape = std::ranges::find(shapes(), words_[0], &KindShape::key);
    if (shape == shapes().end())
      return invalid("no kind of fault is called '{}'{}; `tarry faults` lists them", words_[0], suggestion());
    shape_ = &*shape;
    at_ = 1;
    std::string fields;
    while (at_ < words_.size() && words_[at_] != "at" && words_[at_] != "after") {
      TARRY_ASSIGN(const std::string field, read_field(at_ == 1));
      fields += (fields.empty() ? "" : ", ") + field;
      ++at_;
    }
    if (shape->fields.size() == 1) return fmt::format("{}: {}", shape->key, fields.substr(fields.find(' ') + 1));
    return fmt::format("{}: {{{}}}", shape->key, fields);
  }

  StatusOr<std::string> read_field(bool is_first) {
    const std::string_view word = words_[at_];
    const std::size_t equals = word.find('=');
    if (equals != word.npos) return fmt::format("{}: {}", word.substr(0, equals), quoted_star(word.substr(equals + 1)));
    if (!is_first) return invalid("'{}': expected key=value, or when: 'at TIME' or 'after MOMENT'", word);
    if (shape_->is_about_a_task) own_ = word;
    const std::string names = fmt::format("\"{}\"", fmt::join(split(word, ','), "\", \""));  // "null" may be a host
    return fmt::format("{}: {}", shape_->fields[0], shape_->begins_with_a_list ? fmt::format("[{}]", names) : names);
  }

  // "*" for any text would be an alias of YAML's.
  static std::string quoted_star(std::string_view value) {
    return value.starts_with('*') ? fmt::format("\"{}\"", value) : std::string(value);
  }

  StatusOr<std::string> read_when() {
    if (at_ + 1 >= words_.size()) return invalid("it does not say when; expected 'at TIME' or 'after MOMENT'");
    const bool is_after = words_[at_++] == "after";
    std::string text = is_after ? read_moment(words_[at_++]) : fmt::format("at: {}", words_[at_++]);
    if (is_after && at_ < words_.size() && words_[at_].starts_with('+'))
      text += fmt::format(", delay: {}", words_[at_++].substr(1));
    if (at_ < words_.size()) return invalid("'{}' stands behind when it happens", words_[at_]);
    return is_after ? fmt::format("after: {{{}}}", text) : text;
  }

  [[nodiscard]] std::string read_moment(std::string_view word) const {
    const std::size_t colon = word.find(':');
    const std::string_view task = colon == word.npos ? own_ : word.substr(colon + 1);
    word = word.substr(0, colon);
    const std::size_t hash = word.find('#');
    const std::string count = hash == word.npos ? "" : fmt::format(", count: {}", word.substr(hash + 1));
    return fmt::format("{}: {}{}", word.substr(0, hash), task, count);
  }

  StatusOr<Fault> read_later(const std::string& what, const Fault* before) {
    if (before == nullptr)
      return invalid("'at {}' counts from the fault before it, and this is the first one", words_[at_ + 1]);
    if (at_ + 2 < words_.size()) return invalid("'{}' stands behind when it happens", words_[at_ + 2]);
    TARRY_ASSIGN(Fault fault, parsed(fmt::format("{{at: {}, {}}}", words_[at_ + 1].substr(1), what)));
    const Nanos later = std::get<Nanos>(fault.when);
    fault.when = before->when;
    const Nanos earlier = std::visit([](auto& when) { return delay_of(when); }, fault.when);
    if (later > kLatest - earlier) return invalid("'at {}' is too far from the first fault", words_[at_ + 1]);
    std::visit([&](auto& when) { delay_of(when) = earlier + later; }, fault.when);
    return fault;
  }
  static constexpr Nanos kLatest = std::numeric_limits<Nanos>::max() / 4;  // as parse_time has it
  static Nanos& delay_of(Nanos& at) { return at; }
  static Nanos& delay_of(Trigger& t) { return t.delay; }

  [[nodiscard]] std::string suggestion() const {
    std::vector<std::string> names;
    for (const KindShape& s : shapes()) names.emplace_back(s.key);
    return did_you_mean(std::string(words_[0]), names);
  }

  std::string_view text_;
  const Scenario& scenario_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  const KindShape* shape_ = nullptr;
  std::string_view own_;  // the task that the fault is about
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// At each semicolon that stands neither in braces nor in quotes.
std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      is_quoted = !is_quoted;
    if (is_quoted) continue;
    depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
    if (line[i] != ';' || depth != 0) continue;
    all.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  all.push_back(line.substr(begin));
  return all;
}

}  // namespace

StatusOr<std::vector<Fault>> parse_faults(std::string_view line, const Scenario& scenario) {
  std::vector<Fault> faults;
  if (trimmed(line).empty()) return faults;
  for (const std::string_view piece : pieces_of(line)) {
    const std::string_view text = trimmed(piece);
    auto fault = LineReader(text, scenario).read(faults.empty() ? nullptr : &faults.back());
    if (!fault.ok())
      return invalid("fault {}, '{}': {}", faults.size() + 1, text.substr(0, 80), text_of(fault.status()));
    faults.push_back(*std::move(fault));
  }
  return faults;
}

std::string faults_line(std::span<const Fault> faults, const ClusterSpec& cluster) {
  std::vector<std::string> all;
  for (const Fault& f : faults) all.push_back(LineWriter(cluster).line(f));
  return join(all, "; ");
}

}  // namespace tarry
