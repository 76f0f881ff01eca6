#include "scenarios/file/trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

std::string refusal(const std::string& text) { return std::string(text_of(parse_trace(text, "f.csv").status())); }

TEST(Trace, has_the_factors_of_each_worker_by_step) {
  const Trace t = parse_trace("worker,step,factor\r\n1,1,0.5\n0,0,1.25\n1,0,2\n\n", "f.csv").value();
  EXPECT_EQ(t, (Trace{{0, {1'250'000}}, {1, {2'000'000, 500'000}}}));
}

TEST(Trace, says_the_line_of_what_it_does_not_understand) {
  EXPECT_EQ(refusal("0,0,1\n"), "f.csv:1: expected the line worker,step,factor, found '0,0,1'");
  for (const std::string line : {"0,0", "0,x,1", "-1,0,1", "0,0,fast", "0,0,-1", "0,0,1,2", "0,0,1.5x", "0,0,",
                                 "0,0,inf", "0,0,nan", "0,0,1e13"})
    EXPECT_EQ(refusal("worker,step,factor\n0,0,1\n" + line + "\n"),
              "f.csv:3: expected worker,step,factor, such as 0,12,1.25, found '" + line + "'");
  EXPECT_EQ(refusal("worker,step,factor\n0,0,1\n0,0,2\n"), "f.csv:3: step 0 of worker 0 comes twice");
  EXPECT_EQ(refusal("worker,step,factor\n0,0,1\n0,2,2\n"),
            "f.csv:3: step 2 of worker 0, and there is no step 1; steps count from 0, without a gap");
  EXPECT_EQ(refusal("worker,step,factor\n"),
            "f.csv: no factors; expected the line worker,step,factor, and lines such as 0,12,1.25");
}

TEST(Trace, rounds_numbers_as_other_programs_write_them) {
  const std::string text = "worker,step,factor\n0,0,2.3577400000000006\n0,1,1e-3\n0,2,.5\n0,3,1.\n0,4,0.0000015\n";
  EXPECT_EQ(parse_trace(text, "f.csv").value(), (Trace{{0, {2'357'740, 1'000, 500'000, 1'000'000, 2}}}));
}

RC_GTEST_PROP(Trace, what_is_written_reads_back, (const std::vector<std::uint32_t>& factors)) {
  RC_PRE(!factors.empty());
  std::string text = "worker,step,factor\n";
  for (std::size_t i = 0; i < factors.size(); ++i) text += fmt::format("7,{},{}\n", i, format_number(factors[i]));
  RC_ASSERT(parse_trace(text, "f.csv").value() ==
            (Trace{{7, std::vector<std::int64_t>(factors.begin(), factors.end())}}));
}

}  // namespace
}  // namespace tarry
