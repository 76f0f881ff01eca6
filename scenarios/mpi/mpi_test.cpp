// `tarry_mpi sweep` under mpirun, as a user calls it: the rows are those of `tarry sweep`, whatever happens to a rank.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;

const std::string kJob =
    "cluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}, network: {latency: 1ms}}\n"
    "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 100}\n"
    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, time: {lognormal: {mean: 1s, sd: 1s}}}]\nstop: {steps: 20}\n";
const std::string kPlan =
    "scenario: job.yaml\naxes: {cluster.workers: [1, 3, 30], build.graph: [softmax_async_ps1_task0, no_such_graph]}\n";

class Mpi : public testing::Test {
 protected:
  Mpi() {
    (void)setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    (void)setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    (void)folder_.put("job.yaml", kJob);
  }

  [[nodiscard]] std::string plan(const std::string& seeds) const {
    return folder_.put("plan.yaml", kPlan + "seeds: " + seeds + "\n");
  }
  [[nodiscard]] std::string in(const std::string& name) const { return folder_.path() + "/" + name; }

  [[nodiscard]] Answer ranks(const std::string& count, std::vector<std::string> words,
                             std::vector<std::string> options = {}) const {
    std::vector<std::string> all{TARRY_MPIRUN, "--oversubscribe", "-n", count};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), {TARRY_MPI_PROGRAM, "sweep"});
    all.insert(all.end(), words.begin(), words.end());
    return ask(all, in("printed").c_str());
  }

  // The rows that `tarry sweep -j 1` writes.
  [[nodiscard]] std::string alone(const std::string& file) const {
    EXPECT_EQ(ask_tarry({"sweep", file, "--out", in("alone.sqlite"), "--csv", in("alone.csv"), "-j", "1"}).exit_code,
              0);
    return *read_file(in("alone.csv"));
  }

  Folder folder_;
};

TEST_F(Mpi, has_the_same_rows_whatever_the_number_of_ranks) {
  const std::string file = plan("3"), rows = alone(file);
  EXPECT_EQ(std::ranges::count(rows, '\n'), 19);
  for (const std::string count : {"1", "2", "4"}) {
    const Answer a = ranks(count, {file, "--out", in(count + ".sqlite"), "--csv", in(count + ".csv")});
    EXPECT_EQ(a.exit_code, 0) << a.message;
    EXPECT_EQ(a.message, "") << "no warning of MPI, such as of fork";
    EXPECT_EQ(*read_file(in(count + ".csv")), rows) << count << " ranks";
    EXPECT_THAT(*read_file(in("printed")), HasSubstr("6 arms, 18 runs"));
  }
}

TEST_F(Mpi, takes_more_seeds_in_further_batches) {
  const std::string file = plan("{until: {half_width: 1 %, of: time, most: 15}}"), rows = alone(file);
  EXPECT_EQ(ranks("4", {file, "--out", in("4.sqlite"), "--csv", in("4.csv")}).exit_code, 0);
  EXPECT_EQ(*read_file(in("4.csv")), rows);
}

TEST_F(Mpi, refuses_at_one_rank_and_ends_at_all) {
  const Answer a = ranks("3", {in("no_plan.yaml")});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("no_plan.yaml: no such plan"));
  EXPECT_THAT(ranks("3", {plan("1"), "-j", "2", "--out", in("j.sqlite")}).message,
              HasSubstr("-j: every rank computes one run at a time; expected more ranks instead, mpirun -n 3"));
}

// A program for mpirun that begins as the shell and becomes tarry_mpi; rank 2 kills itself a moment later.
std::string dying_rank() {
  return "if [ \"$OMPI_COMM_WORLD_RANK\" = 2 ]; then (sleep 1; kill -9 $$) & fi; exec \"$@\"";
}

TEST_F(Mpi, goes_on_without_a_rank_that_dies_where_mpirun_lets_it) {
  const std::string file = plan("40"), rows = alone(file);
  std::vector<std::string> words{TARRY_MPIRUN,
                                 "--oversubscribe",
                                 "--enable-recovery",
                                 "-n",
                                 "4",
                                 "sh",
                                 "-c",
                                 dying_rank(),
                                 "sh",
                                 TARRY_MPI_PROGRAM,
                                 "sweep",
                                 file};
  words.insert(words.end(), {"--out", in("died.sqlite"), "--csv", in("died.csv")});
  EXPECT_EQ(ask(words, in("printed").c_str()).exit_code, 0);
  EXPECT_EQ(*read_file(in("died.csv")), rows);
}

TEST_F(Mpi, else_goes_on_when_it_is_called_again) {
  const std::string file = plan("40"), rows = alone(file);
  const std::vector<std::string> sweep{file, "--out", in("died.sqlite"), "--csv", in("died.csv")};
  std::vector<std::string> words{TARRY_MPIRUN, "--oversubscribe", "-n", "4", "sh", "-c", dying_rank(), "sh"};
  words.insert(words.end(), {TARRY_MPI_PROGRAM, "sweep"});
  words.insert(words.end(), sweep.begin(), sweep.end());
  EXPECT_NE(ask(words, in("printed").c_str()).exit_code, 0);
  EXPECT_EQ(ranks("4", sweep).exit_code, 0);
  EXPECT_EQ(*read_file(in("died.csv")), rows);
}

}  // namespace
}  // namespace tarry
