// What is said of a global step that went back, from logs written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

TEST(ProgressLost, tells_a_model_that_is_restored_from_one_that_is_initialised) {
  const auto text = [](std::int64_t back_to) {
    Story s = two_workers();
    for (const std::int64_t step : {std::int64_t{3}, back_to})
      s.at(1, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
    return s.told("progress_lost");
  };
  EXPECT_THAT(text(1), HasSubstr("from 3 back to 1: a chief that starts anew restores its last checkpoint"));
  EXPECT_THAT(text(0), HasSubstr("from 3 back to 0: a chief that starts anew initialises the model"));
}

TEST(ProgressLost, of_a_checkpoint_of_step_0_is_told_as_that) {
  const auto text = [](std::vector<Purpose> purposes, double at) {
    Story s = two_workers();
    s.at(0, ScalarAssigned{kPs, kGlobalStep, StepId{1}, 3});
    for (const Purpose p : purposes) s.at(at, StepBegan{kChief, StepId{7}, p});
    s.at(2, ScalarAssigned{kPs, kGlobalStep, StepId{7}, 0}).at(3, StepBegan{kChief, StepId{8}, Purpose::restore});
    return s.told("progress_lost");
  };
  const std::string restores = "restores its last checkpoint", more = "To do: save checkpoints more often.";
  EXPECT_THAT(text({Purpose::init, Purpose::restore}, 1), testing::AllOf(HasSubstr(restores), HasSubstr(more)));
  EXPECT_THAT(text({Purpose::restore, Purpose::save}, 2), HasSubstr(restores));
  EXPECT_THAT(text({Purpose::restore, Purpose::init}, 1), HasSubstr("initialises the model"));
  EXPECT_THAT(text({}, 1), HasSubstr("initialises the model")) << "the one after it is not its";
}

TEST(ProgressLost, is_not_for_a_server_that_was_lost_before_training_began) {
  Story s = two_workers();
  s.log.started_at = static_cast<Nanos>(2 * kSecond);
  s.at(1, ProcessEnded{kPs}).at(1.5, ProcessBegan{kPs, 1});
  for (const std::int64_t step : {3, 0}) s.at(4, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  EXPECT_THAT(s.told("progress_lost"), HasSubstr("from 3 back to 0: a chief that starts anew initialises the model"));
}

TEST(ProgressLost, tells_the_parameter_server_that_was_lost_and_once) {
  Story s = two_workers();
  const auto assigned = [&](double t, std::int64_t step) {
    s.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  };
  assigned(1, 3);
  s.at(2, ProcessEnded{kPs}).at(3, ProcessBegan{kPs, 1});
  assigned(4, 1);
  assigned(5, 2);
  assigned(6, 0);
  s.at(7, ProcessEnded{kPs});
  EXPECT_THAT(
      s.told("progress_lost"),
      HasSubstr("from 3 back to 1: the process of ps 0 had ended at 2.000 s with all that it held, and "
                "the chief restores its last checkpoint. At 6.000 s the global step went from 2 back to 0: a "
                "chief that starts anew initialises the model over what the parameter servers hold. To do: save "
                "checkpoints more often; save checkpoints, and give the chief their folder."));
}

}  // namespace
}  // namespace tarry
