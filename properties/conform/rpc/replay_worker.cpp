// A worker case: a program of calls, run in order.

#include <algorithm>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/outcome.hpp"
#include "properties/conform/rpc/replay.hpp"

namespace tarry::rpc {
namespace {

constexpr double kAfterStart = 0.25, kAfterCancel = 0.3, kWorkerPatience = 30, kInstant = 0.001;

// A call of the program.
struct Started {
  CallRef call;
  double began = 0, ended = 0;
  std::optional<Json> got;
};

class Program {
 public:
  explicit Program(Cluster& c) : c_(c) {}

  std::vector<std::string> run() {
    for (const Json& step : c_.the_case.at("steps")) {
      do_step(step);
      ++at_;
    }
    compare_calls();
    return differences_;
  }

 private:
  void do_step(const Json& step) {
    if (step.contains("call")) return call_and_wait(step);
    if (step.contains("start")) {
      started_[step.at("start").get<std::string>()] = start(step.at("method"), step.at("request"));
      return c_.pass(kAfterStart);
    }
    if (step.contains("await")) return await(step);
    if (step.contains("look_at")) return look(step);
    if (step.contains("cancel")) {
      if (const auto s = started(step.at("cancel")); s->call) s->call->cancel();
      return c_.pass(kAfterCancel);
    }
    if (step.contains("sleep_s")) c_.pass(seconds_at(step, "sleep_s", 0));
  }

  template <class Request>
  void issue(const Json& request, const std::shared_ptr<Started>& s) {
    s->call = call(*c_.directory, TaskId::none(), c_.real, read(request, c_.reading(), Request{}),
                   [this, s](StatusOr<typename Request::Response> r) {
                     s->got = plain(c_.to_symbols(outcome(c_.env, r)));
                     s->ended = c_.seconds();
                   });
  }

  std::shared_ptr<Started> start(const std::string& method, const Json& recorded) {
    using Issue = void (Program::*)(const Json&, const std::shared_ptr<Started>&);
    static const std::map<std::string, Issue> kIssue = {
        {"GetStatus", &Program::issue<GetStatusRequest>},
        {"CreateWorkerSession", &Program::issue<CreateWorkerSessionRequest>},
        {"DeleteWorkerSession", &Program::issue<DeleteWorkerSessionRequest>},
        {"RegisterGraph", &Program::issue<RegisterGraphRequest>},
        {"DeregisterGraph", &Program::issue<DeregisterGraphRequest>},
        {"RunGraph", &Program::issue<RunGraphRequest>},
        {"CleanupGraph", &Program::issue<CleanupGraphRequest>},
        {"CleanupAll", &Program::issue<CleanupAllRequest>},
        {"RecvTensor", &Program::issue<RecvTensorRequest>},
        {"Logging", &Program::issue<LoggingRequest>},
        {"Tracing", &Program::issue<TracingRequest>},
        {"MarkRecvFinished", &Program::issue<MarkRecvFinishedRequest>}};
    auto s = std::make_shared<Started>();
    s->began = c_.seconds();
    const auto issue = kIssue.find(method);
    if (issue == kIssue.end())
      s->got = Json{{"code", "tarry has no method " + method}};
    else
      (this->*issue->second)(c_.to_values(recorded), s);
    return s;
  }

  [[nodiscard]] const std::shared_ptr<Started>& started(const Json& name) const {
    const auto found = started_.find(name.get<std::string>());
    if (found == started_.end()) malformed("step {}: no call '{}' was started before", at_, name.get<std::string>());
    return found->second;
  }

  // The caller's deadline is not written down; a call that met it tells how long it was.
  static double deadline_of(const Json& got) {
    return got.value("code", "") == "DEADLINE_EXCEEDED" ? seconds_at(got, "took_s", kWorkerPatience) : kWorkerPatience;
  }

  void call_and_wait(const Json& step) {
    const auto s = start(step.at("call"), step.at("request"));
    c_.pass(deadline_of(step.at("got")), [&] { return s->got.has_value(); });
    if (!s->got) give_up(*s);
    compare(*s, step.at("got"));
    c_.pass(kInstant);
  }

  void give_up(Started& s) {
    const CallRef call = s.call;
    call->cancel();
    s.got = Json{{"code", "DEADLINE_EXCEEDED"}, {"message", "Deadline Exceeded"}};
    s.ended = c_.seconds();
  }

  void await(const Json& step) {
    const auto s = started(step.at("await"));
    const Json& got = step.at("got");
    if (!got.is_string()) {
      c_.pass(kWorkerPatience, [&] { return s->got.has_value(); });
      if (!s->got) return note("no answer, theirs " + got.dump());
      return compare(*s, got);
    }
    const std::string words = got.get<std::string>();  // "no answer in 2 s"
    c_.pass(number_in(words, "in "), [&] { return s->got.has_value(); });
    if (s->got) note(fmt::format("{}, theirs {}", s->got->dump(), words));
  }

  void look(const Json& step) {
    c_.pass(seconds_at(step, "after_s", 0));
    for (std::size_t i = 0; i < step.at("look_at").size(); ++i) {
      const Json& name = step.at("look_at").at(i);
      const bool answered = started(name)->got.has_value();
      if (answered != step.at("answered").at(i).get<bool>())
        note(fmt::format("{} is {}, theirs is not so", name.dump(), answered ? "answered" : "not answered"));
    }
  }

  void compare(const Started& s, Json theirs) {
    const double took = theirs.value("took_s", -1.0);
    theirs.erase("took_s");
    if (theirs.contains("payloads")) theirs["payloads"] = sorted_by_name(theirs["payloads"]);
    if (theirs.contains("/response/recv"_json_pointer))
      theirs["response"]["recv"] = sorted_by_name(theirs["response"]["recv"]);
    note(difference(*s.got, plain(theirs)));
    if (took >= 0) note(difference_of_times(s.ended - s.began, took, "took"));
  }

  void compare_calls() {
    std::vector<Json> ours, theirs;
    for (const auto& call : c_.stage->calls) {
      Json j{{"to", call->to}, {"method", method_name(call->method)}, {"request", call->request}};
      if (!call->reply.is_null()) j["reply"] = call->reply;
      if (call->cancelled_at >= 0) j["cancelled"] = true;
      if (j["request"].contains("request_id")) j["request"]["request_id"] = "$REQ";
      ours.push_back(plain(c_.to_symbols(j)));
    }
    for (const Json& call : c_.the_case.value("calls_by_the_worker", Json::array())) theirs.push_back(plain(call));
    note(difference_of_sets(ours, theirs));
  }

  void note(const std::string& d) {
    if (!d.empty()) differences_.push_back(fmt::format("step {}: {}", at_, d));
  }

  Cluster& c_;
  std::size_t at_ = 0;
  std::map<std::string, std::shared_ptr<Started>> started_;
  std::vector<std::string> differences_;
};

}  // namespace

StatusOr<std::vector<std::string>> replay_worker(const Json& the_case) {
  TARRY_ASSIGN(const auto cluster, Cluster::make(the_case));
  return Program(*cluster).run();
}

}  // namespace tarry::rpc
