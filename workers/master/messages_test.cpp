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

}  // namespace
}  // namespace tarry
