// Causes that hide each other are told together, with what a run without all of them gains.

#include "scenarios/job/hidden.hpp"

#include <gmock/gmock.h>

#include "results/verdict.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Nanos kTenth = kSecond / 10;
constexpr HostId kServerAt{0u}, kFarAt{2u};

// Three synchronous workers need the gradients of all; steps of 0.1 s, and of the third worker of `slow`. Messages of
// the second worker take `far`.
Job three_with(Nanos slow, Nanos far) {
  Job job;
  job.cluster.hosts = {{"server"}};
  job.cluster.tasks.push_back({"/job:ps/replica:0/task:0", kServerAt});
  for (std::size_t w = 0; w < 3; ++w) {
    job.cluster.hosts.push_back({fmt::format("host{}", w)});
    job.cluster.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", w), HostId{w + 1}});
    TrainOptions options;
    options.num_tokens = 0;
    options.session.device_filters = {"/job:ps", fmt::format("/job:worker/task:{}", w)};
    job.clients.push_back(
        {TaskId{w + 1}, shipped_program(fmt::format("sync_softmax_w3_r3_ps1_task{}", w), {.batch = 4}), options});
  }
  const std::string op = "SparseSoftmaxCrossEntropyWithLogits";
  job.costs.rules = {{.op = op, .task = job.cluster.tasks[3].name, .amount = Constant{slow}},
                     {.op = op, .amount = Constant{kTenth}}};
  if (far > 0) set_link(job.cluster.network, kServerAt, kFarAt, {.latency = far});
  job.stop.aggregates = 20;
  return job;
}

std::vector<std::string> kinds_of(const Job& job) {
  const Outcome o = run_apart(job).value();
  std::vector<std::string> kinds;
  for (const Verdict& v : judge(o.log, read_contributions(o.log), o.tasks, prove(job, o).value()))
    kinds.push_back(v.kind);
  return kinds;
}

TEST(Hidden, are_a_slow_worker_and_a_far_one_of_which_each_makes_the_others_wait_as_long) {
  const Job job = three_with(5 * kTenth, kTenth);
  const Outcome o = run_apart(job).value();
  std::vector<Proof> proofs = prove(job, o).value();
  std::erase_if(proofs, [](const Proof& p) { return p.gain < kWorthTelling; });
  ASSERT_EQ(proofs.size(), 2u);
  for (const Proof& p : proofs) {
    EXPECT_NEAR(p.gain, 0.8, 0.01);
    EXPECT_THAT(p.instead, HasSubstr("with worker 2 as fast as the median worker and with host1 (worker 1) as near as "
                                     "the others, neither of which gains much alone"));
  }
  EXPECT_THAT(kinds_of(job), ElementsAre("far", "straggler", "fair"));
}

// The slow worker's steps take 0.6 s, the far one's 0.5 s, and those of the first worker 0.1 s.
TEST(Hidden, are_a_part_of_what_one_gains_where_the_others_wait_nearly_as_long_for_another) {
  const Job job = three_with(6 * kTenth, kTenth);
  const std::vector<Proof> proofs = prove(job, run_apart(job).value()).value();
  const auto slow = std::ranges::find(proofs, Proof::Cause::slow_worker, &Proof::cause);
  ASSERT_NE(slow, proofs.end());
  EXPECT_NEAR(slow->gain, 1.0 / 6, 0.01);
  EXPECT_EQ(slow->beside, "with host1 (worker 1) as near as the others");
  EXPECT_NEAR(slow->beside_gain, 5.0 / 6, 0.01);
  EXPECT_THAT(kinds_of(job), ElementsAre("straggler", "fair"));
  const Job near = three_with(6 * kTenth, 0);
  const std::vector<Proof> of_near = prove(near, run_apart(near).value()).value();
  for (const Proof& p : of_near) EXPECT_EQ(p.beside, "");
}

// The pause costs its two seconds whoever is slow.
TEST(Hidden, are_no_part_of_what_neither_hides_nor_is_hidden) {
  Job job = three_with(6 * kTenth, kTenth);
  job.faults = {{kTenth, Pause{TaskId{0u}, 2 * kSecond}}};
  const std::vector<Proof> proofs = prove(job, run_apart(job).value()).value();
  const auto of = [&](Proof::Cause cause) { return std::ranges::find(proofs, cause, &Proof::cause); };
  ASSERT_NE(of(Proof::Cause::faults), proofs.end());
  EXPECT_EQ(of(Proof::Cause::faults)->beside, "");
  EXPECT_EQ(of(Proof::Cause::slow_worker)->beside, "with host1 (worker 1) as near as the others");
}

// Each is a quarter of the run: none hides the other.
TEST(Hidden, are_no_part_of_what_gains_as_much_alone) {
  Job job = three_with(kTenth, 0);
  job.faults = {{3 * kTenth, Pause{TaskId{1u}, kSecond}}, {15 * kTenth, Pause{TaskId{2u}, kSecond}}};
  const std::vector<Proof> proofs = prove(job, run_apart(job).value()).value();
  EXPECT_GE(std::ranges::count_if(proofs, [](const Proof& p) { return p.gain >= 0.2 && !p.together; }), 2);
  for (const Proof& p : proofs) EXPECT_EQ(p.beside, "") << p.instead;
}

TEST(Hidden, are_a_slow_worker_and_one_that_is_far_as_its_rack_is) {
  Job job = three_with(5 * kTenth, 0);
  job.cluster.network.racks = {{"near", {}}, {"far", {.latency = kTenth}}};
  for (HostSpec& h : job.cluster.hosts) h.rack = RackId{0u};
  job.cluster.hosts[kFarAt.index()].rack = RackId{1u};
  EXPECT_THAT(kinds_of(job), ElementsAre("far", "straggler", "fair"));
}

TEST(Hidden, are_none_where_one_alone_gains_or_nothing_does) {
  EXPECT_THAT(kinds_of(three_with(5 * kTenth, 0)), ElementsAre("straggler", "fair"));
  EXPECT_THAT(kinds_of(three_with(9 * kTenth, kTenth)), ElementsAre("straggler", "fair"));
  EXPECT_THAT(kinds_of(three_with(kTenth, 0)), ElementsAre("fair"));
}

TEST(Hidden, are_no_others_that_were_taken_away_as_well) {
  Job job = three_with(5 * kTenth, kTenth);
  job.cluster.tasks[1].inter_op_threads = 64;  // more than it needs
  EXPECT_THAT(kinds_of(job), ElementsAre("far", "straggler", "fair"));
}

// Of a general cause that gains as well: all messages take longer, too.
TEST(Hidden, are_told_beside_a_general_cause_that_gains_alone) {
  const auto with_latency = [](Nanos slow, Nanos far) {
    Job job = three_with(slow, far);
    job.cluster.network.between_hosts.latency = kTenth / 4;
    return job;
  };
  EXPECT_THAT(kinds_of(with_latency(5 * kTenth, kTenth + kTenth / 4)),
              ElementsAre("far", "straggler", "latency_bound", "fair"));
  EXPECT_THAT(kinds_of(with_latency(kTenth, 0)), ElementsAre("latency_bound", "fair"));
}

// A slow worker, one whose messages take `far`, and faults that nobody feels: workers exchange no messages.
Job with_harmless_faults(Nanos far) {
  Job job = three_with(5 * kTenth, far);
  for (const std::size_t a : {1u, 2u, 3u}) {
    const std::size_t b = a % 3 + 1;
    job.faults.push_back({kSecond, Disconnect{{TaskId{a}, TaskId{b}}}});
    job.faults.push_back({kSecond, Delay{{HostId{a}, HostId{b}}, kTenth, {}}});
    job.faults.push_back({kSecond, Slow{TaskId{a - 1}, {100}, {}}});
  }
  return job;
}

TEST(Hidden, are_found_among_many_faults_that_change_nothing) {
  EXPECT_THAT(kinds_of(with_harmless_faults(kTenth)), ElementsAre("far", "straggler", "fair"));
  EXPECT_THAT(kinds_of(with_harmless_faults(0)), ElementsAre("straggler", "fair"));
}

// How many are told of two hidden ones beside one of all of a kind, and of the job's faults.
std::size_t told_beside(Proof::Cause all, Proof::Cause one, double gain_of_all, std::size_t faults = 2) {
  std::vector<Proof> proofs{{.cause = all, .gain = gain_of_all, .together = true}};
  const Proof hidden{.cause = one, .gain = 0.5};
  add_hidden(proofs, {hidden, hidden}, faults);
  return proofs.size();
}

TEST(Hidden, are_not_told_once_more_where_all_of_their_kind_are) {
  using enum Proof::Cause;
  EXPECT_EQ(told_beside(workers, slow_worker, 0.45), 1u);
  EXPECT_EQ(told_beside(workers, slow_worker, 0.35), 3u) << "they gain more";
  EXPECT_EQ(told_beside(late_start, slow_worker, 0.45), 3u) << "of another kind";
  EXPECT_EQ(told_beside(workers, interference, 0.5), 2u) << "in place of workers that these make slow";
  EXPECT_EQ(told_beside(workers, variations, 0.59), 2u);
  EXPECT_EQ(told_beside(workers, interference, 0.6), 3u) << "others are slow, too";
  EXPECT_EQ(told_beside(workers, far_host, 0.5), 3u) << "these are not what makes workers slow";
  EXPECT_EQ(told_beside(faults, faults, 0.5), 1u);
  EXPECT_EQ(told_beside(faults, faults, 0.5, 3), 2u) << "in place of all faults";
  EXPECT_EQ(told_beside(faults, slow_worker, 0.5, 3), 3u) << "no faults";
  EXPECT_EQ(told_beside(faults, faults, 0.6, 3), 1u) << "another fault has a part in it";
}

// Two servers' kernels of 0.2 s hide each other; saves, which they are, are a cause that gains alone.
TEST(Hidden, are_not_told_where_a_cause_that_is_told_explains_them) {
  Job job = three_with(kTenth, 0);
  const std::string save = "SaveV2";
  job.costs.rules.push_back({.op = save, .amount = Constant{5 * kTenth}});
  EXPECT_THAT(kinds_of(job), ElementsAre("fair"));
  for (ClientJob& c : job.clients) c.options.save_steps = 3;
  EXPECT_THAT(kinds_of(job), ElementsAre("checkpoint_bound", "fair"));
}

TEST(Hidden, are_explained_by_a_known_cause_beside_which_they_gain_nothing) {
  const Job job = three_with(5 * kTenth, kTenth);
  const Outcome o = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, o, nobody);
  Settled settled(job, o, beside);
  Job usual = job, near = job, both = job;
  usual.costs.rules.erase(usual.costs.rules.begin());
  set_link(near.cluster.network, kServerAt, kFarAt, {});
  make_difference(both, job, usual), make_difference(both, job, near);
  const auto what_if = [](Proof::Cause cause, const Job& without, double gain) {
    return WhatIf{{.cause = cause, .what = "x", .instead = "y", .gain = gain}, without};
  };
  const std::vector<IdleCause> idle{{what_if(Proof::Cause::slow_worker, usual, 0)},
                                    {what_if(Proof::Cause::far_host, near, 0)}};
  const auto told = [&](std::vector<WhatIf> known) {
    return hidden_causes(job, beside, settled, idle, known).value().size();
  };
  EXPECT_EQ(told({}), 2u);
  EXPECT_EQ(told({what_if(Proof::Cause::transport, both, 0.79)}), 0u) << "it takes both away";
  EXPECT_EQ(told({what_if(Proof::Cause::transport, job, 0.3)}), 2u) << "it is less than they are";
  EXPECT_EQ(told({what_if(Proof::Cause::transport, job, 0.6)}), 2u) << "without both more is gained";
}

WhatIf cause_of(Proof::Cause cause, TaskId task = {}, bool together = false) {
  return {{.cause = cause, .task = task, .together = together}, {}};
}

TEST(Hidden, are_none_of_a_group_that_gains_with_all_of_them) {
  using enum Proof::Cause;
  const auto left = [](const std::vector<WhatIf>& known_before, const WhatIf& group) {
    std::vector<WhatIf> known = known_before;
    std::vector<IdleCause> idle{{cause_of(slow_worker, TaskId{1u})}, {cause_of(checkpoints)}};
    tell_by_group(known, idle, {group});
    return std::pair(idle.size(), known.size());
  };
  const WhatIf slow = cause_of(workers, {}, true);
  EXPECT_EQ(left({}, slow), std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(left({cause_of(checkpoints)}, slow), std::pair(std::size_t{1}, std::size_t{2}));
  EXPECT_EQ(left({cause_of(slow_worker, TaskId{2u})}, slow), std::pair(std::size_t{2}, std::size_t{1}))
      << "one of them gains alone";
  std::vector<WhatIf> known;
  std::vector<IdleCause> idle{{cause_of(slow_worker, TaskId{1u})}, {cause_of(interference)}};
  tell_by_group(known, idle, {slow});
  EXPECT_EQ(idle.size(), 2u) << "that is why they are slow";
  EXPECT_EQ(left({}, cause_of(far_host, {}, true)), std::pair(std::size_t{2}, std::size_t{1}));
  EXPECT_EQ(left({}, cause_of(faults, {}, true)), std::pair(std::size_t{2}, std::size_t{0})) << "of no kind";
}

TEST(Hidden, are_one_of_two_ways_to_take_the_same_away) {
  using enum Proof::Cause;
  const auto left = [](Proof::Cause first, Proof::Cause second, double of_first, double of_second) {
    std::vector<WhatIf> all{cause_of(first), cause_of(second)};
    all[0].proof.gain = of_first, all[1].proof.gain = of_second;
    leave_out_alternatives(all);
    std::vector<double> gains;
    for (const WhatIf& w : all) gains.push_back(w.proof.gain);
    return gains;
  };
  EXPECT_THAT(left(imbalance, imbalance, 0.02, 0.05), ElementsAre(0.05));
  EXPECT_THAT(left(checkpoints, checkpoints, 0.06, 0.05), ElementsAre(0.06));
  EXPECT_THAT(left(imbalance, imbalance, -0.02, -0.05), ElementsAre(-0.02));
  EXPECT_THAT(left(imbalance, checkpoints, 0.02, 0.05), ElementsAre(0.02, 0.05));
  EXPECT_THAT(left(slow_worker, slow_worker, 0.02, 0.05), ElementsAre(0.02, 0.05));
}

TEST(Hidden, slow_workers_are_left_out_where_what_makes_them_slow_is_told) {
  using enum Proof::Cause;
  const auto left = [](Proof::Cause told, double beside) {
    std::vector<Proof> proofs{{.cause = workers, .gain = 0.48, .together = true}, {.cause = told}};
    leave_out_slow_workers(proofs, {{.cause = told, .gain = 0.2, .beside = "x", .beside_gain = beside}});
    return proofs.size();
  };
  EXPECT_EQ(left(interference, 0.48), 1u);
  EXPECT_EQ(left(variations, 0.44), 1u);
  EXPECT_EQ(left(interference, 0.4), 2u) << "they are slow by more than that";
  EXPECT_EQ(left(far_host, 0.48), 2u);
}

TEST(Hidden, are_none_of_two_that_gain_nothing_together) {
  const Job job = three_with(kTenth, 0);
  const Outcome o = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, o, nobody);
  Settled settled(job, o, beside);
  const WhatIf same{{.cause = Proof::Cause::network, .instead = "with the same"}, job};
  EXPECT_THAT(hidden_causes(job, beside, settled, {{same}, {same}}).value(), IsEmpty());
}

}  // namespace
}  // namespace tarry
