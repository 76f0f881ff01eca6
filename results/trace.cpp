#include "results/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "results/event_names.hpp"
#include "results/json_text.hpp"
#include "results/levels.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSends = "sends";
// How the names of a task's lanes begin, in the order in which they are shown.
constexpr std::string_view kOrder[] = {"client steps", "device:", kSends, "received from"};

class Tracer {
 public:
  Tracer(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  std::string run() {
    for (std::size_t t = 0; t < tasks_.names.size(); ++t) draw_task(TaskId{t});
    for (const LoggedEvent& e : log_.events()) {
      at_ = e.at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    draw_sends();
    for (const Level& level : read_levels(log_)) draw_level(level);
    return "{\"traceEvents\":[\n" + out_ + "\n]}\n";
  }

 private:
  static double micros(Nanos t) { return static_cast<double>(t) / 1e3; }

  void put(const Json& j) { out_ += (out_.empty() ? "" : ",\n") + json_text(j); }
  void meta(std::size_t pid, int tid, const char* what, Json args) {
    put({{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", what}, {"args", std::move(args)}});
  }
  void draw_task(TaskId task) {
    meta(task.index(), 0, "process_name", {{"name", tasks_.names[task.index()]}});
    meta(task.index(), 0, "process_sort_index", {{"sort_index", task.index()}});
    if (!tasks_.host(task).empty()) meta(task.index(), 0, "process_labels", {{"labels", tasks_.host(task)}});
  }
  void span(TaskId task, int lane, const std::string& name, const char* category, Nanos from, Nanos to, Json args) {
    put({{"ph", "X"},
         {"pid", task.value},
         {"tid", lane},
         {"name", name},
         {"cat", category},
         {"ts", micros(from)},
         {"dur", micros(to - from)},
         {"args", std::move(args)}});
  }
  void mark(TaskId task, const std::string& name, Json args) {
    put({{"ph", "i"},
         {"s", "p"},
         {"pid", task.value},
         {"tid", 0},
         {"name", name},
         {"ts", micros(at_)},
         {"args", std::move(args)}});
  }

  // The first lane of a group that is free at `from`; its name is written when it is first used.
  int lane(TaskId task, const std::string& group, Nanos from, Nanos to) {
    auto& ends = lanes_[{task, group}];
    for (auto& [id, end] : ends)
      if (end <= from) {
        end = to;
        return id;
      }
    const int id = new_lane(task, group);
    ends.emplace_back(id, to);
    return id;
  }
  int new_lane(TaskId task, const std::string& group) {
    const int id = ++last_lane_[task];
    meta(task.index(), id, "thread_name", {{"name", group}});
    const auto rank = std::ranges::find_if(kOrder, [&](auto first) { return group.starts_with(first); }) - kOrder;
    meta(task.index(), id, "thread_sort_index", {{"sort_index", rank * 1000 + id}});
    return id;
  }

  struct Step {
    Nanos began = 0;
    Purpose purpose = Purpose::other;
    TaskId task;
    bool is_over = false;
  };
  void on(const StepBegan& e) { steps_[e.step] = {at_, e.purpose, e.task}; }
  void on(const StepEnded& e) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    it->second.is_over = true;
    draw(e.step, it->second, fmt::format("{}", e.code));
  }
  void draw(StepId id, const Step& step, const std::string& code) {
    span(step.task, lane(step.task, "client steps", step.began, at_), std::string(label_of(step.purpose)), "step",
         step.began, at_, {{"step_id", fmt::format("{:x}", id.value)}, {"code", code}});
  }
  // What has not ended is drawn to the end of the run.
  void on(const RunEnded&) {
    for (const auto& [id, step] : steps_)
      if (!step.is_over) draw(id, step, "unfinished");
  }
  void on(const KernelCutOff& e) {
    const std::string device(log_.name(e.device));
    span(e.task, lane(e.task, device.substr(device.rfind("device:")), e.asked, at_), std::string(log_.name(e.op)),
         "kernel", e.asked, at_,
         {{"node", log_.name(e.node)}, {"step_id", fmt::format("{:x}", e.step.value)}, {"unfinished", true}});
  }
  void on(const MessageCutOff& e) { draw_message(e, true); }
  void on(const ConditionChanged& e) {
    const TaskId task = tasks_.find(log_.name(e.a));
    mark(task.valid() ? task : TaskId{0u}, std::string(log_.name(e.what)), {{"fault", log_.name(e.kind)}});
  }
  // Its client's open steps end with it.
  void on(const ProcessEnded& e) {
    mark(e.task, "process ends", Json::object());
    for (auto& [id, step] : steps_)
      if (step.task == e.task && !step.is_over) step.is_over = true, draw(id, step, "its process ended");
  }
  void on(const ProcessBegan& e) { mark(e.task, "process begins", Json::object()); }
  void on(const KernelRan& e) {
    const std::string device(log_.name(e.device));
    span(e.task, lane(e.task, device.substr(device.rfind("device:")), e.began, at_), std::string(log_.name(e.op)),
         "kernel", e.began, at_, {{"node", log_.name(e.node)}, {"step_id", fmt::format("{:x}", e.step.value)}});
  }
  void on(const MessageDelivered& e) { draw_message(e, false); }
  // "RecvTensor reply edge_7_w/read", at the receiver.
  template <class E>
  void draw_message(const E& e, bool is_cut_off) {
    std::string name(log_.name(e.kind));
    Json args{{"bytes", e.bytes}};
    if (e.step.value != 0) args["step_id"] = fmt::format("{:x}", e.step.value);
    if (const std::string_view key = log_.name(e.key); !key.empty()) {
      name += fmt::format(" {}", tensor_of(key));
      args["key"] = key;
    }
    if (is_cut_off) args["unfinished"] = true;
    const int receiver = lane(e.to, "received from " + tasks_.show(e.from), e.sent, at_);
    span(e.to, receiver, name, "message", e.sent, at_, std::move(args));
    if (!is_cut_off && e.sent < at_) draw_arrival(e, receiver, name);
  }
  // An arrow leads from what encloses its beginning to what encloses its end, so it ends within the message.
  template <class E>
  void draw_arrival(const E& e, int receiver, const std::string& name) {
    const std::size_t id = ++arrows_;
    put(arrow("f", id, e.to, receiver, at_ - 1));
    sends_[{e.from, e.sent}].push_back({id, name});
  }
  static Json arrow(const char* phase, std::size_t id, TaskId task, int lane, Nanos at) {
    Json j{{"ph", phase},   {"pid", task.value}, {"tid", lane},     {"name", "message"},
           {"cat", "flow"}, {"id", id},          {"ts", micros(at)}};
    if (*phase == 'f') j["bp"] = "e";
    return j;
  }
  // What a task sends in one instant is one thing of a nanosecond, from which an arrow leads to each receiver.
  void draw_sends() {
    std::map<TaskId, int> lanes;
    for (const auto& [from, sent] : sends_) {
      const auto& [task, at] = from;
      if (!lanes.contains(task)) lanes[task] = new_lane(task, kSends);
      span(task, lanes[task], sent.size() == 1 ? sent[0].second : fmt::format("{} messages", sent.size()), "send", at,
           at + 1, Json::object());
      for (const auto& [id, name] : sent) put(arrow("s", id, task, lanes[task], at));
    }
  }
  // "elements in sync_token_q", "bytes from ps 0".
  void draw_level(const Level& l) {
    const std::string what = l.kind == LevelKind::bytes ? tasks_.show(l.from) : std::string(log_.name(l.name));
    put({{"ph", "C"},
         {"pid", l.task.value},
         {"tid", 0},
         {"name", fmt::format("{} {}", label_of(l.kind), what)},
         {"ts", micros(l.at)},
         {"args", {{"value", l.value}}}});
  }
  void on(const GradientPushed& e) {
    mark(e.task, e.accepted ? "gradient accepted" : "gradient dropped",
         {{"accumulator", log_.name(e.accumulator)},
          {"from", tasks_.show(steps_[e.step].task)},
          {"local_step", e.local_step},
          {"accumulator_step", e.accumulator_step}});
  }
  void on(const AggregateTaken& e) {
    mark(e.task, "aggregate taken", {{"accumulator", log_.name(e.accumulator)}, {"averaged", e.averaged}});
  }
  void on(const LogLine& e) { mark(e.task, std::string(log_.name(e.text)), Json::object()); }
  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const TaskNames& tasks_;
  std::string out_;
  Nanos at_ = 0;
  std::map<StepId, Step> steps_;
  std::map<std::pair<TaskId, std::string>, std::vector<std::pair<int, Nanos>>> lanes_;
  std::map<TaskId, int> last_lane_;
  std::size_t arrows_ = 0;
  std::map<std::pair<TaskId, Nanos>, std::vector<std::pair<std::size_t, std::string>>> sends_;  // arrows and names
};

}  // namespace

std::string to_chrome_trace(const EventLog& log, const TaskNames& tasks) { return Tracer(log, tasks).run(); }

}  // namespace tarry
