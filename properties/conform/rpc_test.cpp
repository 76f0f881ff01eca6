// Transcripts of real TensorFlow that ship with tarry: ours make the same calls and give the same answers.

#include "properties/conform/rpc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/graph/read.hpp"
#include "properties/conform/altered.hpp"
#include "properties/conform/apart.hpp"
#include "properties/conform/shipped.hpp"

namespace tarry {
namespace {

class Transcript : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shipped, Transcript, ::testing::ValuesIn(shipped("rpc")), name_of);

TEST_P(Transcript, is_replayed_to_the_letter) {
  const auto v = conform_rpc(GetParam());
  ASSERT_TRUE(v.ok()) << v.status();
  ASSERT_TRUE(v->is_judged);
  EXPECT_THAT(v->differences, ::testing::IsEmpty());
}

// What becomes of the text of a transcript: a child process that is ended by a signal or by an exception is INTERNAL.
Status judged(const std::string& text) {
  return judge_apart([&]() -> StatusOr<nlohmann::json> {
           TARRY_RETURN_IF_ERROR(conform_transcript(text, "altered.json").status());
           return nlohmann::json();
         })
      .status();
}

RC_GTEST_PROP(AlteredTranscript, is_judged_or_refused, (std::uint64_t seed)) {
  static const std::vector<std::string> files = shipped("rpc");
  const std::string file = *rc::gen::elementOf(files);
  const std::string text = Alteration(seed).of(nlohmann::json::parse(*read_file(file)));
  const Status s = judged(text);
  RC_LOG() << file << "\n" << s << "\n" << text << "\n";
  RC_ASSERT(s.code() != Code::kInternal);
}

// A transcript of a worker with this step only.
std::string with_step(const std::string& step) {
  return fmt::format(R"({{"name": "worker_x", "setup": {{"real": "worker:0", "real_devices": {{"CPU": 1}},
                          "fake_tasks": {{}}}}, "steps": [{}]}})",
                     step);
}
TEST(Transcript, that_waits_for_a_call_that_nobody_made_is_refused) {
  EXPECT_EQ(judged(with_step(R"({"await": "a", "got": {}})")),
            invalid("altered.json: step 0: no call 'a' was started before"));
}
TEST(Transcript, that_cancels_a_call_of_an_unknown_method_is_judged) {
  EXPECT_EQ(judged(with_step(R"({"start": "a", "method": "Nothing", "request": {}}, {"cancel": "a"})")), Status());
}
TEST(Transcript, that_nests_too_deeply_is_refused) {
  EXPECT_EQ(judged(std::string(100'000, '[')),
            invalid("altered.json: not a transcript: byte 65: nested more than 64 deep"));
}

}  // namespace
}  // namespace tarry
