#include "scenarios/sweep/plan.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "placer/core/hash.hpp"
#include "scenarios/file/named_files.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/file/units.hpp"
#include "scenarios/file/yaml.hpp"
#include "scenarios/sweep/arm.hpp"
#include "scenarios/sweep/rows.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kUsualMostSeeds = 100;
constexpr std::int64_t kWhole = 10'000;  // parse_share's 100 %

// ---- the file ----

struct RawValue {  // of an axis
  std::string shown;
  std::vector<KeyChange> changes;
  std::vector<Position> at;  // of each change
};
struct RawAxis {
  std::vector<std::pair<std::string, YAML::Node>> entries;  // without names where the axis is a key
  bool is_named = false;
};
struct RawUntil {
  double half_width = 0, confidence = 0.95;
  Named of;
  std::int64_t most = kUsualMostSeeds;
};
struct RawSeeds {
  std::vector<std::uint64_t> list;
  std::optional<RawUntil> until;
};
struct RawPlan {
  std::string title;
  Named scenario;
  std::vector<std::pair<Named, RawAxis>> axes;
  RawSeeds seeds;
  std::vector<Named> measures;
};

// A key that a map has twice, here or further down.
std::optional<YAML::Node> key_twice(const YAML::Node& node) {
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (node.IsMap() && !seen.insert(entry.first.Scalar()).second) return entry.first;
    if (auto twice = key_twice(node.IsMap() ? entry.second : entry)) return twice;
  }
  return std::nullopt;
}

Type<RawAxis> axis_type() {
  Type<RawAxis> type{"a list of values, or a map from names to keys and values", Json::object(), {}, {}};
  type.read = [expected = type.expected](Reader& in, const YAML::Node& node, RawAxis& out) {
    if ((!node.IsSequence() && !node.IsMap()) || node.size() == 0)
      return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    if (const auto twice = key_twice(node)) return in.fail(*twice, fmt::format("'{}' appears twice", twice->Scalar()));
    out.is_named = node.IsMap();
    for (const auto& entry : node) {
      if (out.is_named) out.entries.emplace_back(entry.first.Scalar(), entry.second);
      if (!out.is_named) out.entries.emplace_back("", entry);
    }
  };
  return type;
}

Type<double> share_of_one_type() {
  Type<double> type{"a share such as 2 %", Json::object(), {}, {}};
  type.read = [expected = type.expected](Reader& in, const YAML::Node& node, double& out) {
    const auto share = parse_share(node.IsScalar() ? node.Scalar() : "");
    if (!share.ok() || *share == 0 || *share == kWhole)
      return in.fail(node, fmt::format("expected {}, between 0 % and 100 %, found {}", expected, describe(node)));
    out = static_cast<double>(*share) / static_cast<double>(kWhole);
  };
  return type;
}

std::vector<std::uint64_t> first_seeds(std::int64_t n) {
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(n));
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return seeds;
}

Type<RawUntil> until_type() {
  const auto several = integer_type(2, static_cast<std::int64_t>(kMostSeeds));  // one has no interval
  return Section<RawUntil>("until", "More seeds until an interval is narrow enough.")
      .required("half_width", &RawUntil::half_width, share_of_one_type(), "as a share of the mean")
      .required("of", &RawUntil::of, name_type("a measure"), "the measure")
      .key("confidence", &RawUntil::confidence, share_of_one_type(), "of the interval")
      .key("most", &RawUntil::most, several, "seeds at the most")
      .type();
}

Type<RawSeeds> seeds_type() {
  const auto count = integer_type(1, static_cast<std::int64_t>(kMostSeeds));
  const auto list = list_of(integer_type(0, std::numeric_limits<std::int64_t>::max()));
  const auto stop = one_key_of<RawUntil>({{"until", until_type()}});
  Type<RawSeeds> type{"a number of seeds, a list of seeds, or a map with until", Json::object(), {}, {}};
  type.read = [count, list, stop](Reader& in, const YAML::Node& node, RawSeeds& out) {
    if (node.IsMap()) return stop.read(in, node, out.until.emplace());
    if (!node.IsSequence()) {
      std::int64_t n = 0;
      count.read(in, node, n);
      return void(out.list = first_seeds(n));
    }
    std::vector<std::int64_t> all;
    list.read(in, node, all);
    out.list.assign(all.begin(), all.end());
    if (in.ok() && (all.empty() || std::set<std::int64_t>(all.begin(), all.end()).size() < all.size()))
      in.fail(node, "expected at least one seed, and each once");
  };
  return type;
}

const Type<RawPlan>& plan_type() {
  static const Type<RawPlan> kType =
      Section<RawPlan>("a plan", "What a sweep runs.")
          .key("title", &RawPlan::title, text_type(), "what the sweep is about")
          .required("scenario", &RawPlan::scenario, name_type("a scenario"), "a file, or one that ships with tarry")
          .required("axes", &RawPlan::axes, map_of("keys or names to values", axis_type()), "what is varied")
          .required("seeds", &RawPlan::seeds, seeds_type(), "how often each arm runs")
          .key("measures", &RawPlan::measures, list_of(name_type("a measure")),
               "what is measured; else all that one run is enough for")
          .type();
  return kType;
}

// ---- what it means ----

class PlanReader {
 public:
  PlanReader(std::string file, const FindScenario& find) : file_(std::move(file)), in_(file_), find_(find) {}

  StatusOr<SweepPlan> read(const YAML::Node& document) {
    plan_type().read(in_, document, raw_);
    TARRY_RETURN_IF_ERROR(in_.status());
    out_.title = raw_.title;
    axes();
    measures();
    seeds();
    TARRY_RETURN_IF_ERROR(in_.status());
    auto base = find_(raw_.scenario.text);
    if (!base.ok()) return with_prefix(base.status(), place(raw_.scenario.at));
    std::size_t arms = 1;
    for (const auto& [name, axis] : raw_.axes) arms *= axis.entries.size();
    if (arms > kMostArms) return invalid("{}: {} arms; expected {} at the most", file_, arms, kMostArms);
    TARRY_RETURN_IF_ERROR(keys_of_one_axis_each());
    for (std::size_t n = 0; n < arms; ++n) TARRY_RETURN_IF_ERROR(add_arm(n, *base));
    for (const Arm& arm : out_.arms) add_named_files(arm.scenario, out_.files);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string place(Position at) const { return fmt::format("{}:{}:{}: ", file_, at.line, at.column); }

  const Measure* measure(const Named& name) {
    const Measure* found = find_measure(name.text);
    std::vector<std::string> names;
    for (const Measure& m : measure_table()) names.emplace_back(m.name);
    if (!found)
      in_.fail(name.at, fmt::format("no measure is called '{}'{}; expected one of {}", name.text,
                                    did_you_mean(name.text, names), join(names, ", ")));
    return found;
  }

  // Each is a column of the results, and SQL does not tell letters by their case.
  void axes() {
    std::set<std::string> seen;
    for (const auto& [name, axis] : raw_.axes) {
      std::string small = name.text;
      std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
      if (is_column(small) || !seen.insert(small).second)
        in_.fail(name.at,
                 fmt::format("'{}' is another column of the results: give the axis a name of its own", name.text));
      out_.axes.push_back(name.text);
      values_once(name.text, axis);
    }
  }

  // Two arms with the same values would be one.
  void values_once(const std::string& axis, const RawAxis& values) {
    std::set<std::string> seen;
    for (const auto& [word, node] : values.entries)
      if (!values.is_named && !seen.insert(on_one_line(node)).second)
        in_.fail(node, fmt::format("axis '{}' has the value {} twice", axis, on_one_line(node)));
  }

  void measures() {
    for (const Named& name : raw_.measures) {
      const Measure* m = measure(name);
      if (m != nullptr && std::ranges::find(out_.measures, m) != out_.measures.end())
        in_.fail(name.at, fmt::format("'{}' appears twice", name.text));
      out_.measures.push_back(m);
    }
    if (raw_.measures.empty()) out_.measures = usual_measures();
  }

  void seeds() {
    out_.seeds = raw_.seeds.list;
    if (!raw_.seeds.until) return;
    const RawUntil& u = *raw_.seeds.until;
    out_.seeds = first_seeds(u.most);
    out_.confidence = u.confidence;
    out_.until = Until{u.half_width, measure(u.of)};
    if (std::ranges::find(out_.measures, out_.until->of) == out_.measures.end())
      in_.fail(u.of.at, fmt::format("'{}' is none of the plan's measures", u.of.text));
  }

  // The value of an axis, as arms show it, and what it sets.
  StatusOr<RawValue> value_of(const Named& name, const RawAxis& axis, std::size_t i) const {
    const auto& [word, node] = axis.entries[i];
    if (!axis.is_named) return RawValue{on_one_line(node), {{name.text, node}}, {name.at}};
    RawValue value{word, {}, {}};
    if (!node.IsMap())
      return invalid("{}expected a map from keys to values, such as {{build.protocol: sync}}, found {}",
                     place(position_of(node)), describe(node));
    for (const auto& entry : node) {
      const KeyChange change{entry.first.Scalar(), entry.second};
      for (const KeyChange& before : value.changes)
        if (takes_back(change, before))
          return invalid("{}{} takes back {} of the same value", place(position_of(entry.first)), change.key,
                         before.key);
      value.changes.push_back(change);
      value.at.push_back(position_of(entry.first));
    }
    return value;
  }

  // Else the later of two axes would win, and the arms would not be what their values say.
  [[nodiscard]] Status keys_of_one_axis_each() const {
    std::vector<std::pair<std::string, RawValue>> before;
    for (const auto& [name, axis] : raw_.axes) {
      const std::size_t of_others = before.size();
      for (std::size_t i = 0; i < axis.entries.size(); ++i) {
        TARRY_ASSIGN(RawValue value, value_of(name, axis, i));
        for (std::size_t other = 0; other < of_others; ++other)
          TARRY_RETURN_IF_ERROR(differ(before[other].first, before[other].second, name.text, value));
        before.emplace_back(name.text, std::move(value));
      }
    }
    return {};
  }

  [[nodiscard]] Status differ(const std::string& earlier, const RawValue& a, const std::string& later,
                              const RawValue& b) const {
    for (const KeyChange& set : a.changes)
      for (std::size_t i = 0; i < b.changes.size(); ++i)
        if (takes_back(b.changes[i], set))
          return invalid("{}axis '{}' sets {}, and so takes back {} of axis '{}'; expected each key in one axis only",
                         place(b.at[i]), later, b.changes[i].key, set.key, earlier);
    return {};
  }

  // The last axis varies fastest.
  Status add_arm(std::size_t number, const ScenarioText& base) {
    std::vector<RawValue> values;
    std::size_t arms = 1;
    for (const auto& [name, axis] : raw_.axes) arms *= axis.entries.size();
    for (const auto& [name, axis] : raw_.axes) {
      arms /= axis.entries.size();
      TARRY_ASSIGN(RawValue value, value_of(name, axis, number / arms % axis.entries.size()));
      values.push_back(std::move(value));
    }
    auto text = changed_scenario(base, changes_of(values));
    if (!text.ok()) return why_not(text.status(), base, values);
    Arm arm{{}, {*std::move(text), base.file}};
    for (RawValue& value : values) arm.values.push_back(std::move(value.shown));
    out_.arms.push_back(std::move(arm));
    return {};
  }

  // A node of YAML that is assigned to changes whoever shares it: changes are only added behind each other.
  static std::vector<KeyChange> changes_of(std::span<const RawValue> values) {
    std::vector<KeyChange> changes;
    for (const RawValue& value : values)
      for (const KeyChange& change : value.changes) changes.push_back(change);
    return changes;
  }

  // With the place of the first axis whose value is wrong by itself, or else of the last one.
  [[nodiscard]] Status why_not(const Status& status, const ScenarioText& base, std::span<const RawValue> values) const {
    std::size_t wrong = 0;
    while (wrong + 1 < values.size() && changed_scenario(base, changes_of(values.subspan(wrong, 1))).ok()) ++wrong;
    std::vector<std::string> shown;
    for (std::size_t a = 0; a < values.size(); ++a)
      shown.push_back(fmt::format("{} = {}", raw_.axes[a].first.text, values[a].shown));
    const Position at = values.empty() ? raw_.scenario.at : raw_.axes[wrong].first.at;
    return with_prefix(status, fmt::format("{}with {}: ", place(at), join(shown, ", ")));
  }

  std::string file_;
  Reader in_;
  const FindScenario& find_;
  RawPlan raw_;
  SweepPlan out_;
};

}  // namespace

StatusOr<SweepPlan> load_plan(const std::string& file, const FindScenario& find) try {
  TARRY_ASSIGN(const std::string text, read_yaml_file(file, "a plan"));
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file, "a plan: a map with scenario, axes, seeds"));
  return PlanReader(file, find).read(document);
} catch (const YAML::Exception& e) {
  return invalid("{}:{}:{}: {}", file, e.mark.line + 1, e.mark.column + 1, e.msg);
}

SweepPlan plan_of_two(const ScenarioText& a, const ScenarioText& b, std::vector<std::uint64_t> seeds) {
  SweepPlan plan;
  plan.axes = {"scenario"};
  plan.arms = {{{"A"}, a}, {{"B"}, b}};
  plan.seeds = std::move(seeds);
  plan.measures = usual_measures();
  return plan;
}

std::string identity_of(const SweepPlan& plan) {
  std::string all = join(plan.axes, "\n");
  for (const Arm& a : plan.arms) all += "\n---\n" + join(a.values, "\n") + "\n" + a.scenario.text;
  for (const Measure* m : plan.measures) all += fmt::format("\n{}", m->name);
  for (const auto& [name, digest] : plan.files) all += fmt::format("\n{} {}", digest, name);
  Hasher hasher;
  hasher.bytes(all);
  return to_string(hasher.digest());
}

}  // namespace tarry
