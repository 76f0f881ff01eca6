// Runs of a job that take its graphs from earlier runs.

#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

std::string hash_of_run(Job& job, std::uint64_t seed, KnownJob* known) {
  job.seed = seed;
  return to_string(run_here(job, known).log.hash());
}

// Incarnations, and with them the keys of all transfers, are drawn anew with each seed; a process that begins again has
// new ones within a run. Kernels remember what they gave out in other runs.
class KnownJobs : public testing::TestWithParam<const char*> {};

TEST_P(KnownJobs, a_run_that_finds_its_graphs_ready_is_the_run_that_makes_them) {
  Job job = job_for(shipped(GetParam())).value();
  KnownJob known;
  for (const std::uint64_t seed : {1, 2, 1, 3})
    EXPECT_EQ(hash_of_run(job, seed, &known), hash_of_run(job, seed, nullptr)) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, KnownJobs,
                         testing::Values("010_uneven_ps", "022_gpu_out_of_memory", "040_worker_dies",
                                         "047_chief_dies_checkpoint", "048_ps_dies", "055_async_worker_dies",
                                         "064_handwritten_sparse", "066_stale_sync"));

TEST(KnownJobs, what_a_run_found_out_is_kept_for_each_client) {
  Job job = job_for(shipped("010_uneven_ps")).value();
  KnownJob known;
  (void)hash_of_run(job, 1, &known);
  for (const ClientJob& client : job.clients) EXPECT_TRUE(known.keeps(client.program.graph.get()));
}

// ---- clients that have one graph ----

// The same job, but each client has a graph of its own.
Job with_own_graphs(Job job) {
  for (ClientJob& c : job.clients) {
    c.program.graph = std::make_shared<const GraphSpec>(own_graph(c.program));
    c.program.written_for.clear();
  }
  return job;
}

// How many graphs, and parts of graphs by task, a run makes.
std::size_t graphs_made(Job job) {
  KnownJob known;
  (void)hash_of_run(job, 1, &known);
  return known.size();
}

class SharedGraphs : public testing::TestWithParam<const char*> {};

TEST_P(SharedGraphs, workers_that_share_one_run_as_workers_that_each_have_their_own) {
  Job job = job_for(shipped(GetParam())).value(), apart = with_own_graphs(job);
  EXPECT_EQ(hash_of_run(job, 3, nullptr), hash_of_run(apart, 3, nullptr));
  for (Job* j : {&job, &apart})
    for (ClientJob& c : j->clients) c.options.session.device_filters.clear();
  EXPECT_EQ(hash_of_run(job, 3, nullptr), hash_of_run(apart, 3, nullptr)) << "each client sees all tasks";
}

TEST_P(SharedGraphs, a_graph_is_made_for_the_chief_and_one_for_all_others) {
  const Job job = job_for(shipped(GetParam())).value();
  const std::size_t clients = job.clients.size();
  EXPECT_LT(graphs_made(job) * clients, graphs_made(with_own_graphs(job)) * 3);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SharedGraphs,
                         testing::Values("059_async8", "073_waits_for_all", "093_short_job",
                                         "098_ps_restarted_checkpoint", "107_narrow_trunks", "110_grpc",
                                         "015_workers64_backup4"));

// The spread is tried only where one parameter server sends more than the others.
TEST(SharedGraph, stays_shared_where_the_variables_are_spread) {
  const Job job = job_for(shipped("059_async8")).value();
  Outcome o = run_apart(job).value();
  for (int i = 0; i < 100; ++i)
    o.log.add(o.log.ended_at, MessageDelivered{TaskId{0u}, TaskId{2u}, NameId{0u}, 1 << 30});
  const std::vector<WhatIf> all = what_ifs(job, o);
  const auto spread = std::ranges::find(all, "with the variables spread by bytes over the parameter servers",
                                        [](const WhatIf& w) { return w.proof.instead; });
  ASSERT_NE(spread, all.end());
  const auto graph = [](const Job& j, std::size_t client) { return j.clients[client].program.graph; };
  EXPECT_NE(graph(spread->job, 2), graph(job, 2));
  EXPECT_NE(graph(spread->job, 2), graph(spread->job, 0)) << "the chief has its own";
  EXPECT_EQ(graph(spread->job, 2), graph(spread->job, 7));
}

// ---- runs beside one that has run ----

std::string hash_beside(Beside& beside, const WhatIf& w) {
  return to_string(beside.run_and_keep(w.proof, w.job).value().outcome.value().log.hash());
}

class RunsBeside : public testing::TestWithParam<const char*> {};

TEST_P(RunsBeside, are_those_of_runs_that_make_their_graphs) {
  const Job job = job_for(shipped(GetParam())).value();
  const Outcome outcome = run_apart(job).value();
  const ProofWatch nobody;
  Beside several(job, outcome, nobody);
  for (const WhatIf& w : what_ifs(job, outcome, Scope::all)) {
    Beside first(job, outcome, nobody);
    EXPECT_EQ(hash_beside(several, w), hash_beside(first, w)) << w.proof.instead;
  }
}

TEST_P(RunsBeside, are_the_same_when_several_run_at_once) {
  const Job job = job_for(shipped(GetParam())).value();
  const Outcome outcome = run_apart(job).value();
  const ProofWatch nobody;
  Beside one_by_one(job, outcome, nobody), at_once(job, outcome, nobody);
  const std::vector<WhatIf> all = what_ifs(job, outcome, Scope::all);
  std::vector<Beside::Trial> trials;
  for (const WhatIf& w : all) trials.push_back({w.proof, w.job});
  std::size_t seen = 0;
  const Status ran = at_once.run_each(trials, [&](std::size_t i, const Beside::Ran& r) -> Status {
    EXPECT_EQ(i, seen++);
    EXPECT_EQ(to_string(r.outcome.value().log.hash()), hash_beside(one_by_one, all[i])) << all[i].proof.instead;
    return {};
  });
  EXPECT_TRUE(ran.ok());
  EXPECT_EQ(seen, all.size());
}

TEST(RunsBesideAtOnce, end_with_the_first_error) {
  const Job job = job_for(shipped("010_uneven_ps")).value();
  const Outcome outcome = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, outcome, nobody);
  const Proof again{.instead = "once more"};
  std::size_t seen = 0;
  const Status ran = beside.run_each({{again, job}, {again, job}, {again, job}}, [&](std::size_t, const Beside::Ran&) {
    return ++seen == 2 ? error(Code::kInternal, "enough") : Status();
  });
  EXPECT_EQ(text_of(ran), "enough");
  EXPECT_EQ(seen, 2u);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, RunsBeside,
                         testing::Values("010_uneven_ps", "022_gpu_out_of_memory", "048_ps_dies", "059_async8",
                                         "066_stale_sync", "098_ps_restarted_checkpoint", "103_slow_card",
                                         "107_narrow_trunks", "113_racks_slow_down"));

TEST(KnownJobs, a_run_that_computes_larger_values_finds_out_anew) {
  Job job = job_for(shipped("010_uneven_ps")).value();
  KnownJob known;
  for (const std::int64_t largest : {0, 4096}) {
    job.values_up_to = largest;
    EXPECT_EQ(hash_of_run(job, 1, &known), hash_of_run(job, 1, nullptr)) << "values up to " << largest;
  }
}

}  // namespace
}  // namespace tarry
