// The command `sweep`, of every program that has it. Programs differ in who computes the runs.
#pragma once

#include <optional>

#include "scenarios/cli/commands.hpp"
#include "scenarios/sweep/sweep.hpp"

namespace tarry {

// Who computes: made when the command runs. `asked`: processes at a time, as -j says; 0 = it says nothing.
using MakeBatch = std::function<StatusOr<Batch>(const Home& home, int asked)>;

// Processes of this machine: as many as asked for, or one for each core.
[[nodiscard]] StatusOr<Batch> on_this_machine(const Home& home, int asked);

// The same, but Ctrl-C is looked for after each run: the command then says how far it is, and ends. Runs that go on end
// with the program.
[[nodiscard]] Batch until_interrupted(const Batch& compute);

// The command's options, and what it does.
void add_sweep_by(CommandLine& line, MakeBatch by);

// What makes the rows: release, commit, compiler, SimGrid.
[[nodiscard]] std::string program_of_rows();

// Runs the plan, and shows on the terminal how far it is.
[[nodiscard]] StatusOr<std::vector<RunRow>> run_with_progress(const SweepPlan& plan, RowFile& file,
                                                              const Batch& compute);
// The same with a batch of until_interrupted(). nullopt = Ctrl-C ended it; the rows that were there by then are in the
// file.
[[nodiscard]] std::optional<StatusOr<std::vector<RunRow>>> run_unless_interrupted(const SweepPlan& plan, RowFile& file,
                                                                                  const Batch& compute);

}  // namespace tarry
