// The lines that go with a step's error.

#include "workers/worker/worker_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/kernels/logged_error.hpp"

namespace tarry {
namespace {

// What a client hears of an error after those lines; "I..." are informations.
std::string heard(std::size_t forwarded, const std::vector<std::string>& lines, Status s = invalid("it broke")) {
  FakeEnv env;
  WorkerLog log(env, TaskId{0u}, forwarded);
  for (const std::string& line : lines) log.add(line[0], line);
  return std::string(text_of(log.with_recent_warnings(std::move(s))));
}

TEST(WorkerLog, sends_the_newest_warnings_and_errors_with_an_error) {
  EXPECT_EQ(heard(2, {"Wa", "Ib", "Ec", "Wd"}), "it broke\nRecent warning and error logs:\n  Ec\n  Wd");
  EXPECT_EQ(heard(3, {"Wa", "Ib", "Ec", "Wd"}), "it broke\nRecent warning and error logs:\n  Wa\n  Ec\n  Wd");
  EXPECT_EQ(heard(2, {"Ia"}), "it broke") << "an information does not go with it";
  EXPECT_EQ(heard(0, {"Wa"}), "it broke") << "none are to be sent";
  EXPECT_EQ(heard(2, {"Wa"}, Status()), "") << "no error";
}

TEST(WorkerLog, has_the_line_that_a_kernel_logs_with_its_error) {
  EXPECT_EQ(heard(2, {"Wa"}, as_logged(invalid("it broke"), "some_op.cc:7")),
            "it broke\nRecent warning and error logs:\n  Wa\n  OP_REQUIRES failed at some_op.cc:7 : INVALID_ARGUMENT: "
            "it broke");
}

TEST(WorkerLog, notes_every_line_with_its_level) {
  FakeEnv env;
  WorkerLog log(env, TaskId{3u}, 0);
  log.add('I', "a");
  log.add('E', "b");
  std::vector<std::string> noted;
  for (const auto& [at, event] : env.events) {
    const auto& line = std::get<LogLine>(event);
    noted.push_back(fmt::format("{} {} {}", line.task.index(), line.level, env.text(line.text)));
  }
  EXPECT_THAT(noted, testing::ElementsAre("3 I a", "3 E b"));
}

}  // namespace
}  // namespace tarry
