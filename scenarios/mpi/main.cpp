// tarry_mpi: `tarry sweep` over the ranks of an MPI job. mpirun -n 64 tarry_mpi sweep PLAN.yaml

#include "scenarios/cli/memory.hpp"
#include "scenarios/cli/program.hpp"
#include "scenarios/cli/sweep_command.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/mpi/batch.hpp"
#include "scenarios/mpi/ranks.hpp"

namespace tarry {
namespace {

StatusOr<Batch> by_ranks(const Home& home, int asked) {
  if (MpiJob::ranks() == 1) return on_this_machine(home, asked > 0 ? asked : 1);
  if (asked > 0)
    return invalid("-j: every rank computes one run at a time; expected more ranks instead, mpirun -n {}", asked + 1);
  return over_ranks();
}

// What is wrong with the words, rank 0 says.
bool serve_rank(std::vector<std::string> words) {
  (void)take_memory_budget(words);
  return serve(find_home().graphs());
}

int run_rank(const std::vector<std::string>& words) {
  MpiJob job;
  const bool is_first = MpiJob::rank() == 0;
  if (!MpiJob::all_say(version_text())) {
    const Status why = invalid("the ranks' programs differ; expected the same tarry_mpi on every machine");
    return is_first ? refuse(why) : static_cast<int>(kBadInput);
  }
  const int code = is_first ? run_program("tarry", words) : static_cast<int>(kOk);
  const bool is_whole = is_first ? stop_ranks() : serve_rank(words);
  if (!is_whole) job.end_without_the_dead();
  return code;
}

}  // namespace

void add_sweep(CommandLine& line) { add_sweep_by(line, by_ranks); }

}  // namespace tarry

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "sweep")
    return tarry::refuse(tarry::invalid("tarry_mpi has one command; expected mpirun -n RANKS tarry_mpi sweep PLAN"));
  return tarry::run_rank(words);
}
