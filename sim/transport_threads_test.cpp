// Threads that send and receive messages: by hand.

#include "sim/transport_threads.hpp"

#include <gtest/gtest.h>

#include "sim/runner.hpp"
#include "sim/world.hpp"

namespace tarry {
namespace {

constexpr TaskId kPsTask{0u}, kBeside{1u}, kAcross{2u};
constexpr Nanos kMicro = 1000;

// A ps and a worker on one host, another worker on a second one; sending takes 30 us, receiving nothing.
ClusterSpec thirty_micros_to_send(std::uint32_t threads) {
  ClusterSpec c{.hosts = {{"a"}, {"b"}},
                .tasks = {{"/job:ps/replica:0/task:0", HostId{0u}},
                          {"/job:worker/replica:0/task:0", HostId{0u}},
                          {"/job:worker/replica:0/task:1", HostId{1u}}}};
  c.network.transport = {.send = {.per_message = 30 * kMicro}, .receive = {}, .threads = threads};
  return c;
}

// What is delivered, "bytes@microseconds " each.
struct Messages {
  NameTable names;
  std::string told;
  World world;
  explicit Messages(ClusterSpec c)
      : world(std::move(c), {}, 1, names, [this](Nanos at, const Event& event) {
          if (const auto* m = std::get_if<MessageDelivered>(&event))
            told += fmt::format("{}@{} ", m->bytes, at / kMicro);
        }) {}
  void send(TaskId from, TaskId to, std::uint64_t bytes, Manner manner = Manner::usual) {
    world.send(from, to, {.kind = {}, .key = {}, .step = {}, .manner = manner}, bytes, [](const Status&) {});
  }
  std::string run() {
    world.run([] { return false; });
    return told;
  }
};

// 30 us and 500 us of its sender, 50 us of latency, 1,000 us on the wire, 40 us and 250 us of its receiver.
TEST(TransportThreads, add_up_with_the_wire) {
  for (const FlowsBy engine : {FlowsBy::shared, FlowsBy::simgrid}) {
    ClusterSpec c = thirty_micros_to_send(1);
    c.network.between_hosts = {.latency = 50 * kMicro, .bandwidth = 1'000'000'000};
    c.network.engine = engine;
    const auto told = run_in_child([&] {
      c.network.transport.send = {.per_message = 30 * kMicro, .copy = 2'000'000'000};
      c.network.transport.receive = {.per_message = 40 * kMicro, .copy = 4'000'000'000};
      Messages m(c);
      m.send(kAcross, kPsTask, 1'000'000);
      return m.run();
    });
    EXPECT_EQ(told.value_or("failed"), "1000000@1870 ");
    c.network.transport = {};
    Messages without(c);
    without.send(kAcross, kPsTask, 1'000);
    EXPECT_EQ(without.run(), "1000@51 ");
  }
}

TEST(TransportThreads, do_one_message_after_the_other) {
  Messages m(thirty_micros_to_send(1));
  for (std::uint64_t i = 1; i <= 3; ++i) m.send(kPsTask, kAcross, i);
  m.send(kBeside, kAcross, 4);
  EXPECT_EQ(m.run(), "1@30 4@30 2@60 3@90 ");
}

TEST(TransportThreads, of_which_there_are_two_do_two_messages_at_once) {
  Messages m(thirty_micros_to_send(2));
  for (std::uint64_t i = 1; i <= 3; ++i) m.send(kPsTask, kAcross, i);
  EXPECT_EQ(m.run(), "1@30 2@30 3@60 ");
}

TEST(TransportThreads, are_as_many_as_are_needed_where_no_number_is_given) {
  Messages m(thirty_micros_to_send(0));
  for (std::uint64_t i = 1; i <= 3; ++i) m.send(kPsTask, kAcross, i);
  EXPECT_EQ(m.run(), "1@30 2@30 3@30 ");
}

// The second message comes when the thread of the ps has sent for 10 us; the third when it is idle again.
TEST(TransportThreads, of_a_task_send_and_receive) {
  ClusterSpec c = thirty_micros_to_send(1);
  c.network.transport.receive.per_message = 5 * kMicro;
  Messages m(c);
  m.send(kAcross, kPsTask, 1);
  m.world.after(20 * kMicro, [&] { m.send(kPsTask, kAcross, 2); });
  m.world.after(100 * kMicro, [&] { m.send(kAcross, kPsTask, 3); });
  EXPECT_EQ(m.run(), "1@55 2@55 3@135 ");
}

TEST(TransportThreads, that_only_send_hold_up_nothing_that_comes) {
  Messages m(thirty_micros_to_send(1));
  m.send(kPsTask, kAcross, 1);
  m.send(kPsTask, kAcross, 2);
  m.send(kAcross, kPsTask, 3);
  EXPECT_EQ(m.run(), "1@30 3@30 2@60 ");
}

TEST(TransportThreads, are_needed_between_tasks_of_one_host_too) {
  Messages m(thirty_micros_to_send(1));
  m.send(kPsTask, kBeside, 1);
  EXPECT_EQ(m.run(), "1@30 ");
}

TEST(TransportThreads, copy_bytes_and_round_a_nanosecond_up) {
  ClusterSpec c = thirty_micros_to_send(1);
  const TransportSpec& spec = c.network.transport;
  c.network.transport.send = {.per_message = 2, .copy = 3'000'000'000};
  TransportThreads threads(c);
  EXPECT_EQ(time_of(spec.send, 10), 6);
  EXPECT_EQ(threads.send(kPsTask, 100, 10, Manner::usual).ends, 106);
  const auto next = threads.send(kPsTask, 101, 3, Manner::waits);
  EXPECT_EQ(next.begins, 106);
  EXPECT_EQ(next.ends, 109);
}

TEST(TransportThreads, are_done_with_all_that_came_before_the_end_of_a_connection) {
  ClusterSpec c = thirty_micros_to_send(2);
  c.network.transport.send.copy = 1'000'000'000;
  Messages m(c);
  m.send(kPsTask, kAcross, 100'000);
  m.send(kPsTask, kAcross, 1'000);
  m.send(kPsTask, kAcross, 0, Manner::in_order);
  EXPECT_EQ(m.run(), "1000@31 100000@130 0@130 ");
}

// ---- processes ----

TEST(TransportThreads, send_nothing_for_a_process_that_is_gone) {
  Messages m(thirty_micros_to_send(1));
  m.send(kPsTask, kAcross, 1);
  m.send(kPsTask, kAcross, 2);
  m.world.after(40 * kMicro, [&] {
    m.world.end_process(kPsTask);
    m.send(kPsTask, kAcross, 0, Manner::in_order);  // what tells of it
    m.send(kPsTask, kAcross, 3);                    // of the next process
  });
  EXPECT_EQ(m.run(), "1@30 0@40 3@70 ");
}

TEST(TransportThreads, let_the_end_of_a_connection_go_though_its_process_is_gone) {
  Messages m(thirty_micros_to_send(1));
  m.send(kPsTask, kAcross, 1);
  m.send(kPsTask, kAcross, 0, Manner::in_order);
  m.world.after(10 * kMicro, [&] { m.world.end_process(kPsTask); });
  EXPECT_EQ(m.run(), "0@30 ");
}

TEST(TransportThreads, of_a_process_that_stands_still_go_on_with_it) {
  ClusterSpec c = thirty_micros_to_send(1);
  c.network.transport.receive.per_message = 5 * kMicro;
  Messages m(c);
  m.send(kPsTask, kAcross, 1);  // would leave at 30 us
  m.send(kBeside, kPsTask, 2);  // would come at 30 us
  m.world.after(20 * kMicro, [&] { m.world.stand_still(kPsTask); });
  m.world.after(100 * kMicro, [&] { m.world.go_on(kPsTask); });
  EXPECT_EQ(m.run(), "2@105 1@105 ");
}

TEST(TransportThreads, have_not_delivered_what_they_still_hold_at_the_end) {
  NameTable names;
  int cut_off = 0;
  World world(thirty_micros_to_send(1), {}, 1, names,
              [&](Nanos, const Event& e) { cut_off += std::holds_alternative<MessageCutOff>(e); });
  world.send(kPsTask, kAcross, {}, 1, [](const Status&) {});
  world.run([] { return false; }, 10 * kMicro);
  world.note_cut_off();
  EXPECT_EQ(cut_off, 1);
}

// ---- what a message waited for ----

TEST(TransportThreads, are_part_of_what_a_message_waited_for) {
  ClusterSpec c = thirty_micros_to_send(1);
  c.network.transport.receive.per_message = 5 * kMicro;
  c.network.between_hosts.latency = 100 * kMicro;
  Messages m(c);
  Causes causes;
  m.world.keep_causes(causes);
  m.send(kPsTask, kAcross, 1);
  m.send(kPsTask, kAcross, 2);
  m.run();
  const auto told = [&](std::uint32_t n) {
    const auto& [at, w] = causes.events[n];
    return fmt::format("{} at {} after {}, first part to {}, of {}", static_cast<int>(w.kind), at / kMicro, w.cause,
                       w.first_until / kMicro, w.task.valid() ? static_cast<int>(w.task.index()) : -1);
  };
  EXPECT_EQ(told(1), "6 at 30 after 0, first part to 0, of 0");
  EXPECT_EQ(told(2), "6 at 60 after 0, first part to 30, of 0");  // the second one waits for the thread
  EXPECT_EQ(told(3), "4 at 130 after 1, first part to 130, of -1");
  EXPECT_EQ(told(4), "6 at 135 after 3, first part to 130, of 2");
  EXPECT_EQ(told(5), "4 at 160 after 2, first part to 160, of -1");
  EXPECT_EQ(told(6), "6 at 165 after 5, first part to 160, of 2");
}

}  // namespace
}  // namespace tarry
