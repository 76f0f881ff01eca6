#include "scenarios/cli/command_table.hpp"

#include <algorithm>

namespace tarry {

// Each is defined in one of the two programs; in the other the weak name is null.
[[gnu::weak]] void add_run(CommandLine&);
[[gnu::weak]] void add_why(CommandLine&);
[[gnu::weak]] void add_path(CommandLine&);
[[gnu::weak]] void add_compare(CommandLine&);
[[gnu::weak]] void add_sweep(CommandLine&);
[[gnu::weak]] void add_list(CommandLine&);
[[gnu::weak]] void add_new(CommandLine&);
[[gnu::weak]] void add_calibrate(CommandLine&);
[[gnu::weak]] void add_import(CommandLine&);
[[gnu::weak]] void add_judge(CommandLine&);
[[gnu::weak]] void add_verdicts(CommandLine&);
[[gnu::weak]] void add_faults(CommandLine&);
[[gnu::weak]] void add_schema(CommandLine&);
[[gnu::weak]] void add_place(CommandLine&);
[[gnu::weak]] void add_partition(CommandLine&);
[[gnu::weak]] void add_exec(CommandLine&);
[[gnu::weak]] void add_kernels(CommandLine&);
[[gnu::weak]] void add_conform(CommandLine&);
[[gnu::weak]] void add_hunt(CommandLine&);
[[gnu::weak]] void add_doctor(CommandLine&);
[[gnu::weak]] void add_test(CommandLine&);
[[gnu::weak]] void add_bench(CommandLine&);

std::span<const Command> command_table() {
  using enum CommandGroup;
  static const Command kTable[] = {
      {"run", "Replay a scenario and say in words what happened, and why.", "tarry run uneven_ps --trace uneven.json",
       replay, "tarry", add_run},
      {"why", "Say what a run's time goes to, by running it again without each cause.", "tarry why slow_counts", replay,
       "tarry", add_why},
      {"path", "Show the critical path of a run, an aggregate or a step: what its time was spent on.",
       "tarry path uneven_ps --aggregate 2", replay, "tarry", add_path},
      {"compare", "Run two scenarios with the same seeds, and say by how much the second one is better.",
       "tarry compare uneven_ps ps_apart", replay, "tarry", add_compare},
      {"sweep", "Run a scenario with many values of its keys, and say with intervals what each of them brings.",
       "tarry sweep backup_workers --csv rows.csv", replay, "tarry", add_sweep},
      {"list",
       "List the scenarios that ship with tarry; search them by symptom, error text, verdict, fault or issue number.",
       "tarry list hang", replay, "tarry", add_list},
      {"new", "Make a scenario for a training graph, and say what the graph does not tell.",
       "tarry new train.meta --out job && tarry run job", replay, "tarry", add_new},
      {"calibrate", "Fit a scenario's devices to step statistics of a real run.",
       "tarry calibrate job step.pb > devices.yaml", replay, "tarry", add_calibrate},
      {"import", "Say what stragglers cost a pipeline-parallel job, from a time line that was measured of it.",
       "tarry import straggler timeline-ST.json.gz", replay, "tarry", add_import},
      {"judge", "Judge a run again, from the log that `tarry run --log` kept.",
       "tarry run worker_dies --log dead.log && tarry judge dead.log", replay, "tarry", add_judge},
      {"verdicts", "List every verdict: what it means, its exit code, and a scenario that shows it.", "tarry verdicts",
       replay, "tarry", add_verdicts},
      {"faults", "List every fault that a scenario can cause, with its fields and an example.", "tarry faults", replay,
       "tarry", add_faults},
      {"schema", "Print the JSON Schema of a scenario file.", "tarry schema > scenario.schema.json", replay, "tarry",
       add_schema},
      {"place", "Place a graph as a release of TensorFlow places it, and explain each node's device.",
       "tarry place sync_softmax_w3_r3_ps1_task0 --devices uneven_ps --explain global_step", ask, "tarry_judge",
       add_place},
      {"partition", "Cut a graph into partitions, by task as the master does or by device.",
       "tarry partition softmax_async_ps2_task0 --by device", ask, "tarry_judge", add_partition},
      {"exec", "Run one step of a graph with real values, on the devices of one process.",
       "tarry exec GRAPH.pbtxt --feed n=10 --fetch while/Exit", ask, "tarry_judge", add_exec},
      {"kernels", "List the ops that tarry computes, with values or with shapes only.", "tarry kernels --all", ask,
       "tarry_judge", add_kernels},
      {"conform", "Compare tarry's answers with recordings of real TensorFlow.",
       "tarry conform sync properties/conform/data/sync", judge, "tarry_judge", add_conform},
      {"hunt", "Search random graphs for one that breaks a property, and shrink it.",
       "tarry hunt placement groups_together --rules 1.12", judge, "tarry_judge", add_hunt},
      {"doctor", "Say what this tarry is made of, and what is missing.", "tarry doctor", judge, "tarry_judge",
       add_doctor},
      {"test", "Build tarry and run its tests; only the launcher ./tarry can.", "./tarry test", judge, "tarry",
       add_test},
      {"bench", "Measure tarry's speed and memory, beside SimGrid alone where both can do the same.",
       "tarry bench placer --filter resnet --against HEAD~3", measure, "tarry_judge", add_bench},
  };
  return kTable;
}

const Command* find_command(std::string_view name) {
  const auto table = command_table();
  const auto it = std::ranges::find(table, name, &Command::name);
  return it == table.end() ? nullptr : &*it;
}

std::string_view heading(CommandGroup group) {
  switch (group) {
    case CommandGroup::replay:
      return "Replay a cluster";
    case CommandGroup::ask:
      return "Ask about one graph";
    case CommandGroup::judge:
      return "Judge tarry, or somebody else's placer";
    case CommandGroup::measure:
      break;
  }
  return "Measure";
}

}  // namespace tarry
