// What is to be done about workers that come last, and where a standstill without a price stands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/to_do.hpp"
#include "results/told_facts.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

Proof of_fault(double gain, TaskId task, bool goes_on = false) {
  Proof p = proof(Proof::Cause::faults, gain, task);
  p.goes_on = goes_on;
  return p;
}

// Two workers push after so long; then three gradients of the second one are dropped.
void drop_three(Story& s, double first, double second) {
  s.ready(0, TaskId{1u}).ready(0, TaskId{2u});
  for (std::uint64_t i = 0; i < 3; ++i) {
    const double t = 10.0 * static_cast<double>(i);
    s.step(t, TaskId{1u}, 2 * i + 1).step(t, TaskId{2u}, 2 * i + 2).take(t, 1);
    s.push(t + first, 2 * i + 1).aggregate(t + first, 1).push(t + second, 2 * i + 2, false);
    s.ended(t + 9, TaskId{1u}, 2 * i + 1).ended(t + 9, TaskId{2u}, 2 * i + 2);
  }
}

std::string starved_after(double first, double second) {
  Story s;
  drop_three(s, first, second);
  return s.told("starved");
}

TEST(Starved, comes_after_what_makes_the_worker_slow) {
  Story s;
  drop_three(s, 4, 8);
  const auto kinds = [&](const std::vector<Proof>& proofs) {
    std::vector<std::string> all;
    for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs)) all.push_back(v.kind);
    return all;
  };
  EXPECT_THAT(kinds({}), testing::ElementsAre("starved", "backup"));
  const Proof slow{
      .cause = Proof::Cause::slow_worker, .task = TaskId{2u}, .what = "slow", .instead = "as fast", .gain = 0.4};
  EXPECT_THAT(kinds({slow}), testing::ElementsAre("straggler", "starved", "backup"));
}

TEST(Starved, is_to_be_taken_out_only_where_its_steps_take_longer) {
  EXPECT_THAT(starved_after(4, 5), HasSubstr("too late for it; TensorFlow"));
  EXPECT_THAT(starved_after(4, 5), HasSubstr("of equal workers some come last. To do: aggregate more gradients."));
  EXPECT_THAT(
      starved_after(4, 5.1),
      HasSubstr("most of the difference is computing. To do: aggregate more gradients, or take the worker out."));
}

// Of many initial tokens nearly all gradients come too late; with these proofs.
std::string of_tokens(const std::vector<Proof>& proofs) {
  Facts f(Training::synchronous);
  f.c.initial_tokens = {0, 0, 0, 0, 0, 0};
  AccumulatorStory& a = f.c.accumulators[0];
  a.pushed = {9, 9}, a.dropped = {9, 2};
  return f.with("starved", proofs);
}

TEST(Starved, says_that_initial_tokens_are_many_where_the_work_takes_less_time_without_them) {
  const Proof without = proof(Proof::Cause::tokens, .4);
  EXPECT_EQ(of_tokens({without}).substr(0, of_tokens({without}).find('\n')),
            "11 of 18 gradients that the workers pushed to v:0 were dropped: there are 6 initial tokens for 2 workers, "
            "all of step 0, and a gradient that is made with one of them comes too late once the global step has moved "
            "on. Run again INSTEAD (same seed), the same work takes 40.0 % less time. To do: start without initial "
            "tokens (num_tokens=0), so that every worker waits for the first aggregate.");
  Story s;
  drop_three(s, 4, 5);
  Contributions c = s.contributions();
  c.initial_tokens = {0, 0, 0};
  const std::vector<Proof> proofs{without};
  for (const Verdict& v : judge(s.log, c, kTasks, proofs))
    EXPECT_THAT(v.text, testing::Not(HasSubstr("of equal workers"))) << "it is the tokens";
  EXPECT_THAT(of_tokens({}), testing::StartsWith("9 of 9 gradients that worker 0 pushed"));
  EXPECT_THAT(of_tokens({proof(Proof::Cause::tokens, .01)}), testing::StartsWith("9 of 9 gradients that worker 0"));
}

TEST(Starved, chiefs_are_not_to_be_taken_out) {
  Story s;
  drop_three(s, 4, 8);
  Contributions c = s.contributions();
  const auto told = [&](TaskId chief) {
    c.sync_client = chief;
    for (const Verdict& v : judge(s.log, c, kTasks))
      if (v.kind == "starved") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(kChief), testing::EndsWith("To do: aggregate more gradients, or take the worker out."));
  EXPECT_THAT(told(kOther), testing::EndsWith("To do: aggregate more gradients."));
}

TEST(Starved, is_to_begin_anew_where_it_is_lost_for_good) {
  const auto told = [](bool is_back) {
    Story s;
    drop_three(s, 4, 8);
    s.at(30, ProcessEnded{kOther});
    if (is_back) s.at(31, ProcessBegan{kOther});
    return s.told("starved");
  };
  EXPECT_THAT(told(false), testing::EndsWith("To do: restart worker 1, and aggregate more gradients."));
  EXPECT_THAT(told(true), HasSubstr("To do: aggregate more gradients"));
}

TEST(Stalled, comes_last_where_it_cost_nothing_and_another_cause_did) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, TaskId{1u}, 1).ended(1, TaskId{2u}, 2);
  for (std::uint64_t i = 2; i < 6; ++i) {
    const double t = static_cast<double>(i) + (i > 3 ? 20 : 0);
    s.step(t - 1, TaskId{1u}, 2 * i).step(t - 1, TaskId{2u}, 2 * i + 1).push(t, 2 * i).push(t, 2 * i + 1).aggregate(t);
    s.ended(t, TaskId{1u}, 2 * i).ended(t, TaskId{2u}, 2 * i + 1);
    if (i == 3) s.at(4, ProcessEnded{TaskId{2u}}).at(20, ProcessBegan{TaskId{2u}}).ready(21, TaskId{2u});
  }
  const auto first = [&](const std::vector<Proof>& proofs) {
    return judge(s.log, s.contributions(), kTasks, proofs).front().kind;
  };
  const Proof network{.cause = Proof::Cause::network, .what = "bandwidth", .instead = "with more", .gain = 0.5},
      loss{.task = TaskId{2u}, .instead = "without the faults of worker 1", .gain = 0.3};
  ASSERT_THAT(s.verdicts(), testing::Contains("stalled"));
  EXPECT_EQ(first({}), "stalled");
  EXPECT_NE(first({network}), "stalled");
  EXPECT_EQ(first({network, loss}), "stalled");
}

TEST(Stalled, has_the_cure_of_what_ended_with_it_and_not_of_what_is_wrong_to_the_end) {
  Facts f(Training::synchronous);
  const Trouble lasting{.kind = Trouble::Kind::gone, .task = kOther, .from = kSecond},
      server{.kind = Trouble::Kind::gone, .task = kPs, .from = kSecond, .to = 8 * kSecond, .back = 7 * kSecond};
  const auto to_do = [&](std::vector<Trouble> troubles) {
    f.e.troubles = troubles;
    f.e.standstills = {{kSecond, 8 * kSecond, 0, {.troubles = std::move(troubles)}}};
    return std::string(to_do_in(f.says("stalled")));
  };
  EXPECT_EQ(to_do({lasting, server}), "restart ps 0 soon, and save checkpoints.");
  EXPECT_THAT(to_do({lasting}), testing::StartsWith("restart worker 1, or aggregate fewer"));
}

TEST(Advice, names_a_backup_worker_only_where_one_host_is_slow_at_a_time) {
  const auto to_do = [](Nanos other_begins, const std::string& other_host, Nanos first_ends = 2 * kSecond) {
    Facts f(Training::synchronous);
    const Trouble slow{.kind = Trouble::Kind::slowed, .task = kChief, .from = kSecond, .to = first_ends};
    f.e.troubles = {slow, {.kind = Trouble::Kind::slowed_host, .a = other_host, .from = other_begins}};
    return cure_of(f.e, slow);
  };
  EXPECT_THAT(to_do(2 * kSecond, "host1"), HasSubstr(", or have a backup worker"));
  EXPECT_THAT(to_do(kSecond, "host0"), HasSubstr(", or have a backup worker")) << "it is the same host";
  EXPECT_EQ(to_do(2 * kSecond - 1, "host1"), "look at what else runs on the host of worker 0");
  EXPECT_EQ(to_do(9 * kSecond, "host1", -1), "look at what else runs on the host of worker 0");
}

TEST(Advice, names_a_backup_worker_of_a_slow_host_that_costs_time_by_itself) {
  Facts f(Training::synchronous);
  const Trouble slow{.kind = Trouble::Kind::slowed, .task = kChief, .from = kSecond, .text = "", .fault = "slow x"};
  Trouble other = slow;
  other.task = kOther;
  f.e.troubles = {slow, other};
  EXPECT_EQ(cure_of(f.e, slow), "look at what else runs on the host of worker 0");
  f.proofs = {of_fault(.3, kChief)}, f.e.proofs = f.proofs;
  EXPECT_THAT(cure_of(f.e, slow), HasSubstr(", or have a backup worker"));
  f.proofs.clear(), f.e.proofs = f.proofs;
  f.e.troubles[1].fault = "slow_save x";
  EXPECT_THAT(cure_of(f.e, slow), HasSubstr(", or have a backup worker")) << "saves slow no worker down";
}

TEST(Stalled, by_slow_saves_ended_after_the_save_that_was_under_way) {
  const auto told = [](const std::string& fault) {
    Facts f(Training::synchronous);
    f.e.troubles = {{.kind = Trouble::Kind::slowed, .task = kPs, .from = 0, .to = kSecond, .over = 4 * kSecond}};
    f.e.troubles[0].fault = fault;
    f.e.standstills = {{0, 5 * kSecond, 0, {.troubles = f.e.troubles}}};
    return f.says("stalled");
  };
  EXPECT_THAT(told("slow_save x"), HasSubstr("It ended after the save that was under way then, at 4.000 s."));
  EXPECT_THAT(told("slow x"), HasSubstr("It ended after the step that was under way then, at 4.000 s."));
}

TEST(Stalled, is_about_what_is_wrong_to_the_end_as_well_where_that_costs_time_of_its_own) {
  Facts f(Training::synchronous);
  const Trouble lasting{.kind = Trouble::Kind::gone, .task = kOther, .from = kSecond},
      paused{.kind = Trouble::Kind::paused, .task = kChief, .from = kSecond, .to = 8 * kSecond};
  f.e.troubles = {lasting, paused};
  f.e.standstills = {{kSecond, 8 * kSecond, 0, {.troubles = f.e.troubles}}};
  const auto to_do = [&](std::vector<Proof> proofs) { return f.with("stalled", std::move(proofs)); };
  const Proof all = of_all(proof(Proof::Cause::faults, .5));
  EXPECT_THAT(to_do({all, of_fault(.2, kOther)}), HasSubstr("restart worker 1, or aggregate fewer"));
  EXPECT_THAT(to_do({all, of_fault(.2, kChief)}), testing::Not(HasSubstr("restart worker 1")));
}

// Both workers are lost with their hosts at 1 s.
std::string cure_of_both(std::vector<Proof> proofs) {
  Facts f(Training::asynchronous);
  Trouble chief{.kind = Trouble::Kind::gone, .task = kChief, .from = kSecond, .to = 9 * kSecond, .back = 5 * kSecond};
  chief.why = "host0 and host1 are lost";
  Trouble other = chief;
  other.task = kOther, other.back = 9 * kSecond;
  f.proofs = std::move(proofs), f.e.proofs = f.proofs;
  return cure_of(f.e, std::vector{chief, other});
}
constexpr char kBothSooner[] = "restart worker 0 and worker 1 sooner";

TEST(Advice, on_several_losses_is_about_those_that_make_a_difference) {
  EXPECT_EQ(cure_of_both({}), "restart worker 0 sooner") << "nothing is known: the first";
  EXPECT_EQ(cure_of_both({of_fault(.1, kOther)}), "restart worker 1 sooner");
  EXPECT_EQ(cure_of_both({of_all(proof(Proof::Cause::faults, .1))}), kBothSooner) << "neither alone";
  EXPECT_EQ(cure_of_both({proof(Proof::Cause::faults, .1, TaskId::none(), "host0, host1")}), kBothSooner);
}

TEST(Advice, on_several_losses_is_about_the_one_that_the_proof_tells_of) {
  EXPECT_EQ(cure_of_both({of_fault(.3, kOther), of_fault(.1, kChief)}), "restart worker 1 sooner") << "it gains more";
  EXPECT_EQ(cure_of_both({of_all(proof(Proof::Cause::faults, .5)), of_fault(.1, kOther)}), kBothSooner);
  EXPECT_EQ(cure_of_both({of_fault(.1, kOther, true), of_fault(.3, kChief)}), "restart worker 1 sooner");
  EXPECT_EQ(cure_of_both({of_fault(.1, kOther, true), of_fault(.1, kChief, true)}), "restart worker 0 sooner")
      << "without either the job goes on: the first";
}

// Worker 1 is lost for good, the third one stands still; without either alone all wait for the other.
std::string cure_of_all_faults(std::vector<Trouble> more, bool goes_on = true, std::vector<Proof> proofs = {}) {
  Facts f(Training::synchronous, 3, 3);
  f.c.sync_client = kChief;
  const Trouble gone{.kind = Trouble::Kind::gone, .task = kOther, .from = kSecond};
  f.e.troubles = std::move(more), f.e.troubles.insert(f.e.troubles.begin(), gone);
  Proof all = of_all(proof(Proof::Cause::faults, .5));
  all.goes_on = goes_on;
  proofs.push_back(all);
  f.e.proofs = f.proofs = proofs;
  return cure_of(f.e, std::vector{gone});
}
constexpr char kRestartOne[] =
    "restart worker 1, or aggregate fewer gradients than there are workers; watch the time "
    "since the last aggregate";

TEST(Advice, is_about_each_where_the_proof_is_of_all_faults) {
  Facts f(Training::synchronous);
  const Trouble paused{.kind = Trouble::Kind::paused, .task = kOther, .from = kSecond, .to = 2 * kSecond},
      lost{.kind = Trouble::Kind::gone, .task = kChief, .from = kSecond, .to = 9 * kSecond, .back = 8 * kSecond};
  f.e.troubles = {paused, lost};
  const auto to_do = [&](std::vector<Proof> proofs) {
    f.proofs = std::move(proofs), f.e.proofs = f.proofs;
    return cure_of(f.e, f.e.troubles);
  };
  const Proof all = of_all(proof(Proof::Cause::faults, .5)), one = of_fault(.3, kOther);
  EXPECT_THAT(to_do({one}),
              testing::AllOf(HasSubstr("let the process of worker 1 go on"), testing::Not(HasSubstr("worker 0"))));
  EXPECT_THAT(to_do({all, one}), testing::AllOf(testing::StartsWith("let the process of worker 1 go on"),
                                                HasSubstr("; and restart worker 0")));
  EXPECT_THAT(to_do({all}), testing::StartsWith("all of these, since without one of the faults alone the work takes as "
                                                "long: let the process of worker 1 go on"));
}

TEST(Advice, on_several_faults_names_a_time_limit_once_and_last) {
  Facts f(Training::synchronous);
  f.e.troubles = {{.kind = Trouble::Kind::parted, .a = "host0", .b = "server", .from = kSecond},
                  {.kind = Trouble::Kind::paused, .task = kOther, .from = kSecond}};
  f.proofs = {of_all(proof(Proof::Cause::faults, .5))}, f.e.proofs = f.proofs;
  EXPECT_EQ(cure_of(f.e, f.e.troubles),
            "all of these, since without one of the faults alone the work takes as long: join host0 and server again; "
            "and let the process of worker 1 go on (is it stopped, swapped out, or its machine frozen?); a time limit "
            "on each step (RunOptions.timeout_in_ms) would tell");
}

TEST(Advice, on_several_pauses_is_one_and_on_lost_workers_one_for_those_that_were_away_alike) {
  Facts f(Training::synchronous, 3, 3);
  const auto gone = [](TaskId task, Nanos back) {
    return Trouble{.kind = Trouble::Kind::gone, .task = task, .from = kSecond, .to = back + kSecond / 5, .back = back};
  };
  const auto paused = [](TaskId task) { return Trouble{.kind = Trouble::Kind::paused, .task = task, .from = kSecond}; };
  EXPECT_THAT(cures_of_each(f.e, std::vector{paused(kOther), paused(kThird)}),
              testing::ElementsAre(testing::StartsWith("let the processes of worker 1 and worker 2 go on (are they")));
  EXPECT_THAT(cures_of_each(f.e, std::vector{gone(kOther, 2 * kSecond), gone(kThird, 2 * kSecond)}),
              testing::ElementsAre(testing::StartsWith("find out what ends worker 1 and worker 2")));
  EXPECT_THAT(cures_of_each(f.e, std::vector{gone(kOther, 2 * kSecond), gone(kThird, -1)}),
              testing::ElementsAre(testing::StartsWith("find out what ends worker 1"),
                                   testing::StartsWith("restart worker 2")));
}

TEST(Advice, is_about_each_that_is_wrong_to_the_end_where_only_all_together_help) {
  using Kind = Trouble::Kind;
  const Trouble paused{.kind = Kind::paused, .task = kThird}, gone{.kind = Kind::gone, .task = kThird},
      over{.kind = Kind::paused, .task = kThird, .to = kSecond}, left{.kind = Kind::left, .task = kThird};
  EXPECT_EQ(cure_of_all_faults({paused}),
            std::string("all of these, since without one of the faults alone the job stands still as well: ") +
                kRestartOne +
                "; and let the process of worker 2 go on (is it stopped, swapped out, or its machine frozen?); a time "
                "limit on each step (RunOptions.timeout_in_ms) would tell");
  EXPECT_THAT(cure_of_all_faults({gone}), testing::StartsWith("restart worker 1 and worker 2, or aggregate"));
  EXPECT_EQ(cure_of_all_faults({paused, paused}), cure_of_all_faults({paused})) << "once";
  EXPECT_EQ(cure_of_all_faults({over}), kRestartOne);
  EXPECT_EQ(cure_of_all_faults({left}), kRestartOne) << "it had done its steps";
  Trouble told_to_leave = left;
  told_to_leave.fault = "leave x";
  EXPECT_THAT(cure_of_all_faults({told_to_leave}), HasSubstr("; and let worker 2 train as long as the others"));
  EXPECT_EQ(cure_of_all_faults({paused}, false), kRestartOne) << "the job goes on anyway";
  Proof one = proof(Proof::Cause::faults, .1, kChief);
  EXPECT_THAT(cure_of_all_faults({paused}, true, {one}), HasSubstr("the job stands still as well"));
  one.goes_on = true;
  EXPECT_EQ(cure_of_all_faults({paused}, true, {one}), kRestartOne) << "without those of worker 0 alone it goes on";
}

TEST(Advice, on_paths_is_about_all_of_them_unless_one_makes_the_difference) {
  const auto parted = [](const char* host) {
    return Trouble{.kind = Trouble::Kind::parted, .task = TaskId(), .a = host, .b = "server"};
  };
  Facts f(Training::synchronous);
  const std::vector<Trouble> two{parted("host0"), parted("host1")};
  EXPECT_THAT(cure_of(f.e, two), testing::StartsWith("join host0 and server, and host1 and server again; "));
  f.e.proofs = f.proofs = {{.cause = Proof::Cause::faults, .a = "host1", .b = "server", .gain = 0.3}};
  EXPECT_THAT(cure_of(f.e, two), testing::StartsWith("join host1 and server again; "));
}

// Tokens enter a queue there; this server's process is gone, for good unless it was ready again.
std::string on_a_lost_server(TaskId keeper, TaskId lost, Nanos ready = -1, Training training = Training::synchronous) {
  Facts f(training);
  f.log.set_names({"v:0/grad_accum", "global_step", "", "sync_token_q"});
  f.at(1, Enqueued{keeper, NameId{3u}, StepId{1}, 0});
  f.e.troubles = {{.kind = Trouble::Kind::gone, .task = lost, .from = 2 * kSecond, .to = ready}};
  return cure_of(f.e, f.e.troubles[0]);
}

TEST(Advice, on_a_lost_server_is_about_the_one_that_keeps_the_tokens_as_well) {
  constexpr char kAlone[] = "restart ps 1 soon, and save checkpoints";
  EXPECT_EQ(on_a_lost_server(kPs, kSecondPs),
            "restart ps 0 and ps 1 together, since ps 0 keeps the queue of tokens, which the chief closes with its "
            "session (from TensorFlow 2.15 on), and save checkpoints");
  EXPECT_EQ(on_a_lost_server(kPs, kSecondPs, 9 * kSecond), kAlone) << "training went on";
  EXPECT_EQ(on_a_lost_server(kSecondPs, kSecondPs), kAlone);
  EXPECT_EQ(on_a_lost_server(kPs, kSecondPs, -1, Training::asynchronous), kAlone);
}

TEST(Advice, on_a_lost_server_is_about_clients_that_slept_when_there_was_a_model_again) {
  const auto cure = [](double looked, double over) {
    Facts f(Training::asynchronous);
    f.stage(looked, kOther, SessionStage::waiting);
    Trouble t{.kind = Trouble::Kind::gone, .task = kPs, .from = 2 * kSecond, .to = 4 * kSecond, .back = 3 * kSecond};
    t.over = static_cast<Nanos>(over * kSecond);
    return cure_of(f.e, t);
  };
  EXPECT_EQ(cure(3, 9),
            "find out what ends ps 0, and save checkpoints; let clients that find no model look again sooner "
            "(recovery_wait_secs)");
  for (const auto& [looked, over] : {std::pair{2.0, 9.0}, {9.0, 9.0}, {3.0, 5.0}})
    EXPECT_EQ(cure(looked, over), "find out what ends ps 0, and save checkpoints");
}

TEST(Advice, on_what_interferes_with_a_server_and_a_worker_is_about_the_one_that_gains_more) {
  Facts f(Training::synchronous);
  f.tasks.hosts[1] = "server";
  const Proof both = proof(Proof::Cause::interference, .5, TaskId::none(), "server");
  const auto is_of_server = [&](double of_worker, double of_server, TaskId worker = kChief) {
    f.proofs = {both, proof(Proof::Cause::slow_worker, of_worker, worker),
                proof(Proof::Cause::server_kernels, of_server, kPs)};
    f.e.proofs = f.proofs;
    return interferes_with_servers(f.e, both);
  };
  EXPECT_FALSE(is_of_server(.5, .1));
  EXPECT_THAT(f.says("straggler"), testing::StartsWith("server is what the others wait for: WHAT."));
  EXPECT_FALSE(is_of_server(0, 0)) << "no kernel of the server's costs time";
  Proof several = proof(Proof::Cause::workers, .5);
  several.what = "the kernels of worker 0 and worker 1 take longer";
  f.proofs = {both, several, proof(Proof::Cause::server_kernels, .1, kPs)}, f.e.proofs = f.proofs;
  EXPECT_FALSE(interferes_with_servers(f.e, both));
  EXPECT_TRUE(is_of_server(.1, .1)) << "the workers wait for both";
  EXPECT_THAT(f.says("busy_server"), testing::StartsWith("The workers wait for a parameter server: WHAT."));
  EXPECT_TRUE(is_of_server(.5, .1, kOther)) << "it is on another host";
}

TEST(Advice, on_a_chief_that_left_first_is_not_to_aggregate_fewer_gradients) {
  const auto cure = [](TaskId closer) {
    Facts f(Training::synchronous, 3, 3);
    f.c.sync_client = kChief, f.e.closer = closer;
    return cure_of(f.e, Trouble{.kind = Trouble::Kind::left, .task = kOther});
  };
  EXPECT_EQ(cure(kOther), "let worker 1 train as long as the others");
  EXPECT_THAT(cure(kChief), HasSubstr("or aggregate fewer gradients"));
}

TEST(Causes, say_the_role_of_a_task_before_what_was_before) {
  Facts f(Training::synchronous);
  f.c.sync_client = kChief;
  WaitsFor waits;
  waits.troubles = {
      {.kind = Trouble::Kind::failed, .task = kChief, .from = kSecond, .text = "GPU sync failed", .why = "WHY"}};
  EXPECT_THAT(causes_in_words(f.e, waits),
              testing::EndsWith("(GPU sync failed): its sync thread takes the aggregates and "
                                "hands out the tokens, and nobody else does; before that: WHY"));
}

}  // namespace
}  // namespace tarry
