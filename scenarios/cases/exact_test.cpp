// Recordings are judged with messages to the letter (Directory::is_exact), jobs run without: the same happens in both.

#include <gtest/gtest.h>

#include "scenarios/cases/find_case.hpp"
#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

template <class T>
std::string field_text(const EventLog& log, const T& v) {
  if constexpr (std::is_same_v<T, NameId>)
    return std::string(log.name(v));
  else if constexpr (requires { v.value; })
    return fmt::format("{}", v.value);
  else
    return fmt::format("{}", static_cast<std::int64_t>(v));
}

// With names as text: in the two modes they have other numbers.
std::string event_text(const EventLog& log, const LoggedEvent& logged) {
  std::string text = fmt::format("{}: event {}", logged.at, logged.event.index());
  const auto add_fields = [&]<class E>(const E& e) {
    std::apply([&](auto... field) { ((text += " " + field_text(log, e.*field)), ...); }, E::kFields);
  };
  std::visit(add_fields, logged.event);
  return text;
}

// Only the exact mode logs it.
bool is_scanning(const EventLog& log, const LoggedEvent& logged) {
  const auto* line = std::get_if<LogLine>(&logged.event);
  return line != nullptr && log.name(line->text).starts_with("Scanning workers for devices:");
}

// Graphs to the letter have other sizes.
LoggedEvent without_graph_size(const EventLog& log, LoggedEvent logged) {
  auto* m = std::get_if<MessageDelivered>(&logged.event);
  if (m != nullptr && log.name(m->kind) == "RegisterGraph request") m->bytes = 0;
  return logged;
}

// A size takes time where bandwidth is limited and where threads copy: there it would be another run. What then takes
// no time at all does more steps than anybody needs to see.
Job job_without_limits(const std::string& name, bool is_exact) {
  Job job = job_for(shipped(name)).value();
  job.is_exact = is_exact;
  job.stop.began = 1'000;
  free_bandwidth(job.cluster);
  job.cluster.network.transport = {};
  return job;
}

EventLog log_of(const std::string& name, bool is_exact) {
  auto outcome = run_apart(job_without_limits(name, is_exact));
  check(outcome.ok(), name.c_str());
  return std::move(outcome->log);
}

std::vector<LoggedEvent> compared(const EventLog& log) {
  std::vector<LoggedEvent> events;
  for (const LoggedEvent& e : log.events())
    if (!is_scanning(log, e)) events.push_back(without_graph_size(log, e));
  return events;
}

class ExactMessages : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenario, ExactMessages, ::testing::ValuesIn(case_names(kCases)),
                         [](const auto& info) { return info.param; });

TEST_P(ExactMessages, tell_the_same_events) {
  const EventLog plain = log_of(GetParam(), false), exact = log_of(GetParam(), true);
  const std::vector<LoggedEvent> a = compared(plain), b = compared(exact);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(event_text(plain, a[i]), event_text(exact, b[i]));
  EXPECT_EQ(plain.ended_at, exact.ended_at);
}

}  // namespace
}  // namespace tarry
