#include "properties/placement/hunt.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "properties/cli/hunt.hpp"
#include "properties/placement/command_placer.hpp"
#include "properties/placement/saved.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFamily = "placement.";
constexpr std::string_view kSameAs = "same_as";

// ---- what is hunted ----

PlacementProperty same_as_ours() {
  return {"same_as", "Another placer gives our answer: devices, or code and text.",
          [](const Judgement& j) -> std::optional<std::string> {
            const StatusOr<PlacementAnswer> ours = place_case(j.c, j.world);
            if (same_answer(*ours, j.answer)) return std::nullopt;
            return fmt::format("theirs:\n{}ours:\n{}", to_text(j.c, &j.answer), to_text(j.c, &*ours));
          }};
}

using Properties = std::vector<const PlacementProperty*>;

Status unknown_property(const std::string& what) {
  std::vector<std::string> names = {"placement.*", "placement.same_as", "partition.same_as"};
  for (const PlacementProperty& p : placement_properties()) names.push_back(std::string(kFamily) + p.name);
  return invalid("nothing to hunt is called '{}'{}; expected one of {}", what, did_you_mean(what, names),
                 join(names, ", "));
}

StatusOr<Properties> chosen(const std::string& what) {
  static const PlacementProperty kSame = same_as_ours();
  if (what == "placement.same_as") return Properties{&kSame};
  Properties found;
  for (const PlacementProperty& p : placement_properties())
    if (what == "placement.*" || what == std::string(kFamily) + p.name) found.push_back(&p);
  if (found.empty()) return unknown_property(what);
  return found;
}

StatusOr<Properties> chosen(const std::string& what, const std::vector<std::string>& except) {
  TARRY_ASSIGN(Properties found, chosen(what));
  for (const std::string& name : except) {
    if (find_property(name) == nullptr) return unknown_property(std::string(kFamily) + name);
    std::erase_if(found, [&](const PlacementProperty* p) { return p->name == name; });
  }
  return found;
}

struct Asked {  // whom a hunt asks
  std::shared_ptr<CommandPlacer> command;
  AskPlacer ask;
};

// "tensorflow:2.15.1" stands for the program that doctor --with-tensorflow built.
StatusOr<std::string> command_of(const std::string& placer, const Home& home) {
  constexpr std::string_view kReal = "tensorflow:";
  if (!placer.starts_with(kReal)) return placer;
  const std::string version = placer.substr(kReal.size()), work = tensorflow_folder(home);
  if (!std::filesystem::exists(fmt::format("{}/bin/oracle_place_{}", work, version)))
    return invalid("TensorFlow {} is not there; get it by: tarry doctor --with-tensorflow {}", version, version);
  return fmt::format("TF_SHIM_WORK='{}' python3 -B '{}/properties/tensorflow/ask.py' {}", work, home.folder, version);
}

Asked placer_of(const HuntArguments& a, const PlacementWorld& world) {
  if (a.placer.empty()) return {nullptr, our_placer(world)};
  auto command = std::make_shared<CommandPlacer>(a.command, a.timeout_ms);
  return {command, [command](const PlacementCase& c, Graph&) { return command->ask(c); }};
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

void print_counterexample(const HuntArguments& a, const Counterexample& q, const StatusOr<PlacementAnswer>& answer,
                          const std::string& saved) {
  fmt::print("case {} breaks placement.{}: {}\n", q.number, q.property->name, q.property->says);
  fmt::print("{} nodes, shrunk to {} in {} steps ({} tries); nothing more can be left out:\n\n", q.found.nodes.size(),
             q.shrunk.smallest.nodes.size(), q.shrunk.steps, q.shrunk.tried);
  fmt::print("{}\n{}\n", to_text(q.shrunk.smallest, answer.ok() ? &*answer : nullptr), q.wrong);
  if (!saved.empty()) fmt::print("\nReplay it: {}\n", replay_line(a, saved));
}

void print_report(const HuntArguments& a, const HuntReport& r, const std::string& saved,
                  const std::function<StatusOr<PlacementAnswer>(const PlacementCase&)>& answer) {
  if (a.json) {
    Json j = {{"what", a.what},   {"rules", a.rules},   {"seed", a.seed},
              {"cases", r.cases}, {"placed", r.placed}, {"judgements", r.judgements}};
    if (r.counterexample) j["found"] = counterexample_json(*r.counterexample, saved);
    return fmt::print("{}\n", j.dump(1));
  }
  if (r.counterexample)
    return print_counterexample(a, *r.counterexample, answer(r.counterexample->shrunk.smallest), saved);
  fmt::print("{} cases ({} placed, {} refused), {} judgements, rules {}, seed {}: nothing found\n", r.cases, r.placed,
             r.cases - r.placed, r.judgements, a.rules, a.seed);
}

// ---- the three things it does ----

int run_audit(const HuntArguments& a, const PlacementWorld& world, const HuntOptions& options) {
  if (const Status s = uses_only(a, "an audit of placements",
                                 {"what", "--audit", "--rules", "--cases", "--seed", "--max-nodes", "--json"});
      !s.ok())
    return refuse(s);
  const HuntReport r = audit(world, options);
  Json j = {{"cases", r.cases}, {"discarded", 0}, {"placed", r.placed}};
  return report_audit(
      a.json, buckets(), r.buckets, r.cases, std::move(j),
      fmt::format("{} cases, none discarded; {} placed, {} refused", r.cases, r.placed, r.cases - r.placed));
}

int run_replay(const HuntArguments& a, const std::string& data) {
  if (const Status s = uses_only(a, "a replayed placement", {"--replay", "--rules", "--placer", "--timeout-ms"});
      !s.ok())
    return refuse(s);
  const auto saved = load_case(a.replay);
  if (!saved.ok()) return refuse(saved.status());
  const auto world = placement_world(data, a.given.contains("--rules") ? a.rules : saved->rules);
  if (!world.ok()) return refuse(world.status());
  const auto properties = chosen(std::string(kFamily) + saved->property);
  if (!properties.ok()) return refuse(properties.status());
  const Asked asked = placer_of(a, *world);
  const auto answer = ask_about(saved->c, *world, asked.ask);
  fmt::print("{}", to_text(saved->c, answer.ok() ? &*answer : nullptr));
  const auto wrong = violation_of(*properties->front(), saved->c, *world, asked.ask);
  fmt::print("{}\n", wrong ? *wrong : fmt::format("placement.{} holds", saved->property));
  return wrong ? kSafety : kOk;
}

int run_search(const HuntArguments& a, const PlacementWorld& world, const HuntOptions& options) {
  const std::vector<std::string> used = {"what",    "--except", "--rules",     "--placer", "--timeout-ms",
                                         "--cases", "--seed",   "--max-nodes", "--save",   "--json"};
  if (const Status s = uses_only(a, "a hunt of placements", used); !s.ok()) return refuse(s);
  const Asked asked = placer_of(a, world);
  const HuntReport r = hunt(world, asked.ask, options, HuntProgress(a.cases));
  std::string saved;
  if (r.counterexample && !a.save.empty()) {
    const auto file =
        save_case({r.counterexample->property->name, a.rules, r.counterexample->shrunk.smallest}, a.save,
                  fmt::format("{}_{}_{}", r.counterexample->property->name, a.rules, r.counterexample->found.id));
    if (!file.ok()) return refuse(file.status());
    saved = *file;
  }
  print_report(a, r, saved, [&](const PlacementCase& c) { return ask_about(c, world, asked.ask); });
  return r.counterexample ? kSafety : kOk;
}

int run_hunt(HuntArguments a, const Home& home) {
  const auto command = command_of(a.placer, home);
  if (!command.ok()) return refuse(command.status());
  a.command = *command;
  const std::string data = home.folder + "/properties/conform/data";
  if (hunts_partitions(a)) return hunt_partitions(a, data);
  if (hunts_programs(a)) return hunt_programs(a);
  if (!a.replay.empty()) return run_replay(a, data);
  if (a.planted) return measure_faults(a, data);
  if (a.exhaustive) return hunt_exhaustively(a, data);
  const auto world = placement_world(data, a.rules);
  if (!world.ok()) return refuse(world.status());
  const auto properties = chosen(a.what, a.except);
  if (!properties.ok()) return refuse(properties.status());
  if (a.what == "placement.same_as" && a.placer.empty())
    return refuse(invalid("placement.same_as compares with another placer: say --placer 'COMMAND'"));
  const HuntOptions options{.properties = *properties,
                            .seed = a.seed,
                            .cases = a.cases,
                            .generate = {.max_nodes = a.max_nodes, .random_kernels = a.placer.empty()}};
  return a.audit ? run_audit(a, *world, options) : run_search(a, *world, options);
}

std::string bucket_line(const std::string& name, double percent) {
  return fmt::format("{:<36} {:>6.1f} %{}\n", name, percent, percent < 1.0 ? "  below 1 %" : "");
}

}  // namespace

Status uses_only(const HuntArguments& a, std::string_view hunt, const std::vector<std::string>& options) {
  for (const std::string& word : a.given)
    if (std::ranges::find(options, word) == options.end())
      return invalid("{} has no use for {}; it takes {}", hunt, word, join(options, ", "));
  return {};
}

std::string replay_line(const HuntArguments& a, const std::string& file) {
  const std::string rules = a.given.contains("--rules") ? " --rules " + a.rules : "";
  return fmt::format("tarry hunt --replay {}{}{}", file, rules,
                     a.placer.empty() ? "" : fmt::format(" --placer '{}'", a.placer));
}

int report_audit(bool json, const std::vector<std::string>& names, const std::map<std::string, std::uint64_t>& held,
                 std::uint64_t cases, Json j, const std::string& summary) {
  bool all_reached = true;
  for (const std::string& name : names) {
    const double percent = 100.0 * static_cast<double>(held.at(name)) / static_cast<double>(cases);
    all_reached &= percent >= 1.0;
    j["buckets"][name] = held.at(name);
    if (!json) fmt::print("{}", bucket_line(name, percent));
  }
  fmt::print("{}\n", json ? j.dump(1) : summary);
  return all_reached ? kOk : kExpectationFailed;
}

void HuntProgress::operator()(std::uint64_t done) const {
  line_->show([&](double seconds) {
    return fmt::format("{} of {} cases, {:.0f} a second", done, all_, static_cast<double>(done) / seconds);
  });
}

void add_hunt(CommandLine& line) {
  auto a = std::make_shared<HuntArguments>();
  CLI::App* c = add_command(line, "hunt",
                            "Throw random cyclic graphs at the placer, at somebody else's, or at the executor; a "
                            "counterexample comes back shrunk.",
                            "tarry hunt placement.groups_together --rules 1.12");
  c->add_option("what", a->what,
                "placement.*, placement.PROPERTY, placement.same_as (needs --placer), programs.*, programs.PROPERTY or "
                "partition.same_as (needs --placer)")
      ->capture_default_str();
  c->add_option(
       "--except", a->except,
       "Properties to leave out, such as those that a release is known to break: request_respected,groups_together")
      ->delimiter(',');
  c->add_option("--rules", a->rules, "Release: 0.9, 0.12, 1.12, 1.15 or 2.15")->capture_default_str();
  CLI::Option* placer =
      c->add_option("--placer", a->placer,
                    "A program that places, or cuts: JSON lines on stdin and stdout (properties/placement/README.md)");
  c->add_option("--timeout-ms", a->timeout_ms, "How long the program may take for one case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->needs(placer);
  c->add_option("--cases", a->cases, "How many")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000'000'000}));
  c->add_option("--seed", a->seed, "Of the cases")->capture_default_str()->check(CLI::NonNegativeNumber);
  c->add_option("--max-nodes", a->max_nodes, "Size of the largest graphs")
      ->capture_default_str()
      ->check(CLI::Range(1, 300));
  c->add_option("--save", a->save, "Folder for a counterexample (.pbtxt and .yaml)");
  c->add_option(
      "--replay", a->replay,
      "A saved counterexample (.yaml), instead of hunting; by the rules that it was found with, or by --rules");
  c->add_flag(
      "--planted", a->planted,
      "How many cases each planted bug, and each known fault of an old release, needs to be found: 95 % of 30 seeds");
  c->add_flag("--exhaustive", a->exhaustive,
              "Instead of random cases, every graph of up to 4 nodes over a small alphabet, against the reference; "
              "also --rules all");
  c->add_option("--marks", a->marks, "With --exhaustive: requests, keys and assigned devices in a graph, at most")
      ->capture_default_str()
      ->check(CLI::Range(0, 8));
  c->add_flag("--audit", a->audit, "What the generated cases reach; exit 1 when a bucket holds less than 1 %");
  c->add_flag("--json", a->json, "JSON on stdout");
  c->callback([a, c, &line] {
    for (const CLI::Option* o : c->get_options([](const CLI::Option* o) { return o->count() > 0; }))
      a->given.insert(o->get_name());
    line.exit_code = run_hunt(*a, line.home);
  });
}

}  // namespace tarry
