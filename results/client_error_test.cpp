#include "results/client_error.hpp"

#include <gtest/gtest.h>

#include "results/verdicts/failed.hpp"

namespace tarry {
namespace {

TEST(Gist, of_an_error_of_several_tasks_is_the_first_line_that_says_what_happened) {
  EXPECT_EQ(gist_of("\n====\nRESOURCE_EXHAUSTED: From /job:worker/replica:0/task:1:\nOOM when allocating x\n\t "
                    "[[{{node Relu}}]]\nHint: more\n\n====\n"),
            "OOM when allocating x");
  EXPECT_EQ(gist_of("From /job:ps/replica:0/task:0:\n\t [[n]]\nHint: more\nq is closed."), "q is closed.");
}

TEST(Gist, of_an_error_of_one_line_is_that_line) {
  EXPECT_EQ(gist_of("GPU sync failed"), "GPU sync failed");
  EXPECT_EQ(gist_of("a: From /job:ps/replica:0/task:0: b"), "a: From /job:ps/replica:0/task:0: b");
  EXPECT_EQ(gist_of(""), "");
  EXPECT_EQ(gist_of("====\n\n"), "====\n\n") << "where no line says anything";
}

TEST(Gist, of_several_errors_is_what_happened_in_the_first) {
  EXPECT_EQ(gist_of("From /job:worker/replica:0/task:1:\n2 root error(s) found.\n  (0) INTERNAL: GPU sync failed\n\t "
                    "[[{{node images}}]]\n  (1) INTERNAL: lost\n0 successful operations."),
            "GPU sync failed");
  EXPECT_EQ(gist_of("2 root error(s) found.\n  (0) INTERNAL: From /job:ps/replica:0/task:0:\nlost"), "lost");
  EXPECT_EQ(gist_of("(0) INTERNAL: x"), "(0) INTERNAL: x") << "one error has no number";
}

constexpr TaskId kChief{0u}, kOther{1u};
constexpr char kNoFeed[] = "You must feed a value for placeholder tensor 'x' with dtype float";

// The chief's steps 1 and 2 end with these codes.
EventLog ran(std::int32_t train, std::int32_t sync) {
  EventLog log;
  log.add(0, StepBegan{kChief, StepId{1}, Purpose::train});
  log.add(0, StepBegan{kChief, StepId{2}, Purpose::sync});
  log.add(1, StepEnded{kChief, StepId{2}, sync});
  log.add(2, StepEnded{kChief, StepId{1}, train});
  return log;
}

TEST(Cure, of_an_error_is_known_where_a_restart_ends_the_same_way) {
  EXPECT_EQ(cure_of_error(ran(8, 0), kChief, "x\nOOM when allocating tensor with shape[2]"),
            "give it a smaller batch, or a GPU with more memory");
  EXPECT_EQ(cure_of_error(ran(8, 0), kChief, "OOM when allocating tensor\nBefore that: others hold 5 bytes of GPU:0."),
            "look at what else uses the memory of that GPU, or give it a smaller batch");
  EXPECT_EQ(cure_of_error(ran(3, 0), kChief, kNoFeed), "feed it");
  EXPECT_EQ(
      cure_of_error(ran(3, 0), kChief, "Too few tokens to finish the first step: 0 (given) vs 16 (needed)"),
      "give at least 16 initial tokens (num_tokens of make_session_run_hook), or aggregate no more gradients than "
      "there are workers");
  EXPECT_EQ(cure_of_error(ran(5, 0), kChief,
                          "From /job:worker/replica:0/task:0:\ndata/a; No such file or directory\n\t [[{{node r}}]]"),
            "put data/a where its readers look for it, or give them names of files that there are");
  EXPECT_EQ(cure_of_error(ran(15, 0), kChief, "shard 0 (8 bytes): Checksum does not match: stored 1 vs. calculated"),
            "look at the storage that checkpoints are saved to, and restore an earlier one that is whole");
  EXPECT_EQ(cure_of_error(ran(5, 0), kChief, "From /job:worker/replica:0/task:0:\nNo file is in the directory"), "");
  EXPECT_EQ(cure_of_error(ran(3, 0), kChief, "Too few tokens to finish"), "");
  EXPECT_EQ(cure_of_error(ran(14, 14), kChief, "GPU sync failed"), "");
}

TEST(Cure, of_a_closed_queue_is_at_the_parameter_server_that_keeps_it) {
  const TaskNames tasks{{"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1", "/job:worker/replica:0/task:0"}};
  const auto keeper = [&](std::string_view error) { return keeper_of_closed_queue(tasks, error); };
  EXPECT_EQ(keeper("From /job:ps/replica:0/task:1:\nFIFOQueue 'sync_token_q' is closed.\n\t [[n]]"), TaskId{1u});
  EXPECT_EQ(keeper("From /job:ps/replica:0/task:0:\nFIFOQueue 'a/sync_token_q' is closed."), TaskId{0u});
  EXPECT_FALSE(keeper("From /job:ps/replica:0/task:1:\nFIFOQueue 'examples' is closed.").valid()) << "it has data";
  EXPECT_FALSE(
      keeper("From /job:ps/replica:0/task:1:\nFIFOQueue 'q' is empty; FIFOQueue 'sync_token_q' is closed.").valid());
  EXPECT_FALSE(keeper("From /job:worker/replica:0/task:0:\nFIFOQueue 'sync_token_q' is closed.").valid());
  EXPECT_FALSE(keeper("From /job:ps/replica:0/task:1:\nFIFOQueue 'sync_token_q' is full.").valid());
  EXPECT_FALSE(keeper("From /job:ps/replica:0/task:1:\nSocket closed").valid());
  EXPECT_FALSE(keeper("FIFOQueue 'q' is closed.").valid()) << "it does not say where";
}

TEST(Reason, of_a_missing_feed_may_be_the_synchronization_thread) {
  EXPECT_EQ(reason_of(ran(3, 0), kChief, kNoFeed), "");
  EXPECT_EQ(reason_of(ran(1, 3), kOther, kNoFeed), "");
  EXPECT_EQ(reason_of(ran(1, 3), kChief, "You must feed it"), "");
  EXPECT_NE(reason_of(ran(1, 3), kChief, kNoFeed).find("The chief's synchronization thread feeds nothing"),
            std::string::npos);
  EXPECT_EQ(cure_of_error(ran(1, 3), kChief, kNoFeed),
            "take what needs the placeholder out of what apply_gradients waits for");
}

}  // namespace
}  // namespace tarry
