// What verdicts say of causes that cost time, to the last word, and which of two they tell.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;
using Cause = Proof::Cause;

// ---- causes that cost time ----

TEST(CauseWords, of_over_asked_aggregates) {
  const auto of = [](std::int64_t required) {
    return Facts(Training::synchronous, required).with("over_asked", {proof(Cause::replicas, .2)});
  };
  EXPECT_EQ(
      of(3),
      "An aggregate needs 3 gradients, and 2 workers train: it takes several steps of some of them. Run again INSTEAD "
      "(same seed), the same work takes 20.0 % less time. That is for as many aggregates, each of 2 gradients in place "
      "of 3. To do: aggregate no more gradients than there are workers.");
  Facts built_for_three(Training::synchronous, 4);
  built_for_three.c.planned_workers = 3;
  EXPECT_THAT(built_for_three.with("over_asked", {proof(Cause::replicas, .2)}),
              testing::HasSubstr("each of 3 gradients in place of 4. "));
  EXPECT_EQ(of(2), "") << "as many as there are";
  for (const char* other : {"stuck", "no_aggregate"})
    EXPECT_EQ(Facts(Training::synchronous, 3)
                  .with("over_asked", {proof(Cause::replicas, .2)}, std::vector<Verdict>{{other, ""}}),
              "");
}

TEST(CauseWords, of_pcie_roots_and_copies_that_cost_a_tenth_more) {
  const auto of = [](double copies, bool together) {
    Proof p = proof(Cause::copies, copies);
    p.together = together;
    return Facts(Training::asynchronous).with("pcie_bound", {proof(Cause::pcie, .2), p});
  };
  EXPECT_EQ(of(.29, false),
            "The PCIe roots cost time: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less time. To "
            "do: wider PCIe roots, fewer GPUs below each root, or fewer bytes a step.");
  EXPECT_EQ(of(.31, false),
            of(.29, false) +
                "\nCopies between GPUs and the memory of their host cost time: WHAT. Run again INSTEAD (same seed), "
                "the same work takes 31.0 % less time. To do: faster copy engines, or fewer bytes a step.");
  EXPECT_THAT(of(.31, true), testing::HasSubstr("To do: wider PCIe roots and faster copy engines"));
}

TEST(CauseWords, of_hosts_that_are_far) {
  const auto of = [](Training training, const Proof& p) { return Facts(training).with("far", {p}); };
  EXPECT_EQ(of(Training::asynchronous, proof(Cause::far_host, .2, TaskId::none(), "host1")),
            "It costs time that WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less time. To do: "
            "bring it nearer to the parameter servers.");
  EXPECT_THAT(of(Training::asynchronous, proof(Cause::far_host, .2, TaskId::none(), "server1")),
              testing::EndsWith("To do: bring it nearer to the workers."));
  const auto of_server = [&](const char* from) {
    Proof p = proof(Cause::far_host, .2, TaskId::none(), "server1");
    p.b = from;
    return of(Training::asynchronous, p);
  };
  EXPECT_THAT(of_server("servers"), testing::EndsWith("To do: bring it nearer to the other parameter servers."));
  EXPECT_THAT(of_server("all"),
              testing::EndsWith("To do: bring it nearer to the workers and to the other parameter servers."));
  EXPECT_THAT(of(Training::in_graph, proof(Cause::far_host, .2, TaskId::none(), "host1")),
              testing::EndsWith("To do: bring it nearer to the others."));
  EXPECT_THAT(of(Training::in_graph, of_all(proof(Cause::far_host, .2))),
              testing::EndsWith("To do: bring them as near as the others."));
}

// What the verdict advises of a job with its parameter servers, and of one without any.
std::pair<std::string, std::string> with_and_without_servers(std::string_view kind, Cause cause) {
  Facts f(Training::in_graph);
  const auto advice = [&] {
    const std::string text = f.with(kind, {proof(cause, .2)});
    return text.substr(text.find("To do: ") + 7);
  };
  const std::string with = advice();
  f.tasks.names[kPs.index()] = "/job:worker/replica:0/task:3";
  f.tasks.names[kSecondPs.index()] = "/job:worker/replica:0/task:4";
  return {with, advice()};
}

TEST(CauseWords, speak_of_parameter_servers_only_where_there_are_any) {
  using testing::Pair;
  EXPECT_THAT(with_and_without_servers("network_bound", Cause::network),
              Pair("more or better spread parameter servers, faster cards, larger batches, or fewer bytes a step.",
                   "faster cards, larger batches, or fewer bytes a step."));
  EXPECT_THAT(with_and_without_servers("latency_bound", Cause::latency),
              Pair("bring workers and parameter servers nearer to each other, or let a step do more (larger batches).",
                   "bring the workers nearer to each other, or let a step do more (larger batches)."));
  EXPECT_THAT(with_and_without_servers("message_bound", Cause::messages),
              Pair("have fewer and larger tensors, or spread the variables over more parameter servers.",
                   "have fewer and larger tensors."));
  EXPECT_THAT(with_and_without_servers("transport_bound", Cause::transport),
              Pair("spread the variables over more parameter servers, fewer bytes a step, or a faster transport.",
                   "fewer bytes a step, or a faster transport."));
  EXPECT_THAT(with_and_without_servers("trunk_bound", Cause::trunks),
              Pair("wider trunks, parameter servers nearer to their workers, or fewer bytes a step.",
                   "wider trunks, or fewer bytes a step."));
}

TEST(CauseWords, of_kernels_of_servers_and_what_interferes_with_them) {
  Facts f(Training::asynchronous);
  EXPECT_EQ(f.with("busy_server", {proof(Cause::server_kernels, .3, kPs), proof(Cause::interference, .2, kSecondPs)}),
            "The workers wait for a parameter server: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % "
            "less time. To do: look at what keeps it busy, or spread the variables over more parameter servers.\nThe "
            "workers wait for ps 0: WHAT. Run again INSTEAD (same seed), the same work takes 30.0 % less time. To do: "
            "look at what keeps it busy, or spread the variables over more parameter servers.");
  EXPECT_EQ(f.with("busy_server", {proof(Cause::server_kernels, .3, kPs), proof(Cause::interference, .2, kPs)}),
            "The workers wait for a parameter server: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % "
            "less time. To do: look at what keeps it busy, or spread the variables over more parameter servers.");
  EXPECT_EQ(f.with("busy_server", {proof(Cause::interference, .2, kOther)}), "");
  EXPECT_THAT(f.with("busy_server", {proof(Cause::interference, .2, TaskId::none(), "server")}),
              testing::StartsWith("The workers wait for a parameter server: WHAT."));
  EXPECT_EQ(f.with("busy_server", {of_all(proof(Cause::server_kernels, .5)), proof(Cause::server_kernels, .3, kPs)}),
            "The workers wait for parameter servers: WHAT OF ALL. Run again INSTEAD (same seed), the same work takes "
            "50.0 % less time. To do: spread the variables over more parameter servers.");
}

TEST(CauseWords, of_examples_that_come_too_slowly) {
  Facts f(Training::synchronous);
  Proof input = of_all(proof(Cause::input, .5));
  input.a = "ReaderReadV2", input.b = "reads";
  EXPECT_EQ(f.with("input_bound", {input}),
            "The workers wait for their examples: WHAT OF ALL. Run again INSTEAD (same seed), the same work takes 50.0 "
            "% less time. To do: have several readers, each with a thread of its own (shuffle_batch_join).");
  input.a = "DecodeCSV", input.b = "";
  EXPECT_THAT(
      f.with("input_bound", {input}),
      testing::EndsWith("To do: have more threads prepare examples (num_threads of batch and shuffle_batch), or "
                        "prepare them beforehand."));
  EXPECT_NE(f.with("input_bound", {input, proof(Cause::slow_worker, .44, kOther)}), "");
  EXPECT_EQ(f.with("input_bound", {input, proof(Cause::slow_worker, .46, kOther)}), "");
  EXPECT_EQ(f.with("input_bound", {input, of_all(proof(Cause::workers, .46))}), "");
}

TEST(CauseWords, of_slow_workers) {
  const auto of = [](Training training, const Proof& p, std::int64_t required = 2) {
    return Facts(training, required).with("straggler", {p});
  };
  const Proof slow = proof(Cause::slow_worker, .2, kOther), all = of_all(proof(Cause::slow_worker, .2));
  EXPECT_EQ(of(Training::synchronous, slow),
            "worker 1 is what the others wait for: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % "
            "less time. To do: look at what else its host does, or give it a smaller batch, or have a backup worker "
            "(aggregate one gradient fewer than there are workers).");
  EXPECT_EQ(of(Training::synchronous, slow, 1),
            "worker 1 is slower than the others: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less "
            "time. To do: look at what else its host does, or give it a smaller batch.");
  EXPECT_EQ(of(Training::asynchronous, all),
            "Some workers are slower than the others: WHAT OF ALL. Run again INSTEAD (same seed), the same work takes "
            "20.0 % less time. To do: look at what else their hosts do, or give them a smaller batch.");
  for (const Training waits : {Training::replicated, Training::stale_synchronous, Training::in_graph})
    EXPECT_EQ(of(waits, all),
              "Some workers are what the others wait for: WHAT OF ALL. Run again INSTEAD (same seed), the same work "
              "takes 20.0 % less time. To do: look at what else their hosts do, or give them a smaller batch.");
}

TEST(CauseWords, of_a_slow_worker_name_the_faults_that_slow_it_and_whether_they_were_over_before_a_standstill) {
  Facts f(Training::synchronous);
  const Proof slow = proof(Cause::slow_worker, .2, kOther);
  Trouble t{.kind = Kind::slowed, .task = kOther, .from = kSecond, .text = "the kernels of worker 1 are slow"};
  const auto told = [&](Nanos to) {
    t.to = to;
    f.e.troubles = {t};
    return f.with("straggler", {slow});
  };
  EXPECT_THAT(told(3 * kSecond), testing::StartsWith("worker 1 is what the others wait for: WHAT; the kernels of "
                                                     "worker 1 are slow from 1.000 s to 3.000 s. Run again"));
  f.e.standstills = {{9 * kSecond, -1, 0, {}}};
  EXPECT_THAT(told(3 * kSecond),
              testing::StartsWith("Before that, worker 1 was what the others waited for: WHAT; the"));
  EXPECT_THAT(told(-1), testing::StartsWith("worker 1 is what the others wait for: WHAT; the")) << "it goes on";
  t.task = kChief;
  EXPECT_THAT(told(3 * kSecond), testing::StartsWith("worker 1 is what the others wait for: WHAT. Run again"));
}

TEST(CauseWords, of_a_standstill_say_what_ended_it_though_another_cause_went_on) {
  Facts f(Training::asynchronous);
  const Trouble parted{
      .kind = Kind::parted, .a = "host0", .b = "server", .from = 2 * kSecond, .to = 5 * kSecond, .text = "PARTED"};
  const auto told = [&](const Trouble& other) {
    f.e.standstills = {{2 * kSecond, 5 * kSecond, kSecond, {.troubles = {parted, other}}}};
    return f.says("stalled");
  };
  const auto says = testing::HasSubstr("It ended after messages passed again between host0 and server, at 5.000 s.");
  EXPECT_THAT(told({.kind = Kind::gone, .task = kOther, .from = 3 * kSecond, .to = 9 * kSecond}), says);
  EXPECT_THAT(told({.kind = Kind::gone, .task = kOther, .from = 3 * kSecond, .to = 4 * kSecond}), says);
  EXPECT_THAT(told({.kind = Kind::gone, .task = kOther, .from = 3 * kSecond, .to = 5 * kSecond, .over = 9 * kSecond}),
              says);
  Trouble last = parted;
  last.kind = Kind::gone, last.task = kOther, last.from = 3 * kSecond;
  f.e.standstills = {{2 * kSecond, 5 * kSecond, kSecond, {.troubles = {last}}}};
  EXPECT_THAT(f.says("stalled"), testing::Not(testing::HasSubstr("It ended"))) << "the cause tells of processes";
}

TEST(CauseWords, of_slow_cards_advise_what_to_do_about_one_or_about_all) {
  Facts f(Training::synchronous);
  EXPECT_EQ(f.with("slow_card", {proof(Cause::slow_card, .2, TaskId::none(), "host1")}),
            "It costs time that WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less time. To do: "
            "replace it, or look at the port that it is at.");
  EXPECT_EQ(f.with("slow_card", {of_all(proof(Cause::slow_card, .2))}),
            "It costs time that WHAT OF ALL. Run again INSTEAD (same seed), the same work takes 20.0 % less time. To "
            "do: replace them, or look at the ports that they are at.");
}

TEST(CauseWords, of_several_slow_workers_are_left_out_where_something_interferes_with_the_host_of_all) {
  Facts f(Training::synchronous, 3, 3);
  Proof both = proof(Cause::workers, .3);
  both.what = "worker 1 and worker 2 are slow";
  const std::vector<Proof> proofs{both, proof(Cause::interference, .3, TaskId::none(), "host1")};
  EXPECT_THAT(f.with("straggler", proofs), testing::HasSubstr("worker 1 and worker 2 are slow"));
  f.tasks.hosts[kThird.index()] = "host1";
  EXPECT_THAT(f.with("straggler", proofs), testing::Not(testing::HasSubstr("worker 1 and worker 2 are slow")));
}

TEST(CauseWords, of_what_interferes_with_a_host_advise_a_backup_worker_where_one_is_enough) {
  Facts f(Training::synchronous, 3, 3);
  const std::vector<Proof> interference{proof(Cause::interference, .3, TaskId::none(), "host1")};
  EXPECT_THAT(f.with("straggler", interference), testing::HasSubstr("or have a backup worker"));
  f.tasks.hosts[kThird.index()] = "host1";
  EXPECT_THAT(f.with("straggler", interference),
              testing::EndsWith("To do: look at what else it does, or give its workers a smaller batch."));
}

TEST(CauseWords, of_what_interferes_with_every_worker_say_that_nobody_waits_for_one_alone) {
  Facts f(Training::synchronous);
  const Proof chief = proof(Cause::interference, .3, TaskId::none(), "host0"),
              other = proof(Cause::interference, .3, kOther);
  EXPECT_THAT(f.with("straggler", {chief, other}),
              testing::AllOf(testing::StartsWith("host0 is slow, as all the others are: WHAT."),
                             testing::HasSubstr("worker 1 is slow, as all the others are: WHAT."),
                             testing::Not(testing::HasSubstr("backup"))));
  EXPECT_THAT(f.with("straggler", {other}), testing::StartsWith("worker 1 is what the others wait for: WHAT."));
}

TEST(CauseWords, of_slow_workers_are_left_out_where_interference_or_a_fault_says_as_much) {
  Facts f(Training::synchronous);
  const Proof slow = proof(Cause::slow_worker, .3, kOther);
  const auto counted = [&](std::vector<Proof> proofs, std::span<const Verdict> said = {}) {
    const std::string text = f.with("straggler", std::move(proofs), said);
    return text.empty() ? 0 : 1 + std::ranges::count(text, '\n');
  };
  EXPECT_EQ(counted({slow, proof(Cause::interference, .3, kOther)}), 1);
  EXPECT_EQ(counted({slow, proof(Cause::interference, .3, kChief)}), 2);
  EXPECT_EQ(counted({slow, proof(Cause::interference, .26, kOther)}), 2) << "it is not all that makes it slow";
  EXPECT_EQ(counted({slow, proof(Cause::interference, .3, TaskId::none(), "host1")}), 1);
  EXPECT_EQ(counted({slow, proof(Cause::interference, .3, TaskId::none(), "server")}), 1) << "of a server";
  EXPECT_EQ(counted({slow, proof(Cause::interference, .3, kPs)}), 1);
  const std::vector<Verdict> said{{"slowed", ""}};
  const auto by = [&](Trouble t, double gain) {
    f.e.troubles = {std::move(t)};
    Proof fault = proof(Cause::faults, gain, f.e.troubles[0].task, f.e.troubles[0].a);
    return counted({slow, fault}, said);
  };
  EXPECT_EQ(by({.kind = Kind::slowed, .task = kOther}, .28), 0);
  EXPECT_EQ(by({.kind = Kind::slowed, .task = kOther}, .26), 1) << "it gains less";
  EXPECT_EQ(by({.kind = Kind::slowed, .task = kChief}, .3), 1);
  EXPECT_EQ(by({.kind = Kind::paused, .task = kOther}, .3), 1);
  EXPECT_EQ(by({.kind = Kind::slowed_host, .a = "host1"}, .3), 0);
  EXPECT_EQ(by({.kind = Kind::slowed_host, .a = "host0"}, .3), 1);
}

TEST(CauseWords, of_variation) {
  Facts f(Training::synchronous);
  Proof apart = proof(Cause::variations, .2, kOther), cards = proof(Cause::card_variations, .2);
  EXPECT_EQ(f.with("varied", {apart, cards}),
            "It costs time that steps vary: WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less time. "
            "To do: look at what makes these steps longer (other work on the machines, heat, their input).\nIt costs "
            "time that WHAT. Run again INSTEAD (same seed), the same work takes 20.0 % less time. To do: look at what "
            "else uses these cards and their links.");
  apart.b = "apart";
  EXPECT_THAT(f.with("varied", {apart}), testing::HasSubstr("their input), or have a backup worker"));
  EXPECT_EQ(f.with("varied", {apart, proof(Cause::slow_worker, .2, kOther)}), "") << "its kernels say as much";
  EXPECT_NE(f.with("varied", {apart, proof(Cause::slow_worker, .2, kChief)}), "");
  const Proof all = of_all(proof(Cause::variations, .3));
  EXPECT_EQ(f.with("varied", {all, proof(Cause::workers, .21)}), "");
  EXPECT_NE(f.with("varied", {all, proof(Cause::workers, .19)}), "") << "a tenth more";
  EXPECT_NE(f.with("varied", {proof(Cause::card_variations, .3), proof(Cause::slow_card, .29)}), "");
}

// ---- slowed ----

TEST(CauseWords, of_faults_that_cost_time) {
  Facts f(Training::asynchronous);
  f.e.troubles = {
      {.kind = Kind::slowed, .task = kOther, .from = kSecond, .text = "SLOW", .fault = "slow x"},
      {.kind = Kind::left, .task = kOther, .from = 9 * kSecond},
      {.kind = Kind::narrowed, .a = "host0", .b = "server", .from = kSecond, .text = "NARROW", .fault = "n"},
      {.kind = Kind::gone, .task = kPs, .from = kSecond}};
  EXPECT_EQ(f.with("slowed", {proof(Cause::faults, .2, kOther)}),
            "It cost time that SLOW from 1.000 s on. Run again INSTEAD (same seed), the same work takes 20.0 % less "
            "time. To do: look at what else runs on the host of worker 1.");
  EXPECT_EQ(f.with("slowed", {of_all(proof(Cause::faults, .4)), proof(Cause::faults, .2, kOther)}),
            "It cost time that SLOW from 1.000 s on. Run again INSTEAD (same seed), the same work takes 20.0 % less "
            "time. To do: look at what else runs on the host of worker 1.\nIt cost time that WHAT OF ALL. Run again "
            "INSTEAD (same seed), the same work takes 40.0 % less time. To do: look at what else runs on the host of "
            "worker 1; look at the path between host0 and server; restart ps 0 soon, and save checkpoints.");
}

TEST(CauseWords, of_faults_are_left_out_where_something_else_tells_of_them) {
  Facts f(Training::asynchronous);
  f.e.troubles = {{.kind = Kind::slowed, .task = kOther, .from = kSecond, .text = "SLOW", .fault = "slow x"},
                  {.kind = Kind::left, .task = kOther, .from = 9 * kSecond}};
  EXPECT_EQ(f.with("slowed", {of_all(proof(Cause::faults, .4))}, std::vector<Verdict>{{"went_on", ""}}), "");
  Proof goes_on = proof(Cause::faults, .2, kOther);
  goes_on.goes_on = true;
  EXPECT_NE(f.with("slowed", {goes_on}), "") << "nothing was done, and without it something is";
  f.c.workers[0].step_ended = {kSecond};
  EXPECT_EQ(f.with("slowed", {goes_on}), "") << "that is no loss of time";
  EXPECT_EQ(f.with("slowed", {proof(Cause::faults, .2, kOther)}, std::vector<Verdict>{{"stuck", ""}}), "");
  f.e.standstills = {{0, kSecond, 0, {.troubles = {f.e.troubles[0]}}}};
  EXPECT_EQ(f.with("slowed", {proof(Cause::faults, .2, kOther)}), "") << "the standstill tells of it";
  const Proof all = of_all(proof(Cause::faults, .4));
  EXPECT_EQ(f.with("slowed", {all}, std::vector<Verdict>{{"stalled", "x." + in_words(all) + " To do: y."}}), "");
  EXPECT_NE(f.with("slowed", {all}, std::vector<Verdict>{{"stalled", "x. To do: y."}}), "") << "it tells of one fault";
  f.e.troubles = {f.e.troubles[1]};
  f.e.standstills = {};
  EXPECT_EQ(f.with("slowed", {proof(Cause::faults, .2, kOther)}),
            "It cost time that worker 1 left training at 9.000 s. Run again INSTEAD (same seed), the same work takes "
            "20.0 % less time. To do: let worker 1 train as long as the others.")
      << "it left, all the same";
}

TEST(CauseWords, of_faults_name_no_more_than_three_cures) {
  Facts f(Training::asynchronous);
  for (const TaskId t : {kChief, kOther, kThird, kPs})
    f.e.troubles.push_back({.kind = Kind::slowed, .task = t, .from = kSecond, .text = "SLOW", .fault = "slow x"});
  EXPECT_THAT(f.with("slowed", {of_all(proof(Cause::faults, .4))}),
              testing::EndsWith("To do: look at what else runs on the host of worker 0; look at what else runs on the "
                                "host of worker 1; look at what else runs on the host of worker 2."));
}

// ---- uneven ----

// Worker 1's process ended at 2 s.
Loss lost_until(double back) {
  return {.task = kOther, .at = 2 * kSecond, .back = back < 0 ? -1 : static_cast<Nanos>(back * kSecond)};
}

TEST(CauseWords, of_uneven_aggregates_name_what_would_even_them_out) {
  Facts f(Training::synchronous);
  f.c.accumulators[0].aggregates = {{1, {2, 0}, 2, kSecond}, {1, {1, 1}, 2, kSecond}};
  f.c.accumulators[0].dropped = {1, 0};
  EXPECT_EQ(f.says("uneven"),
            "worker 0 filled the first aggregate of v:0 by itself: no gradient of another worker was accepted up to "
            "1.000 s. Nothing ties a token or a place in an aggregate to a worker. 1 gradient was dropped in silence "
            "as stale. To do: "
            "make the workers' steps equally long, and keep every worker to the end.");
  f.c.initial_tokens = {0, 0};
  f.c.workers[1].first_step = 20 * kSecond;
  EXPECT_EQ(f.says("uneven"),
            "worker 0 filled the first aggregate of v:0 by itself: it began at 0.000 s, the last of the others at "
            "20.000 s. Nothing ties a token or a place in an aggregate to a worker: 2 initial tokens let a worker go "
            "on without the others. 1 gradient was dropped in silence as stale. To do: start the workers together; or "
            "start without initial tokens (num_tokens=0), so that every worker waits for the first aggregate.");
}

TEST(CauseWords, of_uneven_aggregates_ask_for_what_would_have_helped) {
  Facts f(Training::synchronous);
  f.c.accumulators[0].aggregates = {{1, {2, 0}, 2, kSecond}};
  f.c.initial_tokens = {0, 0};
  f.e.losses.processes = {lost_until(3.1)};
  EXPECT_THAT(f.says("uneven"), testing::Not(testing::HasSubstr("restart lost"))) << "none is uneven after that";
  f.c.accumulators[0].aggregates.push_back({1, {2, 0}, 2, 9 * kSecond});
  EXPECT_THAT(f.says("uneven"), testing::HasSubstr("To do: restart lost processes soon; or start without"));
  f.e.losses.processes = {lost_until(2.5)};
  EXPECT_THAT(f.says("uneven"), testing::Not(testing::HasSubstr("restart lost")));
  f.e.losses.processes = {lost_until(-1)};
  f.e.troubles = {{.kind = Kind::left, .task = kOther, .from = 2 * kSecond, .to = 3 * kSecond}};
  EXPECT_THAT(f.says("uneven"), testing::HasSubstr("restart lost processes soon; or start without initial tokens"));
  f.e.troubles[0].to = -1;
  EXPECT_THAT(f.says("uneven"), testing::Not(testing::HasSubstr("start without"))) << "too few train to the end";
  for (const Kind ends_sessions : {Kind::gone, Kind::breaking}) {
    f.e.troubles[0].kind = ends_sessions, f.e.troubles[0].to = 3 * kSecond;
    EXPECT_THAT(f.says("uneven"), testing::Not(testing::HasSubstr("start without")));
  }
}

}  // namespace
}  // namespace tarry
