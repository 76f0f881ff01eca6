// Faults written as a scenario has them.

#include <algorithm>
#include <cctype>

#include "scenarios/file/faults.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

// As YAML takes it for a text, whatever is in it.
std::string quoted(const std::string& text) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  const bool is_nothing = text == "null" || text == "Null" || text == "NULL";
  if (!text.empty() && !text.starts_with('-') && std::ranges::all_of(text, is_plain) && !is_nothing) return text;
  return Json(text).dump();
}

class Writer {
 public:
  explicit Writer(const ClusterSpec& cluster) : cluster_(cluster) {}

  [[nodiscard]] std::string when(Nanos at) const { return "at: " + format_time(at); }
  [[nodiscard]] std::string when(const Trigger& t) const {
    const auto moment = std::ranges::find(kMoments, t.moment, &MomentText::moment);
    std::string text = fmt::format("after: {{{}: {}", moment->key, value(t.task));
    if (t.count != 1) text += fmt::format(", count: {}", t.count);
    if (t.delay != 0) text += ", delay: " + format_time(t.delay);
    return text + "}";
  }

  template <class K>
  [[nodiscard]] std::string what(const K& kind) const {
    const std::string fields = std::apply(
        [&](const auto&... field) {
          std::string text;
          (add(text, kFieldsOf<K> == 1 ? "" : field.key, kind.*field.member), ...);
          return text;
        },
        K::fields());
    return fmt::format(kFieldsOf<K> == 1 ? "{}: {}" : "{}: {{{}}}", K::kKey, fields);
  }

 private:
  template <class Value>
  void add(std::string& text, std::string_view key, const std::optional<Value>& v) const {
    if (v) add(text, key, *v);
  }
  template <class Value>
  void add(std::string& text, std::string_view key, const Value& v) const {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", key, key.empty() ? "" : ": ", value(v));
  }

  [[nodiscard]] std::string value(TaskId task) const { return short_task(cluster_.tasks.at(task.index()).name); }
  [[nodiscard]] std::string value(HostId host) const { return quoted(cluster_.hosts.at(host.index()).name); }
  [[nodiscard]] std::string value(const HostList& list) const {
    std::string all;
    for (const HostId host : list.hosts) all += (all.empty() ? "" : ", ") + value(host);
    return "[" + all + "]";
  }
  [[nodiscard]] std::string value(const OpPattern& op) const { return quoted(op.text); }
  [[nodiscard]] std::string value(Bytes b) const { return format_size(b.value); }
  [[nodiscard]] std::string value(PercentLeft s) const { return std::to_string(s.value); }
  [[nodiscard]] std::string value(Count c) const { return std::to_string(c.value); }
  [[nodiscard]] std::string value(GpuIndex g) const { return std::to_string(g.value); }
  [[nodiscard]] std::string value(All) const { return "all"; }
  template <class Pair>
  requires requires(const Pair& p) { p.a; }
  [[nodiscard]] std::string value(const Pair& pair) const {
    return fmt::format("[{}, {}]", value(pair.a), value(pair.b));
  }
  [[nodiscard]] std::string value(Percent p) const { return std::to_string(p.value); }
  [[nodiscard]] std::string value(Nanos t) const { return format_time(t); }

  const ClusterSpec& cluster_;
};

}  // namespace

std::string fault_text(const Fault& fault, const ClusterSpec& cluster) {
  const Writer writer(cluster);
  return fmt::format("{{{}, {}}}", std::visit([&](const auto& when) { return writer.when(when); }, fault.when),
                     std::visit([&](const auto& what) { return writer.what(what); }, fault.what));
}

}  // namespace tarry
