#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "properties/cli/hunt.hpp"
#include "properties/hunting/command.hpp"
#include "properties/partition/same_cut.hpp"
#include "properties/programs/saved.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

constexpr std::string_view kSameAs = "partition.same_as";

AskPartitioner asking(const HuntArguments& a) {
  const auto command = std::make_shared<Command>(a.command, a.timeout_ms);
  return [command](const Json& question) { return command->ask(question); };
}

// Now and then in a new process, for partitioners that do not scatter their memory themselves (properties/tensorflow
// does, at each question).
AskPartitioner asking_anew(const HuntArguments& a) {
  constexpr int kAsksOfAProcess = 16;
  const auto command = std::make_shared<Command>(a.command, a.timeout_ms);
  return [command, asked = 0](const Json& question) mutable {
    if (asked++ % kAsksOfAProcess == 0) command->stop();
    return command->ask(question);
  };
}

int run_replay(const HuntArguments& a, const ProgramProperty& property) {
  const auto saved = load_program(a.replay);
  if (!saved.ok()) return refuse(saved.status());
  const auto wrong = violation_of(property, saved->program, schedule_of(saved->program));
  fmt::print("{}{}\n", to_text(saved->program), wrong ? *wrong : fmt::format("{} holds", kSameAs));
  return wrong ? kSafety : kOk;
}

bool is_saved_cut(const std::string& file) {
  const auto saved = load_program(file);
  return saved.ok() && kSameAs.ends_with("." + saved->property);
}

// What a replay and a hunt have use for.
Status check_cut_options(const HuntArguments& a) {
  if (!a.replay.empty()) return uses_only(a, "a replayed cut", {"--replay", "--rules", "--placer", "--timeout-ms"});
  return uses_only(
      a, kSameAs,
      {"what", "--rules", "--placer", "--timeout-ms", "--cases", "--seed", "--max-nodes", "--save", "--json"});
}

}  // namespace

bool hunts_partitions(const HuntArguments& a) { return a.replay.empty() ? a.what == kSameAs : is_saved_cut(a.replay); }

int hunt_partitions(const HuntArguments& a, const std::string& data) {
  if (const Status s = check_cut_options(a); !s.ok()) return refuse(s);
  if (a.placer.empty()) return refuse(invalid("{} compares with another partitioner: say --placer 'COMMAND'", kSameAs));
  const auto release = read_whole_release(data, a.rules);
  if (!release.ok()) return refuse(release.status());
  SameCutCounts counts;
  const ProgramProperty property = same_cut(asking(a), asking_anew(a), *release, counts);
  if (!a.replay.empty()) return run_replay(a, property);
  const ProgramHunt hunt{
      .properties = {&property}, .seed = a.seed, .cases = a.cases, .generate = {.max_statements = a.max_nodes}};
  return search_programs(a, hunt, [&] {
    return Tally{{"compared", counts.compared},
                 {"refused by the other side", counts.refused},
                 {"that it does not always answer alike", counts.unstable},
                 {"with ops whose kernels are not recorded", counts.unknown}};
  });
}

}  // namespace tarry
