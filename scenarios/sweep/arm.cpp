#include "scenarios/sweep/arm.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <span>

#include "placer/core/text.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/file/yaml.hpp"

namespace tarry {
namespace {

// A step of the way that a key says.
struct Step {
  std::string name;                  // of a map
  std::optional<std::size_t> place;  // of a list
  bool is_new = false;               // `[]`: a place behind the last one
  friend bool operator==(const Step&, const Step&) = default;
};

StatusOr<std::vector<Step>> way_of(const std::string& key) {
  static const std::regex kPart(R"(([^.\[\]]+)((?:\[\d{1,6}\])*(?:\[\]$)?)(?:\.|$))"), kPlace(R"(\[(\d*)\])");
  std::vector<Step> way;
  std::size_t read = 0;
  for (std::sregex_iterator it(key.begin(), key.end(), kPart), end; it != end; ++it) {
    if (static_cast<std::size_t>(it->position()) != read) break;
    read += static_cast<std::size_t>(it->length());
    way.push_back({it->str(1), {}});
    const std::string places = it->str(2);
    for (std::sregex_iterator p(places.begin(), places.end(), kPlace); p != end; ++p)
      way.push_back(p->length(1) == 0 ? Step{"", {}, true} : Step{"", std::stoul(p->str(1))});
  }
  if (way.empty() || read != key.size() || key.ends_with('.'))
    return invalid("{}: expected a key such as build.protocol or costs[0].time", key);
  return way;
}

StatusOr<YAML::Node> new_entry(YAML::Node at, const std::string& key) {
  if (at.IsDefined() && !at.IsNull() && !at.IsSequence())
    return invalid("{}: [] is a new entry of a list, and there is {}", key, describe(at));
  at.push_back(YAML::Node());
  return at[at.size() - 1];
}

// Where the step leads; a map gets the key if it lacks it.
StatusOr<YAML::Node> follow(YAML::Node at, const Step& step, const std::string& key) {
  if (step.is_new) return new_entry(at, key);
  if (!step.place) {
    if (at.IsDefined() && !at.IsMap() && !at.IsNull())
      return invalid("{}: '{}' is a key, and it would be in {}{}", key, step.name, describe(at),
                     at.IsScalar() ? "; give the section that is to stand in its place, such as KEY={a: 1, b: 2}"
                                   : "; entries of a list are named by their place, such as costs[0].time");
    return at[step.name];
  }
  if (!at.IsSequence())
    return invalid("{}: [{}] is a place in a list, and there is {}", key, *step.place, describe(at));
  if (*step.place >= at.size())
    return invalid("{}: there is no [{}]: the list has {}, and [] adds one", key, *step.place,
                   counted(std::ssize(at), "entry", "entries"));
  return at[*step.place];
}

// Whether the value has something where the steps lead. Nothing (~) is said of all that would be in it.
bool holds(YAML::Node value, std::span<const Step> steps) {
  for (const Step& s : steps) {
    if (value.IsNull()) return true;
    if (s.place ? !value.IsSequence() || *s.place >= value.size() : !value.IsMap() || !value[s.name]) return false;
    value.reset(s.place ? value[*s.place] : value[s.name]);
  }
  return true;
}

// Without aliases: a value that stands in two places is there twice, so that one can be changed alone.
YAML::Node copy_of(const YAML::Node& node) {
  if (node.IsScalar()) return YAML::Node(node.Scalar());
  YAML::Node out(node.Type());
  if (node.IsSequence())
    for (const auto& entry : node) out.push_back(copy_of(entry));
  if (node.IsMap())
    for (const auto& entry : node) out.force_insert(entry.first.Scalar(), copy_of(entry.second));  // twice: refused
  return out;
}

Status apply(YAML::Node& document, const KeyChange& change) {
  TARRY_ASSIGN(const std::vector<Step> way, way_of(change.key));
  YAML::Node at = document;
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    TARRY_ASSIGN(const YAML::Node next, follow(at, way[i], change.key));
    at.reset(next);
  }
  if (change.value.IsNull() && way.back().is_new)
    return invalid("{}: a new entry of a list needs a value, and there is nothing", change.key);
  if (change.value.IsNull() && !way.back().place) {
    if (at.IsMap()) at.remove(way.back().name);
    return {};
  }
  TARRY_ASSIGN(YAML::Node last, follow(at, way.back(), change.key));
  last = copy_of(change.value);
  return {};
}

// "plan.yaml:3:7: what is wrong" without the place.
std::string without_place(std::string_view text, const std::string& file) {
  static const std::regex kPlace(R"(^(:\d+:\d+)?: )");
  if (!text.starts_with(file)) return std::string(text);
  return std::regex_replace(std::string(text.substr(file.size())), kPlace, "");
}

}  // namespace

bool takes_back(const KeyChange& later, const KeyChange& earlier) {
  const auto after = way_of(later.key), before = way_of(earlier.key);
  if (!after.ok() || !before.ok()) return false;
  const std::size_t shared = std::min(after->size(), before->size());
  if (!std::equal(after->begin(), after->begin() + static_cast<std::ptrdiff_t>(shared), before->begin())) return false;
  if (after->back().is_new && shared == after->size()) return false;  // two new entries are two
  return holds(earlier.value, std::span(*after).subspan(shared));
}

StatusOr<std::string> changed_scenario(const ScenarioText& base, const std::vector<KeyChange>& changes) {
  TARRY_RETURN_IF_ERROR(parse_scenario(base.text, base.file).status());
  TARRY_ASSIGN(const YAML::Node read, parse_yaml(base.text, base.file, "a scenario"));
  YAML::Node document = copy_of(read);
  for (const KeyChange& c : changes) TARRY_RETURN_IF_ERROR(apply(document, c));
  std::string text = YAML::Dump(document) + "\n";
  if (const auto parsed = parse_scenario(text, base.file); !parsed.ok())
    return error(parsed.status().code(), "{}", without_place(text_of(parsed.status()), base.file));
  return text;
}

std::string on_one_line(const YAML::Node& value) {
  YAML::Emitter out;
  out << YAML::Flow << copy_of(value);
  std::string text = out.c_str();
  std::erase(text, '\n');
  return text;
}

}  // namespace tarry
