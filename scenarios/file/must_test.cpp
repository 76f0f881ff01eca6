// The section `must` of a scenario.

#include "scenarios/file/must.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

StatusOr<Scenario> with_must(const std::string& must, const std::string& stop = "steps: 5") {
  return parse_scenario(
      "cluster: {hosts: [h], tasks: {ps/0: h, worker/0: h}}\nprograms: [{task: worker/0, graph: g}]\nstop: {" + stop +
          "}\nmust: {" + must + "}\n",
      "s.yaml");
}
std::string refusal_of(const std::string& must, const std::string& stop = "steps: 5") {
  return std::string(text_of(with_must(must, stop).status()));
}

TEST(Must, is_read_with_all_its_keys_from_a_scenario_and_from_a_line) {
  const Must all{.progress = 60 * kSecond,
                 .finish = 600 * kSecond,
                 .lost_steps = 10,
                 .dropped = Share{2'000},
                 .share = Share{1'250},
                 .throughput = Share{5'000},
                 .no_failed_client = true,
                 .never = {"stuck", "failed"}};
  const std::string text =
      "progress: 60s, finish: 10min, lost_steps: 10, dropped: 20 %, share: 12.5%, throughput: 50 %, no_failed_client: "
      "true, never: [stuck, failed]";
  const auto scenario = with_must(text);
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->must, all);
  EXPECT_EQ(parse_must(text, *scenario).value(), all);
  EXPECT_EQ(parse_must(must_text(all), *scenario).value(), all);
  EXPECT_EQ(must_text({.progress = kSecond / 2, .never = {"stuck"}}), "progress: 500ms, never: [stuck]");
}

TEST(Must, that_is_wrong_is_refused_with_its_place) {
  EXPECT_EQ(refusal_of("progres: 60s"), "s.yaml:4:8: unknown key 'progres' in must; did you mean 'progress'?");
  EXPECT_THAT(refusal_of("progress 60s"),
              HasSubstr("unknown key 'progress 60s' in must; did you mean 'progress: 60s'?"));
  EXPECT_THAT(refusal_of("progres 60s"), HasSubstr("unknown key 'progres 60s' in must")) << "no key of it";
  EXPECT_EQ(refusal_of("never: [stuk]"), "s.yaml:4:16: unknown verdict 'stuk'; did you mean 'stuck'?");
  EXPECT_THAT(refusal_of("share: 20"), HasSubstr("s.yaml:4:15: '20' has no unit; a share needs one of %"));
  EXPECT_THAT(refusal_of("share: 101 %"), HasSubstr("'101 %' is more than all; expected at most 100 %"));
  EXPECT_THAT(refusal_of("share: [1]"), HasSubstr("expected a share such as 20 %, found a list"));
  EXPECT_THAT(refusal_of("lost_steps: -1"), HasSubstr("expected a whole number from 0"));
  EXPECT_THAT(refusal_of(""), HasSubstr("must says nothing; expected one of progress, finish"));
  EXPECT_THAT(refusal_of("no_failed_client: false"), HasSubstr("must says nothing"));
}

TEST(Must, finish_before_the_run_is_cut_off) {
  EXPECT_THAT(refusal_of("finish: 60s", "time: 1min"),
              HasSubstr("the run ends at 1min, so that nothing could miss a finish at 1min"));
  EXPECT_TRUE(with_must("finish: 59s", "time: 1min").ok());
}

}  // namespace
}  // namespace tarry
