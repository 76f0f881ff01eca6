// `tarry hunt placement`: random cyclic graphs put to a placer.

#include <fmt/format.h>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/placement/command_placer.hpp"
#include "properties/placement/hunt.hpp"
#include "properties/placement/saved.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
using Properties = std::vector<const PlacementProperty*>;

struct PlacementArguments : CaseOptions {
  std::string property = "*", rules = "2.15", compared = "texts";
  std::vector<std::string> except;
  OtherProgram other;
};

// ---- what is hunted ----

PlacementProperty same_as_ours(Compared what) {
  return {"same_as", "Another placer gives our answer.", [what](const Judgement& j) -> std::optional<std::string> {
            const StatusOr<PlacementAnswer> ours = place_case(j.c, j.world);
            if (same_answer(*ours, j.answer, what)) return std::nullopt;
            return fmt::format("theirs:\n{}ours:\n{}", to_text(j.c, &j.answer), to_text(j.c, &*ours));
          }};
}

const std::map<std::string, Compared>& comparisons() {
  static const std::map<std::string, Compared> kAll = {
      {"devices", Compared::devices}, {"codes", Compared::codes}, {"texts", Compared::texts}};
  return kAll;
}

Status unknown_property(const std::string& what) {
  std::vector<std::string> names = {"*", "same_as"};
  for (const PlacementProperty& p : placement_properties()) names.push_back(p.name);
  return invalid("no property of placements is called '{}'{}; expected one of {}", what, did_you_mean(what, names),
                 join(names, ", "));
}

const PlacementProperty& same_as(const std::string& compared) {
  static const std::map<std::string, PlacementProperty> kAll = [] {
    std::map<std::string, PlacementProperty> all;
    for (const auto& [name, what] : comparisons()) all.emplace(name, same_as_ours(what));
    return all;
  }();
  return kAll.at(compared);
}

StatusOr<Properties> chosen_placements(const std::string& asked, const std::vector<std::string>& except = {},
                                       const std::string& compared = "texts") {
  const std::string what = without_family(asked, "placement");
  if (what == "same_as") return Properties{&same_as(compared)};
  Properties found;
  for (const PlacementProperty& p : placement_properties())
    if (what == "*" || what == p.name) found.push_back(&p);
  if (found.empty()) return unknown_property(asked);
  for (const std::string& name : except) {
    if (find_property(name) == nullptr) return unknown_property(name);
    std::erase_if(found, [&](const PlacementProperty* p) { return p->name == name; });
  }
  return found;
}

struct Asked {  // whom a hunt asks
  std::shared_ptr<CommandPlacer> command;
  AskPlacer ask;
};

StatusOr<Asked> placer_of(const OtherProgram& other, const PlacementWorld& world, const Home& home) {
  if (other.asked.empty()) return Asked{nullptr, our_placer(world)};
  TARRY_ASSIGN(const std::string command, command_of(other, home));
  auto placer = std::make_shared<CommandPlacer>(command, other.timeout_ms);
  return Asked{placer, [placer](const PlacementCase& c, Graph&) { return placer->ask(c); }};
}

HuntOptions options_of(const CaseOptions& o, Properties properties, bool random_kernels) {
  return {.properties = std::move(properties),
          .seed = o.seed,
          .cases = o.cases,
          .generate = {.max_nodes = o.max_nodes, .random_kernels = random_kernels},
          .keep_going = o.keep_going};
}

// ---- what is said ----

Json counterexample_json(const Counterexample& q, const std::string& saved) {
  Json j = {{"property", q.property->name},
            {"case", q.number},
            {"nodes_found", q.found.nodes.size()},
            {"nodes", q.shrunk.smallest.nodes.size()},
            {"wrong", q.wrong}};
  j["smallest"] = to_json(q.shrunk.smallest);
  if (!saved.empty()) j["saved"] = saved;
  return j;
}

std::string in_words(const Counterexample& q, const StatusOr<PlacementAnswer>& answer) {
  return fmt::format(
      "case {} breaks placement.{}: {}\n{} nodes, shrunk to {} in {} steps ({} tries); nothing more can be left "
      "out:\n\n{}\n{}\n",
      q.number, q.property->name, q.property->says, q.found.nodes.size(), q.shrunk.smallest.nodes.size(),
      q.shrunk.steps, q.shrunk.tried, to_text(q.shrunk.smallest, answer.ok() ? &*answer : nullptr), q.wrong);
}

void print_json(const PlacementArguments& a, const HuntReport& r, const std::string& saved) {
  Json j = {{"what", "placement." + without_family(a.property, "placement")},
            {"rules", a.rules},
            {"seed", a.seed},
            {"cases", r.cases},
            {"placed", r.placed},
            {"judgements", r.judgements}};
  if (a.keep_going) j["broken"] = r.broken;
  if (r.counterexample) j["found"] = counterexample_json(*r.counterexample, saved);
  fmt::print("{}\n", j.dump(1));
}

StatusOr<std::string> saved_at(const PlacementArguments& a, const HuntReport& r) {
  if (!r.counterexample || a.save.empty()) return std::string();
  const Counterexample& q = *r.counterexample;
  return save_case({q.property->name, a.rules, q.shrunk.smallest}, a.save,
                   fmt::format("{}_{}_{}", q.property->name, a.rules, q.found.id));
}

int search(const PlacementArguments& a, const PlacementWorld& world, const Asked& asked, HuntOptions options) {
  const HuntProgress progress(a.cases);
  options.watch = progress.watch();
  const HuntReport r = hunt(world, asked.ask, options, progress);
  const auto saved = saved_at(a, r);
  if (!saved.ok()) return refuse(saved.status());
  const std::string words =
      r.counterexample ? in_words(*r.counterexample, ask_about(r.counterexample->shrunk.smallest, world, asked.ask))
                       : "";
  if (a.json) {
    print_json(a, r, *saved);
  } else if (r.counterexample) {
    fmt::print("{}", words);
    if (a.keep_going) fmt::print("\n{}\n", all_broken(r.broken, r.cases));
    if (!saved->empty()) fmt::print("\nReplay it: {}\n", replay_line(*saved, a.other));
  } else {
    fmt::print("{} cases ({} placed, {} refused), {} judgements, rules {}, seed {}: nothing found\n", r.cases, r.placed,
               r.cases - r.placed, r.judgements, a.rules, a.seed);
  }
  if (const Status s = write_junit(a, "placement", options.properties, r, words); !s.ok()) return refuse(s);
  return r.counterexample ? kSafety : kOk;
}

// A program that is not there breaks no property.
Status is_there(const Asked& asked) {
  if (asked.command == nullptr) return {};
  const Status s = asked.command->ask(PlacementCase()).status();
  return s.code() == Code::kNotFound ? s : Status();
}

int hunt_placements(const PlacementArguments& a, const Home& home) {
  const auto properties = chosen_placements(a.property, a.except, a.compared);
  if (!properties.ok()) return refuse(properties.status());
  if (without_family(a.property, "placement") == "same_as" && a.other.asked.empty())
    return refuse(invalid("same_as compares with another placer: say --placer 'COMMAND'"));
  if (const Status s = check_outputs({{"--junit", a.junit}}, {}); !s.ok()) return refuse(s);
  const auto world = placement_world(home.recordings(), a.rules);
  if (!world.ok()) return refuse(world.status());
  const auto asked = placer_of(a.other, *world, home);
  if (!asked.ok()) return refuse(asked.status());
  if (const Status there = is_there(*asked); !there.ok()) return refuse(there);
  return search(a, *world, *asked, options_of(a, *properties, a.other.asked.empty()));
}

}  // namespace

void add_hunt_placement(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<PlacementArguments>();
  CLI::App* c = hunt.add_subcommand("placement", "Put random cyclic graphs to tarry's placer, or to another one.");
  c->footer("Example:\n  tarry hunt placement groups_together --rules 1.12");
  c->add_option("property", a->property, "One property, * for all, or same_as to compare another placer with ours")
      ->capture_default_str();
  c->add_option("--except", a->except, "Properties to leave out, such as those that a release is known to break")
      ->delimiter(',');
  add_rules_option(*c, a->rules);
  add_other_program(*c, a->other);
  add_case_options(*c, *a);
  add_search_options(*c, *a);
  c->add_option("--compare", a->compared, "What same_as compares: devices, or error codes too, or error texts too")
      ->check(CLI::IsMember(comparisons()))
      ->capture_default_str();
  c->callback([a, &line] { line.exit_code = hunt_placements(*a, line.home); });
}

int replay_placement(const Replay& r, const Home& home) {
  const auto saved = load_case(r.file);
  if (!saved.ok()) return refuse(saved.status());
  const auto world = placement_world(home.recordings(), r.rules.empty() ? saved->rules : r.rules);
  if (!world.ok()) return refuse(world.status());
  const auto properties = chosen_placements(saved->property);
  if (!properties.ok()) return refuse(properties.status());
  const auto asked = placer_of(r.other, *world, home);
  if (!asked.ok()) return refuse(asked.status());
  const auto answer = ask_about(saved->c, *world, asked->ask);
  fmt::print("{}", to_text(saved->c, answer.ok() ? &*answer : nullptr));
  const auto wrong = violation_of(*properties->front(), saved->c, *world, asked->ask);
  fmt::print("{}\n", wrong ? *wrong : fmt::format("placement.{} holds", saved->property));
  return wrong ? kSafety : kOk;
}

int audit_placements(const CaseOptions& o, const std::string& rules, const Home& home) {
  const auto world = placement_world(home.recordings(), rules);
  if (!world.ok()) return refuse(world.status());
  const HuntReport r = audit(*world, options_of(o, *chosen_placements("*"), true));
  Json j = {{"cases", r.cases}, {"discarded", 0}, {"placed", r.placed}};
  return report_audit(
      o.json, buckets(), r.buckets, r.cases, std::move(j),
      fmt::format("{} cases, none discarded; {} placed, {} refused", r.cases, r.placed, r.cases - r.placed));
}

}  // namespace tarry
