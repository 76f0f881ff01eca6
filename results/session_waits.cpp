#include "results/session_waits.hpp"

#include <algorithm>
#include <string_view>

#include "results/event_reader.hpp"

namespace tarry {
namespace {

constexpr std::string_view kStillWaiting = "CreateSession still waiting for response from worker: ";
constexpr Nanos kPeriod = 10 * kSecond;  // from the beginning of a wait to its first line

class SessionWaitReader {
 public:
  SessionWaitReader(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  std::vector<SessionWait> run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
    }
    std::ranges::stable_sort(out_, {}, &SessionWait::from);
    return std::move(out_);
  }

  void on(const LogLine& line) {
    const std::string_view text = log_.name(line.text);
    if (!text.starts_with(kStillWaiting)) return;
    const TaskId awaited = tasks_.find(text.substr(kStillWaiting.size()));
    const auto is_known = [&](const SessionWait& w) {
      return w.client == line.task && w.awaited == awaited && w.to < 0;
    };
    if (awaited.valid() && std::ranges::none_of(out_, is_known))
      out_.push_back({line.task, awaited, std::max<Nanos>(0, now_ - kPeriod)});
  }
  void on(const SessionMoved& e) { end(e.task); }
  void on(const ProcessEnded& e) { end(e.task); }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  void end(TaskId client) {
    for (SessionWait& w : out_)
      if (w.client == client && w.to < 0) w.to = std::max<Nanos>(0, now_);
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  Nanos now_ = 0;
  std::vector<SessionWait> out_;
};

}  // namespace

std::vector<SessionWait> read_session_waits(const EventLog& log, const TaskNames& tasks) {
  return SessionWaitReader(log, tasks).run();
}

}  // namespace tarry
