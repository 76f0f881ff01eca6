#include "results/levels.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tarry {
namespace {

class LevelReader {
 public:
  std::vector<Level> run(const EventLog& log) {
    for (const LoggedEvent& e : log.events()) {
      at_ = e.at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    add_bytes();
    std::ranges::stable_sort(out_, {}, &Level::at);
    return std::move(out_);
  }

 private:
  using Key = std::tuple<TaskId, LevelKind, NameId, TaskId>;

  void on(const Enqueued& e) { change({at_, e.task, LevelKind::elements, e.queue, {}, 1}); }
  void on(const Dequeued& e) { change({at_, e.task, LevelKind::elements, e.queue, {}, -1}); }
  void on(const GradientPushed& e) {
    if (e.accepted) change({at_, e.task, LevelKind::gradients, e.accumulator, {}, 1});
  }
  void on(const AggregateTaken& e) { empty({e.task, LevelKind::gradients, e.accumulator, TaskId()}); }
  void on(const ProcessEnded& e) {
    for (const auto& [key, place] : last_)
      if (std::get<0>(key) == e.task) empty(key);
  }
  void on(const MessageDelivered& e) {
    send(e);
    changes_.push_back({at_, e.to, LevelKind::bytes, {}, e.from, -static_cast<std::int64_t>(e.bytes)});
  }
  void on(const MessageCutOff& e) { send(e); }
  template <class E>
  void on(const E&) {}

  template <class E>
  void send(const E& e) {
    changes_.push_back({e.sent, e.to, LevelKind::bytes, {}, e.from, static_cast<std::int64_t>(e.bytes)});
  }
  // A message is told when it arrives, so the moments of sending are not in order.
  void add_bytes() {
    std::ranges::stable_sort(changes_, {}, &Level::at);
    for (const Level& c : changes_) change(c);
  }
  void empty(const Key& key) {
    const auto it = last_.find(key);
    if (it == last_.end() || out_[it->second].value == 0) return;
    const auto& [task, kind, name, from] = key;
    change({at_, task, kind, name, from, -out_[it->second].value});
  }
  // `by.value` more.
  void change(Level by) {
    const auto [it, is_first] = last_.try_emplace({by.task, by.kind, by.name, by.from}, out_.size());
    if (!is_first) by.value += out_[it->second].value;
    if (!is_first && out_[it->second].at == by.at) {
      out_[it->second].value = by.value;
      return;
    }
    it->second = out_.size();
    out_.push_back(by);
  }

  Nanos at_ = 0;
  std::vector<Level> changes_;  // of bytes
  std::vector<Level> out_;
  std::map<Key, std::size_t> last_;  // the place in out_ of the last level of each
};

}  // namespace

std::vector<Level> read_levels(const EventLog& log) { return LevelReader().run(log); }

std::string_view label_of(LevelKind kind) {
  constexpr std::string_view kNames[] = {"elements in", "gradients in", "bytes from"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace tarry
