// Every kind of fault that can make a job stand still is named as the cause where it does, and not where it does not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "results/verdict.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

constexpr TaskId kThePs{0u}, kTheChief{1u}, kThird{3u};
constexpr HostId kServerHost{0u}, kChiefHost{1u}, kThirdHost{3u};
constexpr Nanos kMs = kSecond / 1'000;

// Three synchronous workers, each on a host of its own, need all three gradients; steps of 0.3 s, for 40 s.
Job three_workers() {
  Job job;
  job.cluster.hosts = {{"server"}, {"host0"}, {"host1"}, {"host2"}};
  job.cluster.tasks.push_back({"/job:ps/replica:0/task:0", kServerHost});
  for (std::size_t w = 0; w < 3; ++w)
    job.cluster.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", w), HostId{w + 1}});
  job.cluster.network.between_hosts.latency = kMs;
  job.costs.rules.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits", .amount = Constant{300 * kMs}});
  for (std::size_t w = 0; w < 3; ++w) {
    TrainOptions options;
    options.num_tokens = 0;
    options.session.device_filters = {"/job:ps", fmt::format("/job:worker/task:{}", w)};
    const std::string graph = fmt::format("sync_softmax_w3_r3_ps1_task{}", w);
    job.clients.push_back({TaskId{w + 1}, shipped_program(graph, {.batch = 4}), options});
  }
  job.stop.time = 40 * kSecond;
  return job;
}

// What the verdicts of that kind say.
std::string told_of(const Job& job, std::string_view kind) {
  const Outcome o = run_here(job);
  std::string text;
  for (const Verdict& v : judge(o.log, read_contributions(o.log), o.tasks))
    if (v.kind == kind) text += v.text + "\n";
  return text;
}
std::string told_under(const FaultKinds& fault, std::string_view kind) {
  Job job = three_workers();
  job.faults.push_back({5 * kSecond, fault});
  return told_of(job, kind);
}

struct Held {
  const char* name;
  FaultKinds ten_seconds, for_good, harmless;
  const char* cause;  // what the verdict says after "The cause: "
  const char* end;    // what ended it
};

constexpr HostPair kEnds{kThirdHost, kServerHost};
const std::vector<Held> kAllHeld{
    {"pause", Pause{kThird, 10 * kSecond}, Pause{kThird, {}}, Pause{kThird, 10 * kMs},
     "the process of worker 2 stands still", "the process of worker 2 went on"},
    {"pause_of_the_server", Pause{kThePs, 10 * kSecond}, Pause{kThePs, {}}, Pause{kThePs, 10 * kMs},
     "the process of ps 0 stands still", "the process of ps 0 went on"},
    {"part_breaking", PartBreaking{kEnds, kSecond, 10 * kSecond}, PartBreaking{kEnds, kSecond, {}},
     PartBreaking{kEnds, kSecond, 10 * kMs}, "nothing passes between host2 and server", ""},
    {"jam", Jam{kEnds, 10 * kSecond}, Jam{kEnds, 100 * kSecond}, Jam{kEnds, 10 * kMs},
     "messages between host2 and server are held", "all messages between host2 and server were there"},
    {"swizzle", Swizzle{{{kThirdHost}}, 0, 10 * kSecond}, Swizzle{{{kServerHost}}, 0, 100 * kSecond},
     Swizzle{{{kThirdHost}}, 0, 10 * kMs}, "is held", "the network of host2 was released"},
    {"lose_host", LoseHost{kThirdHost, 10 * kSecond}, LoseHost{kThirdHost, {}}, Pause{kThird, 10 * kMs},
     "(host2 is lost with all its processes)", "it was ready again at"},
    {"lose_rack", LoseRack{{{kThirdHost}}, 10 * kSecond}, LoseRack{{{kThirdHost}}, {}}, Pause{kThird, 10 * kMs},
     "(host2 is lost with all its processes)", "it was ready again at"},
    {"slow_host", SlowHost{kThirdHost, {10'000}, 20 * kSecond}, SlowHost{kThirdHost, {1'000'000}, {}},
     SlowHost{kThirdHost, {110}, {}}, "the kernels on host2 take", ""},
    {"heavy_tail", HeavyTail{kThird, {"*"}, {1}, {10'000}, 20 * kSecond},
     HeavyTail{kThird, {"*"}, {1}, {1'000'000}, {}}, HeavyTail{kThird, {"*"}, {4}, {110}, {}},
     "execution of any op at worker 2 takes", ""},
    {"reorder", Reorder{{kThird, kThePs}, 60 * kSecond, 10 * kSecond}, Reorder{{kThird, kThePs}, 1'000 * kSecond, {}},
     Reorder{{kThird, kThePs}, kMs, {}}, "messages between worker 2 and ps 0 take up to", ""},
};

void PrintTo(const Held& held, std::ostream* out) { *out << held.name; }

class StandsStill : public testing::TestWithParam<Held> {};
INSTANTIATE_TEST_SUITE_P(Under, StandsStill, testing::ValuesIn(kAllHeld),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(StandsStill, for_good_and_the_fault_is_the_cause) {
  const std::string stuck = told_under(GetParam().for_good, "stuck");
  EXPECT_THAT(stuck, HasSubstr("The cause: "));
  EXPECT_THAT(stuck, HasSubstr(GetParam().cause));
  EXPECT_THAT(stuck, HasSubstr("To do: "));
}

TEST_P(StandsStill, for_a_while_and_the_fault_is_the_cause) {
  if (GetParam().end[0] == '\0') return;
  const std::string stalled = told_under(GetParam().ten_seconds, "stalled");
  EXPECT_THAT(stalled, HasSubstr(GetParam().cause));
  EXPECT_THAT(stalled, HasSubstr(GetParam().end));
}

TEST_P(StandsStill, not_when_the_fault_does_no_harm) {
  EXPECT_EQ(told_under(GetParam().harmless, "stuck"), "");
  EXPECT_EQ(told_under(GetParam().harmless, "stalled"), "");
}

TEST(StandsStill, not_without_a_fault) {
  EXPECT_EQ(told_of(three_workers(), "stuck"), "");
  EXPECT_EQ(told_of(three_workers(), "stalled"), "");
}

// ---- what made a client fail ----

TEST(Failed, for_a_disk_that_is_full_or_a_torn_file_says_so) {
  Job job = three_workers();
  for (ClientJob& c : job.clients) c.options.save_steps = 5;
  Job full = job, torn = job;
  full.faults.push_back({5 * kSecond, FailSave{kThePs, {}, {}}});
  EXPECT_THAT(told_of(full, "failed"), testing::AllOf(HasSubstr("No space left on device"),
                                                      HasSubstr("Before that: saves of ps 0 fail: no space is left at "
                                                                "5.000 s.")));
  torn.faults.push_back({5 * kSecond, TearSave{kThePs}});
  torn.faults.push_back({Trigger{Moment::checkpoint_written, kTheChief, 5, 0}, Restart{kTheChief}});
  EXPECT_THAT(told_of(torn, "failed"), testing::AllOf(HasSubstr("Checksum does not match"),
                                                      HasSubstr("what ps 0 saves next will be torn at 5.000 s")));
  EXPECT_EQ(told_of(job, "failed"), "");
}

TEST(Failed, for_a_gpu_says_so) {
  Job job = three_workers();
  for (std::size_t w = 1; w <= 3; ++w) job.cluster.tasks[w].gpus.push_back({.memory_bytes = 1'000'000'000});
  for (ClientJob& c : job.clients) c.options.session.soft_placement = true;
  Job lost = job, taken = job, unharmed = job;
  lost.faults.push_back({5 * kSecond, LoseGpu{kThird, {0}}});
  EXPECT_THAT(told_of(lost, "stuck"),
              testing::AllOf(HasSubstr("GPU sync failed"),
                             HasSubstr("before that: GPU:0 of worker 2 is lost to its process at 5.000 s")));
  taken.faults.push_back({5 * kSecond, TakeMemory{kThird, {0}, {1'000'000'000}, {}}});
  EXPECT_THAT(told_of(taken, "stuck"),
              testing::AllOf(HasSubstr("OOM when allocating"),
                             HasSubstr("before that: others hold 1000000000 bytes of GPU:0 of worker 2")));
  unharmed.faults.push_back({5 * kSecond, TakeMemory{kThird, {0}, {1'000'000}, {}}});
  EXPECT_EQ(told_of(unharmed, "stuck"), "");
  EXPECT_EQ(told_of(unharmed, "failed"), "");
  Job throttled = job;
  throttled.faults.push_back({5 * kSecond, Throttle{kThird, {0}, {1'000'000}, {}}});
  EXPECT_THAT(told_of(throttled, "stuck"),
              HasSubstr("the kernels on GPU:0 of worker 2 take 10000 times as long as usual"));
}

// A first worker that dies hangs the job at once; the run without it lasts as long as the job was to.
TEST(Prove, tries_a_job_that_hangs_early_for_all_its_time) {
  Job job = three_workers();
  job.faults.push_back({5 * kSecond + kSecond / 10, Kill{kThird}});
  auto* longest = static_cast<Nanos*>(  // written in the child
      mmap(nullptr, sizeof(Nanos), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const Outcome outcome = *run_apart(job);
  ASSERT_TRUE(outcome.log.is_deadlocked);
  const auto proofs = prove(job, outcome, [&](const Proof&, Nanos now) { *longest = std::max(*longest, now); });
  ASSERT_EQ(proofs->size(), 1u);
  EXPECT_TRUE(proofs->at(0).goes_on);
  EXPECT_GT(*longest, 20 * kSecond);
  munmap(longest, sizeof(Nanos));
}

}  // namespace
}  // namespace tarry
