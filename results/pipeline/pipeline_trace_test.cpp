// A pipeline's time line: what is read of it, and what is refused.

#include "results/pipeline/pipeline_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/pipeline/made_pipeline.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto read = parse_pipeline_trace(text, "t.json");
  return read.ok() ? "" : std::string(text_of(read.status()));
}
std::string refusal_of(const std::string& from, const std::string& to) {
  MadePipeline made;
  made.edit = [&](const MadeOp& op, std::string event) {
    const std::size_t at = event.find(from);
    return op.name == "backward-recv" && op.number == 1 && op.replica == 1 && at != event.npos
               ? event.replace(at, from.size(), to)
               : event;
  };
  return refusal(made.text());
}

TEST(PipelineTraces, have_each_op_in_each_step_of_each_replica) {
  MadePipeline made{.replicas = 3, .steps = 2};
  made.takes = [](const MadeOp& op) { return 100 * op.step + 10 * op.replica + op.number; };
  const auto t = parse_pipeline_trace(made.text(), "t");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->stages, 2u);
  EXPECT_THAT(t->replicas, testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(t->steps, testing::ElementsAre(5, 6));
  EXPECT_EQ(t->nodes.size(), 30u);
  const auto found = std::ranges::find(t->nodes, PipelineNode{PipelineOp::forward_recv, 1, 1});
  ASSERT_NE(found, t->nodes.end());
  const std::size_t at = t->at(static_cast<std::size_t>(found - t->nodes.begin()), 1, 2);
  EXPECT_EQ(t->durations[at], 621'000);
  EXPECT_EQ(t->starts[at], 5'000'000);
}

TEST(PipelineTraces, are_read_from_the_list_in_an_object_too) {
  const auto t = parse_pipeline_trace(R"({"traceEvents": )" + MadePipeline().text() + "}", "t");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->nodes.size(), 30u);
}

TEST(PipelineTraces, keep_times_below_zero_only_as_far_as_clocks_differ) {
  MadePipeline made{.replicas = 2};
  made.takes = [](const MadeOp& op) { return op.name != "forward-send" ? 1 : op.replica == 0 ? -9'999 : -10'000; };
  const PipelineTrace t = parse_pipeline_trace(made.text(), "t").value();
  const auto sent = std::ranges::find(t.nodes, PipelineOp::forward_send, &PipelineNode::op) - t.nodes.begin();
  EXPECT_EQ(t.durations[t.at(static_cast<std::size_t>(sent), 0, 0)], -9'999'000);
  EXPECT_EQ(t.durations[t.at(static_cast<std::size_t>(sent), 0, 1)], 0);
}

TEST(PipelineTraces, that_are_none_are_refused) {
  for (const char* text : {"", "[", "[]", "{}", "7", R"([{"ph": "B"}])"})
    EXPECT_THAT(refusal(text), HasSubstr("t.json: expected a time line in Chrome's trace format")) << text;
}

TEST(PipelineTraces, name_the_event_that_is_wrong_and_what_was_expected) {
  EXPECT_THAT(refusal_of("backward-recv", "backward-wait"), HasSubstr("'backward-wait' is no op of a pipeline"));
  EXPECT_THAT(refusal_of(R"("dur": 1)", R"("dur": "1")"), HasSubstr("expected a number 'dur', in microseconds"));
  EXPECT_THAT(refusal_of(R"("dur": 1)", R"("dur": 1e30)"), HasSubstr("'dur' is 1e+30 microseconds"));
  EXPECT_THAT(refusal_of(R"("seq_id": 1)", R"("seq_id": -1)"), HasSubstr("'seq_id' is -1, expected 0 to"));
  EXPECT_THAT(refusal_of(R"("seq_id": 1)", R"("x": 1)"), HasSubstr("expected a whole number 'seq_id'"));
  EXPECT_THAT(refusal_of(R"("model_chunk": 0)", R"("model_chunk": 1)"), HasSubstr("several parts of the model"));
  EXPECT_THAT(refusal_of(R"("tid": 7)", R"("tid": 9)"), HasSubstr("thread 9 of process 1 has ops and no name"));
  EXPECT_THAT(refusal_of(R"("seq_id": 1)", R"("seq_id": -1)"), HasSubstr("t.json: event 21: "));
}

TEST(PipelineTraces, name_the_op_that_is_missing_or_twice_there) {
  const std::string text = "'backward-recv' number 1 of stage 0 is not there just once in step 5 of replica 1";
  MadePipeline made;
  made.edit = [](const MadeOp& op, std::string event) {
    return op.name == "backward-recv" && op.number == 1 && op.replica == 1 ? "" : event;
  };
  EXPECT_THAT(refusal(made.text()), HasSubstr(text));
  EXPECT_THAT(refusal_of(R"("step": 5)", R"("step": 6)"), HasSubstr("is not there just once in step 6 of replica 0"));
  made.edit = [](const MadeOp& op, const std::string& event) {
    return op.name == "backward-recv" && op.number == 1 && op.replica == 0 ? event + "," + event : event;
  };
  EXPECT_THAT(refusal(made.text()), HasSubstr(text));
}

TEST(PipelineTraces, keep_nothing_but_what_an_event_needs) {
  std::string nested;
  for (int i = 0; i < 200'000; ++i) nested += "{},";
  EXPECT_THAT(refusal("[" + nested + "1]"), HasSubstr("expected a time line"));
  EXPECT_THAT(refusal(R"([{"ph": "B", "args": {"list": [)" + nested + "1]}}]"), HasSubstr("expected a time line"));
  EXPECT_THAT(refusal(R"([{"ph": "B", "x": [)" + nested + "1]}]"), HasSubstr("expected a time line"));
}

TEST(PipelineTraces, have_numbers_of_replicas_and_times_that_add_up) {
  MadePipeline made;
  made.edit = [](const MadeOp& op, std::string event) {
    const std::string pid = fmt::format("\"pid\": {}", op.replica);
    return event.replace(event.find(pid), pid.size(), fmt::format("\"pid\": {}", 8 * op.replica + 8));
  };
  EXPECT_THAT(refusal(made.text()), HasSubstr("thread 7 of process 8 has ops and no name"));
  MadePipeline endless{.replicas = 2, .steps = 30};
  endless.takes = [](const MadeOp&) { return 1'000'000'000; };
  endless.edit = [](const MadeOp&, std::string event) {
    return event.replace(event.find("\"dur\": ") + 7, 10, "1e12");
  };
  EXPECT_THAT(refusal(endless.text()), HasSubstr("take more than 36 years together"));
}

TEST(PipelineTraces, need_threads_that_name_their_stage) {
  const std::string thread = R"([{"ph": "M", "name": "thread_name", "pid": 0, "tid": 0, "args": {"name": )";
  EXPECT_THAT(refusal(thread + R"("main"}}])"),
              HasSubstr("expected a thread's name 'PP rank N, ...', and it is 'main'"));
  EXPECT_THAT(refusal(thread + R"("PP rank 999999999"}}])"), HasSubstr("expected a thread's name"));
}

TEST(PipelineTraces, take_the_names_of_threads_from_metadata_alone) {
  std::string text = MadePipeline().text();
  const std::string counter = R"({"ph": "C", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": 9}},)";
  const auto t = parse_pipeline_trace(text.insert(text.rfind("{\"ph\": \"X\""), counter), "t");
  ASSERT_TRUE(t.ok()) << t.status();
  EXPECT_EQ(t->stages, 2u);
}

}  // namespace
}  // namespace tarry
