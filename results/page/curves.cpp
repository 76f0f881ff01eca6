// The curves of a report page: counts that go up and down in the course of a run.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "results/page/charts.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
using Points = std::vector<std::pair<Nanos, std::int64_t>>;

class Curve {
 public:
  Curve(const char* name, const char* meaning) : name_(name), meaning_(meaning) {}

  void add(Nanos at, std::int64_t n) { set(at, value_ + n); }
  void set(Nanos at, std::int64_t value) {
    value_ = value;
    if (!points_.empty() && points_.back().first == at) points_.pop_back();
    points_.emplace_back(at, value);
  }

  // Nothing happened, or nothing but 0.
  [[nodiscard]] bool is_flat() const {
    return std::ranges::all_of(points_, [](const auto& p) { return p.second == 0; });
  }
  [[nodiscard]] Json chart(Nanos whole) const {
    const Nanos each =
        points_.size() <= kMostPoints ? 0 : std::max<Nanos>(1, 2 * whole / static_cast<Nanos>(kMostPoints) + 1);
    Json points = Json::array();
    for (const auto& [at, value] : each == 0 ? points_ : sampled(each)) points.push_back({at, value});
    return {{"name", name_}, {"meaning", meaning_}, {"each", each}, {"points", points}};
  }

 private:
  // The least and the greatest of each stretch, in the order of time.
  [[nodiscard]] Points sampled(Nanos each) const {
    Points out;
    for (auto from = points_.begin(); from != points_.end();) {
      const Nanos until = (from->first / each + 1) * each;
      const auto to = std::find_if(from, points_.end(), [&](const auto& p) { return p.first >= until; });
      const auto [least, most] =
          std::minmax_element(from, to, [](const auto& a, const auto& b) { return a.second < b.second; });
      out.push_back(std::min(*least, *most));
      if (least != most) out.push_back(std::max(*least, *most));
      from = to;
    }
    return out;
  }

  const char *name_, *meaning_;
  std::int64_t value_ = 0;
  Points points_;
};

class Counter {
 public:
  Counter(const EventLog& log, const Contributions& c) : log_(log), contributions_(c) {
    for (const LoggedEvent& e : log.events()) {
      at_ = e.at - log.started_at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
  }

  Json charts() const {
    Json out = Json::array();
    for (const Curve* c : {&tokens_, &gradients_, &steps_, &processes_})
      if (!c->is_flat()) out.push_back(c->chart(log_.ended_at - log_.started_at));
    return out;
  }

 private:
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train && open_.emplace(e.step, e.task).second) steps_.add(at_, 1);
  }
  void on(const StepEnded& e) {
    if (open_.erase(e.step) > 0) steps_.add(at_, -1);
  }
  void on(const Enqueued& e) {
    if (log_.name(e.queue) != contributions_.token_queue) return;
    tokens_.add(at_, 1);
    token_task_ = e.task;
  }
  void on(const Dequeued& e) {
    if (log_.name(e.queue) == contributions_.token_queue) tokens_.add(at_, -1);
  }
  [[nodiscard]] bool is_first(NameId accumulator) const {
    return !contributions_.accumulators.empty() && log_.name(accumulator) == contributions_.accumulators[0].name;
  }
  void on(const GradientPushed& e) {
    if (!is_first(e.accumulator)) return;
    accumulator_task_ = e.task;
    if (e.accepted) gradients_.add(at_, 1);
  }
  void on(const AggregateTaken& e) {
    if (is_first(e.accumulator)) gradients_.set(at_, 0);
  }
  // What it held is gone with it.
  void on(const ProcessEnded& e) {
    processes_.add(at_, -1);
    steps_.add(at_,
               -static_cast<std::int64_t>(std::erase_if(open_, [&](const auto& s) { return s.second == e.task; })));
    if (e.task == token_task_) tokens_.set(at_, 0);
    if (e.task == accumulator_task_) gradients_.set(at_, 0);
  }
  void on(const ProcessBegan& e) {
    if (e.number > 0) processes_.add(at_, 1);
  }
  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const Contributions& contributions_;
  Nanos at_ = 0;
  TaskId token_task_, accumulator_task_;
  std::map<StepId, TaskId> open_;
  Curve tokens_{"tokens", "in the token queue"};
  Curve gradients_{"gradients", "accepted by the first accumulator, and not yet taken"};
  Curve steps_{"steps", "training steps that have begun and not ended"};
  Curve processes_{"processes", "more or fewer than at the start"};
};

}  // namespace

Json curves_chart(const EventLog& log, const Contributions& c) { return Counter(log, c).charts(); }

}  // namespace tarry
