#include "placer/graph/step_stats.hpp"

#include <gtest/gtest.h>

#include "placer/core/status.hpp"

namespace tarry {
namespace {

const std::vector<NodeExecTime> kTwo = {{"/job:w/replica:0/task:0/device:CPU:0", "a", "a = Const()", 5'000, 3'500},
                                        {"/job:w/replica:0/task:0/device:GPU:0", "b", "b = MatMul(a, a)", 9'000, 250}};

std::vector<NodeExecTime> parsed(const std::string& bytes) {
  const auto times = parse_step_stats(bytes, "x");
  EXPECT_TRUE(times.ok()) << text_of(times.status());
  return times.ok() ? *times : std::vector<NodeExecTime>{};
}

TEST(StepStats, come_back_as_they_were_written) {
  EXPECT_EQ(parsed(run_metadata_binary(kTwo)), kTwo);
  EXPECT_EQ(parsed(run_metadata_text(kTwo)), kTwo);
}

TEST(StepStats, of_an_old_release_have_microseconds_only) {
  const auto times = parsed(R"(step_stats { dev_stats { device: "/job:w/replica:0/task:0/cpu:0"
    node_stats { node_name: "m" all_start_micros: 1000 op_start_rel_micros: 2
                 op_end_rel_micros: 10 all_end_rel_micros: 12 } } })");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].start_ns, 1'002'000);
  EXPECT_EQ(times[0].duration_ns, 8'000);
}

TEST(StepStats, may_stand_alone_without_run_metadata_around_them) {
  EXPECT_EQ(parsed(R"(dev_stats { device: "d" node_stats { node_name: "m" op_end_rel_nanos: 7 } })").at(0).duration_ns,
            7);
  const std::string metadata = run_metadata_binary(kTwo);
  std::size_t at = 1;  // after the tag of field 1: its length, then the StepStats
  while ((static_cast<unsigned char>(metadata[at]) & 128u) != 0) ++at;
  EXPECT_EQ(parsed(metadata.substr(at + 1)), kTwo);
}

TEST(StepStats, may_come_with_fields_that_have_no_use_here) {
  EXPECT_EQ(parsed(
                R"(step_stats { dev_stats { device: "d" node_stats { node_name: "m" op_end_rel_micros: 1
                      memory { allocator_name: "cpu" total_bytes: 4 } } } }
                      cost_graph { node { name: "m" } })")
                .at(0)
                .duration_ns,
            1'000);
}

TEST(StepStats, are_refused_with_the_files_name_when_they_are_something_else) {
  for (const char* text : {"", "hello", "step_stats { }", "\x0a\xff", R"(step_stats { dev_stats { device: "d" } })"}) {
    const auto times = parse_step_stats(text, "my.pb");
    ASSERT_FALSE(times.ok()) << text;
    EXPECT_TRUE(text_of(times.status()).starts_with("my.pb: ")) << text_of(times.status());
  }
  EXPECT_EQ(read_step_stats("no_such_file.pb").status().code(), Code::kNotFound);
}

TEST(StepStats, take_at_most_146_years) {
  const auto times = parse_step_stats(
      R"(step_stats { dev_stats { device: "d" node_stats { node_name: "n" op_start_rel_nanos: -9223372036854775808
                                                            op_end_rel_nanos: 9223372036854775807 } } })",
      "f");
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ((*times)[0].duration_ns, std::int64_t{1} << 62);
}

TEST(StepStats, that_end_before_they_begin_took_no_time) {
  EXPECT_EQ(
      parsed(R"(dev_stats { device: "d" node_stats { node_name: "m" op_start_rel_micros: 9 op_end_rel_micros: 3 } })")
          .at(0)
          .duration_ns,
      0);
}

}  // namespace
}  // namespace tarry
