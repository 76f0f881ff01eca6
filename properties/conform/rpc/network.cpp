#include "properties/conform/rpc/network.hpp"

#include <algorithm>
#include <regex>

#include "properties/conform/checked.hpp"
#include "workers/worker/silent_worker.hpp"

namespace tarry::rpc {
namespace {

// When the first call of the step reached the task.
double first_arrival(const Json& step, const std::string& task) {
  double first = 0;
  bool found = false;
  for (const Json& call : step.value("calls", Json::array()))
    if (call.at("to") == task && call.contains("at_s") && (!std::exchange(found, true) || call.at("at_s") < first))
      first = seconds_at(call, "at_s", 0);
  return first;
}

// Rules that only a case's notes tell: "After mend the only rule is: RunGraph of worker:1 takes 0.3 s."
void apply_notes(Stage& stage, const Json& notes) {
  std::smatch m;
  const std::string text = notes.dump();
  if (!std::regex_search(text, m, std::regex(R"(After mend the only rule is: (\w+) of ([\w:]+) takes ([\d.]+) s)")))
    return;
  stage.rules = Json::array(
      {{{"method", m[1].str()}, {"task", m[2].str()}, {"delay_s", seconds_within(number_in(m[3].str()), "notes")}}});
}

}  // namespace

void Network::act(const Json& deed, const Json& step) {
  const std::string what = deed.at("harness"), task = deed.at("task");
  if (!c_.the_case.at("setup").at("fake_tasks").contains(task)) malformed("harness: '{}' is no fake task", task);
  if (what == "cut")
    c_.env.after(nanos(seconds_at(deed, "after_s", 0)),
                 [this, task, how = deed.value("how", std::string("closed"))] { cut(task, how); });
  if (what == "restart") {
    cut(task, "closed");
    c_.env.after(nanos(seconds_at(deed, "down_s", 0)), [this, task] { mend(task, true); });
  }
  if (what != "mend") return;
  apply_notes(*c_.stage, c_.the_case.value("notes", Json()));
  c_.env.after(nanos(first_arrival(step, task)),
               [this, task, is_new = deed.value("restarted", false)] { mend(task, is_new); });
}

void Network::put(const std::string& task, std::unique_ptr<WorkerService> service) {
  if (service)
    c_.directory->start(id(task), std::move(service));
  else
    c_.directory->workers[id(task).index()] = nullptr;
}

void Network::cut(const std::string& task, const std::string& how) {
  auto fake = std::move(c_.directory->workers[id(task).index()]);
  if (!fake) return;
  if (how == "silent")
    fall_silent(*fake);
  else
    break_connections(*fake, how == "reset" ? "Connection reset by peer" : "Socket closed");
  away_[task] = std::move(fake);
  put(task, how == "silent" ? std::make_unique<SilentWorker>() : nullptr);
}

void Network::mend(const std::string& task, bool is_new) {
  auto old = std::exchange(away_[task], nullptr);
  if (!is_new) return put(task, std::move(old));
  c_.stage->gone.push_back(std::move(old));
  put(task, start_fake(*c_.stage, make_fake(*c_.directory, task, c_.the_case.at("setup").at("fake_tasks").at(task),
                                            ++c_.restarts[task])));
}

}  // namespace tarry::rpc
