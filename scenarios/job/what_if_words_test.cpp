// How amounts are told, and which of several alike things is the odd one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/job/told_run.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

TEST(WhatIfWords, have_the_unit_that_fits) {
  EXPECT_EQ(time_in_words(0), "0 us");
  EXPECT_EQ(time_in_words(999'999), "999.999 us");
  EXPECT_EQ(time_in_words(1'000'000), "1 ms");
  EXPECT_EQ(time_in_words(999'500'000), "999.5 ms");
  EXPECT_EQ(time_in_words(1'000'000'000), "1 s");
  EXPECT_EQ(bandwidth_in_words(0), "no limit");
  EXPECT_EQ(bandwidth_in_words(12'500'000), "100 Mb/s");
  EXPECT_EQ(bandwidth_in_words(124'900'000), "999.2 Mb/s");
  EXPECT_EQ(bandwidth_in_words(125'000'000), "1 Gb/s");
}

std::string odd(const std::vector<Amounted>& all, const std::string& of = "") {
  return odd_in_words(of, all, bandwidth_in_words);
}

TEST(WhatIfWords, tell_of_the_one_that_has_less_than_nine_tenths_of_the_median) {
  constexpr std::uint64_t kUsual = 125'000'000;
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual / 10}}), "b has 100 Mb/s and the others 1 Gb/s");
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual / 10}, {"c", kUsual}}, "the card of "),
            "the card of b has 100 Mb/s and those of the others 1 Gb/s");
  EXPECT_EQ(odd({{"a", kUsual}, {"b", kUsual * 9 / 10}}), "");
  EXPECT_NE(odd({{"a", kUsual}, {"b", kUsual * 9 / 10 - 1}}), "");
  EXPECT_EQ(odd({{"a", 0}, {"b", kUsual}}), "b has 1 Gb/s and the others no limit");
  EXPECT_EQ(odd({{"a", 0}, {"b", 0}}), "");
  EXPECT_EQ(odd({{"a", 1}}), "");
  EXPECT_EQ(odd({}), "");
}

// ---- of everything at once ----

// Two servers and three workers with something of each kind that may cost time.
ToldRun with_all() {
  constexpr Nanos kMs = 1'000'000;
  ToldRun t(2, 3);
  ClusterSpec& c = t.job.cluster;
  std::vector<DeviceUse>& devices = t.outcome.stats.devices;
  for (const std::size_t w : {2u, 3u, 4u}) t.busy(TaskId{w}, (w == 4 ? 300 : 100) * kMs);
  devices.push_back({.task = TaskId{0u}, .name = "CPU:0", .busy = 950 * kMs, .busy_before = 50 * kMs});
  devices.push_back({.task = TaskId{1u}, .name = "CPU:0", .busy = 700 * kMs});
  devices.push_back({.task = TaskId{2u}, .name = "GPU:0/memcpy:HtoD", .busy = 900 * kMs});
  for (const std::size_t w : {2u, 3u, 4u}) c.tasks[w].gpus = {{.copy_bandwidth = w == 3 ? 5'000'000u : 10'000'000u}};
  c.hosts[2].pcie.root_bandwidth = 8'000'000;
  for (std::size_t h = 0; h < 5; ++h) c.hosts[h].nic_bandwidth = h == 1 ? 1'000'000 : 9'000'000;
  c.network.between_hosts = {.latency = 1000};
  c.network.links = {{HostId{0u}, HostId{4u}, {.latency = 5000}}, {HostId{1u}, HostId{4u}, {.latency = 5000}}};
  c.network.racks = {{"r", {.latency = 2, .bandwidth = 13}}};
  c.network.transport = {.send = {.per_message = 1}};
  c.tasks[0].inter_op_threads = 2;
  t.job.costs.interference = {{.task = TaskId{3u}, .percent = 300}, {.host = HostId{0u}, .percent = 200}};
  t.job.costs.rules = {{.op = "_Send", .amount = Constant{1}}};
  return t;
}

void add_clients(Job& job) {
  const ClientProgram program{.graph = std::make_shared<const GraphSpec>()};
  for (const std::size_t w : {2u, 3u, 4u}) job.clients.push_back({TaskId{w}, program, {}});
  job.clients[0].options.save_steps = 5;
  job.clients[2].options.start_after = 2 * kSecond;
  job.faults = {{Nanos{5}, Slow{TaskId{3u}, {300}, {}}}, {Nanos{6}, Kill{TaskId{4u}}}};
}

// In lines of their own: what follows a semicolon, and those that are compared.
std::string in_lines(std::string text) {
  for (const std::string seam : {"; ", ", those"})
    for (std::size_t at = text.find(seam); at != text.npos; at = text.find(seam, at + 1))
      text.replace(at + 1, 1, "\n    ");
  return text;
}

constexpr char kAll[] = R"(
there were faults of worker 1 (slow)
  without the faults of worker 1
there were faults of worker 2 (kill)
  without the faults of worker 2
there were faults of worker 1 (slow) and of worker 2 (kill)
  without any fault (all)
worker 2 began 2.000 s after the worker that began first
  with worker 2 as early as the first
the kernels of a step of worker 2 together take 0.300 s and those of the median worker 0.100 s
  with worker 2 as fast as the median worker
the network card of host1 (ps 1) has 8 Mb/s and those of the others 72 Mb/s
  with 72 Mb/s there
messages of host4 (worker 2) take 5 us to the parameter servers and those of the others 1 us
  with host4 (worker 2) as near as the others
unequal bytes
  with the bytes split evenly over the parameter servers
again and again the kernels on worker 1 take 300 % of their usual time
  without what interferes with worker 1
again and again the kernels on host0 (ps 0) take 200 % of their usual time
  without what interferes with host0 (ps 0)
the kernels of ps 0 add up to 0.900 s,
    those of each other parameter server to 0.700 s at the most, many of them side by side, in 0.000 s of training
  with kernels on ps 0 that take no time
the kernels of ps 1 add up to 0.700 s, many of them side by side, in 0.000 s of training
  with kernels on ps 1 that take no time
the kernels of ps 0 add up to 0.900 s,
    those of ps 1 to 0.700 s, many of them side by side, in 0.000 s of training
  with kernels on the parameter servers that take no time (all)
the copy engines of GPUs carry less than their kernels and messages need;
    each copy engine of worker 1 has 40 Mb/s and those of the others 80 Mb/s
  with copy engines of unlimited bandwidth
the copy engines of GPUs and the PCIe roots above them carry less than kernels and messages need
  with copies between GPUs and their hosts that take no time (all)
they carry less than the copies of the GPUs below them need;
    each PCIe root of host2 has 64 Mb/s and those of the others no limit
  with PCIe roots of unlimited bandwidth
all messages that leave a rack share its trunk, and so do all that come in
  with trunks of unlimited bandwidth
bandwidth
  with a network of unlimited bandwidth
latency
  with a network without latency
sending and receiving keep the tasks' CPUs busy
  with messages that cost their tasks no time
each message takes a thread's time, whatever its size
  with messages that take no thread's time but for their bytes
kernels wait for a thread of a CPU that is busy with others;
    ps 0 has 2 threads and the others as many threads as kernels
  with a thread for each kernel
a client that finds no model ready, or has lost its session, waits before it looks again
  with clients that look again after a second
)";

TEST(WhatIfWords, say_of_all_that_is_tried_what_it_is_and_what_there_is_in_its_place) {
  ToldRun t = with_all();
  add_clients(t.job);
  std::string all = "\n";
  for (const WhatIf& w : what_ifs(t.job, t.outcome, Scope::all))
    all += fmt::format("{}\n  {}{}\n", in_lines(w.proof.what), w.proof.instead, w.proof.together ? " (all)" : "");
  EXPECT_EQ(all, kAll);
}

}  // namespace
}  // namespace tarry
