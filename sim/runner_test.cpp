#include "sim/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

RC_GTEST_PROP(Runner, the_bytes_come_back, (const std::string& bytes)) {
  RC_ASSERT(*run_in_child([&] { return bytes; }) == bytes);
}

TEST(Runner, many_bytes_come_back) {
  const auto bytes = run_in_child([] { return std::string(3'000'000, 'x'); });
  EXPECT_EQ(bytes->size(), 3'000'000u);
}

TEST(Runner, a_bug_in_the_run_is_an_internal_error_with_its_text) {
  const auto result = run_in_child([]() -> std::string {
    check(false, "the moon is made of cheese");
    return "";
  });
  EXPECT_EQ(result.status().code(), Code::kInternal);
  EXPECT_THAT(std::string(text_of(result.status())), HasSubstr("the moon is made of cheese"));
}

TEST(Runner, a_crash_of_the_run_is_an_internal_error_that_names_the_signal) {
  const auto result = run_in_child([]() -> std::string {
    std::signal(SIGABRT, SIG_DFL);
    (void)std::raise(SIGABRT);
    return "";
  });
  EXPECT_EQ(result.status().code(), Code::kInternal);
  EXPECT_THAT(std::string(text_of(result.status())), HasSubstr("signal 6"));
}

TEST(Runner, a_run_without_memory_ends_where_it_is_and_takes_nothing_down) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "it ends the process by itself";
#endif
  struct HalfDone {
    ~HalfDone() { std::abort(); }
  };
  const auto out = run_in_child([] {
    const HalfDone change;
    return std::string(static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 2, 'x');
  });
  EXPECT_EQ(out.status(), out_of_memory());
}

TEST(Runner, an_end_from_outside_is_no_defect_of_ours) {
  for (const int signal : {SIGKILL, SIGXCPU, SIGTERM}) {
    const auto result = run_in_child([signal]() -> std::string {
      (void)std::raise(signal);
      return "";
    });
    EXPECT_EQ(result.status().code(), Code::kResourceExhausted) << signal;
    EXPECT_THAT(std::string(text_of(result.status())), HasSubstr("ended from outside by signal"));
  }
}

TEST(Runner, an_interrupt_that_is_held_here_reaches_the_run) {
  sigset_t interrupt{};
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  int got = 0;
  const auto said = run_in_child([&] {
    alarm(60);  // ends it where nothing comes
    sigwait(&interrupt, &got);
    return std::string(got == SIGINT ? "interrupted" : "something else");
  });
  sigwait(&interrupt, &got);
  sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(*said, "interrupted");
}

TEST(Runner, a_run_that_refuses_what_was_asked_for_is_bad_input) {
  const auto result = run_in_child([]() -> std::string { throw Refused("nothing takes time"); });
  EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(text_of(result.status()), "nothing takes time");
}

TEST(Runner, what_the_run_changes_stays_in_the_run) {
  int here = 1;
  EXPECT_EQ(*run_in_child([&] { return std::to_string(++here); }), "2");
  EXPECT_EQ(here, 1);
}

TEST(Runner, several_runs_at_once_answer_in_their_order_and_the_first_error_is_told_when_all_have_ended) {
  const std::string long_text(1'000'000, 'x');  // more than a pipe holds
  const auto all = run_in_children(3, [&](int i) { return std::to_string(i) + (i == 1 ? long_text : ""); });
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(*all, (std::vector<std::string>{"0", "1" + long_text, "2"}));
  const auto some = run_in_children(3, [](int i) -> std::string {
    if (i > 0) throw Refused("run " + std::to_string(i));
    return "";
  });
  EXPECT_EQ(text_of(some.status()), "run 1");
  EXPECT_TRUE(run_in_children(0, [](int) { return std::string(); })->empty());
}

TEST(SharedCounter, gives_each_number_once_whoever_asks) {
  SharedCounter counter;
  const auto said = run_in_children(3, [&](int) {
    std::string taken;
    for (std::uint64_t n = counter.take(); n < 1000; n = counter.take()) taken += std::to_string(n) + " ";
    return taken;
  });
  std::vector<int> all, each(1000);
  for (const std::string& taken : *said) {
    std::istringstream in(taken);
    for (int n = 0; in >> n;) all.push_back(n);
  }
  std::ranges::sort(all);
  std::iota(each.begin(), each.end(), 0);
  EXPECT_EQ(all, each);
  EXPECT_EQ(counter.take(), 1003u) << "each child took one that was too large";
}

RC_GTEST_PROP(Runner, a_pool_runs_each_body_once_and_no_more_of_them_at_a_time_than_it_may, ()) {
  const int count = *rc::gen::inRange(0, 12), at_once = *rc::gen::inRange(1, 4);
  std::vector<std::string> said(static_cast<std::size_t>(count));
  int ended = 0;
  run_in_pool(
      count, at_once, [](int n) { return std::string(static_cast<std::size_t>(n) * 50'000, 'x'); },
      [&](int n, StatusOr<std::string> one) {
        said[static_cast<std::size_t>(n)] = *one;
        ++ended;
      });
  RC_ASSERT(ended == count);
  for (std::size_t n = 0; n < said.size(); ++n) RC_ASSERT(said[n].size() == n * 50'000);
}

TEST(Runner, a_pool_goes_on_when_one_of_its_bodies_fails) {
  std::vector<std::string> ends(3);
  run_in_pool(
      3, 2, [](int n) { return n == 1 ? throw Refused("no") : std::to_string(n); },
      [&](int n, const StatusOr<std::string>& one) {
        ends[static_cast<std::size_t>(n)] = one.ok() ? *one : std::string(text_of(one.status()));
      });
  EXPECT_THAT(ends, testing::ElementsAre("0", "no", "2"));
}

// Earlier bodies say more, so that later ones end before them.
std::string longer_at_first(int n, int count) {
  return std::string(static_cast<std::size_t>(count - n) * 300'000, ' ') + std::to_string(n);
}

RC_GTEST_PROP(Runner, bodies_that_run_at_once_are_told_in_their_order_until_no_more_are_wanted, ()) {
  const int count = *rc::gen::inRange(0, 9), at_once = *rc::gen::inRange(1, 4), wanted = *rc::gen::inRange(1, 10);
  std::vector<std::string> told, first;
  run_in_order(
      count, at_once, [&](int n) { return longer_at_first(n, count); },
      [&](int n, const StatusOr<std::string>& said) {
        RC_ASSERT(n == std::ssize(told));
        told.push_back(said->substr(said->find_last_of(' ') + 1));
        return std::ssize(told) < wanted;
      });
  for (int n = 0; n < std::min(count, wanted); ++n) first.push_back(std::to_string(n));
  RC_ASSERT(told == first);
}

TEST(Runner, what_fails_is_told_in_its_place) {
  std::vector<std::string> ends;
  run_in_order(
      3, 3, [](int n) { return n == 1 ? throw Refused("no") : std::to_string(n); },
      [&](int, const StatusOr<std::string>& one) {
        ends.push_back(one.ok() ? *one : std::string(text_of(one.status())));
        return true;
      });
  EXPECT_THAT(ends, testing::ElementsAre("0", "no", "2"));
}

// What all children see.
struct Gauge {
  std::atomic<int> under_way, most;
};

// Adds itself, waits until `expected` are there at once, and looks for a while whether more come.
void be_seen(Gauge& g, int expected) {
  const int now = ++g.under_way;
  for (int most = g.most; most < now && !g.most.compare_exchange_weak(most, now);) {
  }
  for (int looks = 0; g.most < expected && looks < 5'000'000; ++looks) sched_yield();
  for (int looks = 0; g.most <= expected && looks < 20'000; ++looks) sched_yield();
  --g.under_way;
}

TEST(Runner, bodies_run_at_once_but_no_more_of_them_than_they_may) {
  for (const int at_once : {1, 3}) {
    void* shared = mmap(nullptr, sizeof(Gauge), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* gauge = new (shared) Gauge();
    run_in_order(
        6, at_once, [&](int) { return be_seen(*gauge, at_once), std::string(); },
        [&](int, const StatusOr<std::string>&) { return true; });
    EXPECT_EQ(gauge->most, at_once);
    munmap(shared, sizeof(Gauge));
  }
}

TEST(Runner, those_that_run_are_ended_when_no_more_are_wanted) {
  int told = 0;
  run_in_order(
      4, 2,
      [](int n) -> std::string {
        while (n == 1) pause();
        return "";
      },
      [&](int, const StatusOr<std::string>&) {
        ++told;
        return false;
      });
  EXPECT_EQ(told, 1);
}

// In a child, whose limits are its own.
int at_once_with(int processors, std::size_t mebi) {
  return std::stoi(*run_in_child([&] {
    (void)run_in_child([] { return std::string(150'000'000, 'x').substr(0, 1); });  // the largest of its children
    cpu_set_t all, some;
    CPU_ZERO(&some);
    sched_getaffinity(0, sizeof all, &all);
    for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&some) < processors; ++c)
      if (CPU_ISSET(c, &all)) CPU_SET(c, &some);
    sched_setaffinity(0, sizeof some, &some);
    const rlimit limit{mebi << 20, RLIM_INFINITY};
    if (mebi > 0) setrlimit(RLIMIT_AS, &limit);
    return std::to_string(good_at_once());
  }));
}
int processors() {
  cpu_set_t all;
  return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 0;
}

TEST(Runner, there_are_as_many_children_as_processors_and_as_memory_is_for) {
  EXPECT_EQ(at_once_with(processors(), 0), processors());
  EXPECT_EQ(at_once_with(1, 0), 1);
  EXPECT_EQ(at_once_with(processors(), 100'000), processors());
  EXPECT_EQ(at_once_with(processors(), 200), 1) << "no two of 150 MB";
}

TEST(Runner, a_run_that_nobody_waits_for_is_ended) {
  int asked = 0;
  const auto result = run_in_child_while([&] { return ++asked < 2; },
                                         []() -> std::string {
                                           for (;;) pause();
                                         });
  EXPECT_EQ(result.status().code(), Code::kCancelled);
  EXPECT_EQ(asked, 2);
}

TEST(Runner, a_run_that_is_waited_for_gives_what_it_returned) {
  const auto bytes = run_in_child_while([] { return true; },
                                        [] {
                                          usleep(200'000);
                                          return std::string(3'000'000, 'x');
                                        });
  EXPECT_EQ(bytes->size(), 3'000'000u);
}

}  // namespace
}  // namespace tarry
