// The texts of requests, field by field in the order of their numbers.

#include "workers/master/messages.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(MasterMessages, a_step_names_what_it_fetches_and_runs) {
  EXPECT_EQ(text_of(RunStepRequest{.session = "abc", .fetches = {"x:0", "y:1"}, .targets = {"t", "u"}}),
            "session_handle: \"abc\" fetch: \"x:0\" fetch: \"y:1\" target: \"t\" target: \"u\"");
  EXPECT_EQ(text_of(RunStepRequest{.session = "abc", .partial_run = "p", .errors_in_body = true, .request_id = 7}),
            "session_handle: \"abc\" partial_run_handle: \"p\" store_errors_in_response_body: true request_id: 7");
}

TEST(MasterMessages, a_step_quotes_what_it_is_fed_and_says_how_it_is_traced) {
  RunStepRequest r{.session = "abc"};
  r.feeds = {{"x:0", make_scalar(2.5F)}, {"y:0", make_scalar(std::int32_t{-3})}};
  EXPECT_EQ(text_of(r),
            "session_handle: \"abc\" feed { name: \"x:0\" tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2.5 } } "
            "feed { name: \"y:0\" tensor { dtype: DT_INT32 tensor_shape { } int_val: -3 } }");
  EXPECT_EQ(text_of(RunStepRequest{.options = StepOptions{}}), "options { }") << "what is not set is not printed";
  EXPECT_EQ(text_of(RunStepRequest{.options = StepOptions{TraceLevel::software, 70}}),
            "options { trace_level: SOFTWARE_TRACE timeout_in_ms: 70 }");
  EXPECT_EQ(
      text_of(RunStepRequest{.options = StepOptions{TraceLevel::full, 0, true, true}}),
      "options { trace_level: FULL_TRACE output_partition_graphs: true report_tensor_allocations_upon_oom: true }");
  EXPECT_EQ(text_of(RunStepRequest{.options = StepOptions{TraceLevel::hardware}}),
            "options { trace_level: HARDWARE_TRACE }");
}

TEST(MasterMessages, a_partial_run_names_all_that_it_may_feed_fetch_and_run) {
  EXPECT_EQ(text_of(PartialRunSetupRequest{
                .session = "abc", .feeds = {"x:0"}, .fetches = {"y:0", "z:0"}, .targets = {"t"}, .request_id = 9}),
            "session_handle: \"abc\" feed: \"x:0\" fetch: \"y:0\" fetch: \"z:0\" target: \"t\" request_id: 9");
}

TEST(MasterMessages, a_callable_is_made_by_names_and_run_by_its_number) {
  MakeCallableRequest make{.session = "abc", .request_id = 9};
  EXPECT_EQ(text_of(make), "session_handle: \"abc\" options { } request_id: 9");
  make.options = {{"x:0"}, {"y:0"}, {"t"}, StepOptions{.timeout_ms = 70}};
  EXPECT_EQ(text_of(make),
            "session_handle: \"abc\" options { feed: \"x:0\" fetch: \"y:0\" target: \"t\" "
            "run_options { timeout_in_ms: 70 } } request_id: 9");
  EXPECT_EQ(text_of(RunCallableRequest{.session = "abc", .handle = 3, .feeds = {make_scalar(true)}, .request_id = 9}),
            "session_handle: \"abc\" handle: 3 feed { dtype: DT_BOOL tensor_shape { } bool_val: true } request_id: 9");
}

}  // namespace
}  // namespace tarry
