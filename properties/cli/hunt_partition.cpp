// `tarry hunt partition`: our cut of random programs beside that of another partitioner.

#include <fmt/format.h>

#include <utility>

#include "properties/cli/hunt.hpp"
#include "properties/hunting/command.hpp"
#include "properties/partition/same_cut.hpp"
#include "properties/programs/saved.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct PartitionArguments : CaseOptions {
  std::string property = "same_as", rules = "2.15";
  OtherProgram other;
};

AskPartitioner asking(const std::string& words, int timeout_ms) {
  const auto command = std::make_shared<AskedCommand>(words, timeout_ms);
  return [command](const Json& question) { return command->ask(question); };
}

// Now and then in a new process, for partitioners that do not scatter their memory themselves (properties/tensorflow
// does, at each question).
AskPartitioner asking_anew(const std::string& words, int timeout_ms) {
  constexpr int kAsksOfAProcess = 16;
  const auto command = std::make_shared<AskedCommand>(words, timeout_ms);
  return [command, asked = 0](const Json& question) mutable {
    if (asked++ % kAsksOfAProcess == 0) command->stop();
    return command->ask(question);
  };
}

// A property that compares, and what it looks at.
struct SameAs {
  WholeRelease release;
  SameCutCounts counts;
  ProgramProperty property;
};

StatusOr<std::unique_ptr<SameAs>> same_as(const OtherProgram& other, const std::string& rules, const Home& home) {
  if (other.asked.empty()) return invalid("same_as compares with another partitioner: say --placer 'COMMAND'");
  TARRY_ASSIGN(const std::string command, command_of(other, home));
  TARRY_ASSIGN(WholeRelease release, read_whole_release(home.recordings(), rules));
  auto same = std::make_unique<SameAs>(SameAs{std::move(release), {}, {}});
  same->property =
      same_cut(asking(command, other.timeout_ms), asking_anew(command, other.timeout_ms), same->release, same->counts);
  return same;
}

Tally tally_of(const SameCutCounts& counts) {
  return {{"compared", counts.compared},
          {"refused by the other side", counts.refused},
          {"that it does not always answer alike", counts.unstable},
          {"with ops whose kernels are not recorded", counts.unknown}};
}

int hunt_partitions(const PartitionArguments& a, const Home& home) {
  const auto same = same_as(a.other, a.rules, home);
  if (!same.ok()) return refuse(same.status());
  ProgramHunt what{.properties = {&(*same)->property},
                   .seed = a.seed,
                   .cases = a.cases,
                   .generate = {.max_statements = a.max_nodes},
                   .keep_going = a.keep_going};
  const int code = search_programs(a, "partition", std::move(what), a.other, [&] { return tally_of((*same)->counts); });
  if (code != kOk || a.cases == 0 || (*same)->counts.compared > 0) return code;
  complain(fmt::format("tarry: no cut was compared, so the {} cases say nothing of either side\n", a.cases));
  return kBadInput;
}

}  // namespace

void add_hunt_partition(CommandLine& line, CLI::App& hunt) {
  auto a = std::make_shared<PartitionArguments>();
  CLI::App* c = hunt.add_subcommand("partition", "Cut random programs with another partitioner and compare with ours.");
  c->footer("Example:\n  tarry hunt partition --placer tensorflow:2.15.1 --cases 1000");
  c->add_option("property", a->property, "same_as, the only one")
      ->check(CLI::IsMember({"same_as", "partition.same_as"}))
      ->capture_default_str();
  add_rules_option(*c, a->rules);
  add_other_program(*c, a->other)->required();
  add_case_options(*c, *a);
  add_search_options(*c, *a);
  c->callback([a, &line] { line.exit_code = hunt_partitions(*a, line.home); });
}

int replay_partition(const Replay& r, const Home& home) {
  const auto same = same_as(r.other, r.rules.empty() ? "2.15" : r.rules, home);
  if (!same.ok()) return refuse(same.status());
  const auto saved = load_program(r.file);
  if (!saved.ok()) return refuse(saved.status());
  const auto wrong = violation_of((*same)->property, saved->program, schedule_of(saved->program));
  fmt::print("{}{}\n", to_text(saved->program), wrong ? *wrong : "partition.same_as holds");
  return wrong ? kSafety : kOk;
}

}  // namespace tarry
