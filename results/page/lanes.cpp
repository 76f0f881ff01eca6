#include "results/page/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "results/event_names.hpp"

namespace tarry {
namespace {

constexpr Nanos kFinest = 65'536;  // parts of a run

struct LaneKey {
  TaskId task;  // of steps and kernels; none for links, which come last
  LaneKind kind = LaneKind::steps;
  std::string label;
  friend auto operator<=>(const LaneKey&, const LaneKey&) = default;
};

class Reader {
 public:
  Reader(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks), by_host_(count_links() > kMostLinks) {
    for (const LoggedEvent& e : log.events()) {
      at_ = e.at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    for (const auto& [id, step] : steps_)
      if (step.ended < 0) put_step(step, log_.ended_at, "not over");
  }

  TimeLine take() {
    TimeLine out;
    for (auto& [key, blocks] : lanes_) {
      std::ranges::stable_sort(blocks, {}, [](const Block& b) { return std::pair(b.from, b.to); });
      out.lanes.push_back({key.kind, key.label, blocks.size(), std::move(blocks)});
    }
    out.names = std::move(names_);
    return out;
  }

 private:
  struct Step {
    TaskId task;
    std::uint64_t number = 0;
    Nanos began = 0, ended = -1;
    bool pushed = false, dropped = false;
  };

  [[nodiscard]] std::pair<std::string_view, std::string_view> hosts(TaskId from, TaskId to) const {
    return {tasks_.host(from), tasks_.host(to)};
  }
  [[nodiscard]] std::size_t count_links() const {
    std::set<std::pair<std::string_view, std::string_view>> links;
    for (const LoggedEvent& e : log_.events())
      if (const auto* m = std::get_if<MessageDelivered>(&e.event)) links.insert(hosts(m->from, m->to));
    std::erase_if(links, [](const auto& l) { return l.first == l.second; });
    return links.size();
  }

  std::uint32_t name(std::string text, std::string group) {
    const auto [it, is_new] = ids_.try_emplace({text, group}, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back({std::move(text), std::move(group)});
    return it->second;
  }
  // A name that log ids tell apart: its text is made once.
  template <class Make>
  std::uint32_t known_name(NameId a, NameId b, const Make& make) {
    const auto [it, is_new] = by_ids_.try_emplace({a, b}, 0);
    if (is_new) it->second = make();
    return it->second;
  }

  void put(const LaneKey& key, Nanos from, Nanos to, std::uint32_t name, std::uint64_t amount) {
    if (from < to) lanes_[key].push_back({from - log_.started_at, to - log_.started_at, name, 1, amount});
  }

  void put_step(const Step& s, Nanos ended, const std::string& end) {
    put({s.task, LaneKind::steps, tasks_.show(s.task)}, s.began, ended, name(fmt::format("step {}", s.number), end),
        static_cast<std::uint64_t>(ended - s.began));
  }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train) steps_[e.step] = {e.task, ++begun_[e.task], at_};
  }
  void on(const GradientPushed& e) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    it->second.pushed = true;
    it->second.dropped |= !e.accepted;
  }
  void on(const StepEnded& e) {
    const auto it = steps_.find(e.step);
    if (it == steps_.end()) return;
    Step& s = it->second;
    s.ended = at_;
    put_step(s, at_, e.code != 0 ? "failed" : s.dropped ? "gradient dropped" : s.pushed ? "gradient accepted" : "done");
  }

  // Its client is gone, and its open steps with it.
  void on(const ProcessEnded& e) {
    for (auto& [id, s] : steps_)
      if (s.task == e.task && s.ended < 0) {
        s.ended = at_;
        put_step(s, at_, "its process ended");
      }
  }

  template <class E>
  void put_kernel(const E& e, Nanos from) {
    const std::string_view device = log_.name(e.device);
    const std::uint32_t id =
        known_name(e.node, e.op, [&] { return name(std::string(log_.name(e.node)), std::string(log_.name(e.op))); });
    const std::string label = fmt::format("{} {}", tasks_.show(e.task), device.substr(device.rfind("device:") + 7));
    put({e.task, LaneKind::kernels, label}, from, at_, id, static_cast<std::uint64_t>(at_ - from));
  }
  void on(const KernelRan& e) { put_kernel(e, e.began); }
  void on(const KernelCutOff& e) { put_kernel(e, e.asked); }

  template <class E>
  void put_message(const E& e) {
    const auto [a, b] = hosts(e.from, e.to);
    if (a == b && !a.empty()) return;
    const std::uint32_t id = known_name(e.kind, e.key, [&] {
      const std::string kind(log_.name(e.kind)), tensor(tensor_of(log_.name(e.key)));
      return name(tensor.empty() ? kind : kind + " " + tensor, kind);
    });
    put({{}, LaneKind::messages, by_host_ ? fmt::format("from {}", a) : fmt::format("{} to {}", a, b)}, e.sent, at_, id,
        e.bytes);
  }
  void on(const MessageDelivered& e) { put_message(e); }
  void on(const MessageCutOff& e) { put_message(e); }
  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const TaskNames& tasks_;
  const bool by_host_;
  Nanos at_ = 0;
  std::map<StepId, Step> steps_;
  std::map<TaskId, std::uint64_t> begun_;
  std::map<LaneKey, std::vector<Block>> lanes_;
  std::vector<BlockName> names_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> ids_;
  std::map<std::pair<NameId, NameId>, std::uint32_t> by_ids_;
};

// ---- a coarser resolution ----

void add_to(Block& all, const Block& b, Nanos& longest) {
  if (b.to - b.from > longest) {
    longest = b.to - b.from;
    all.name = b.name;
  }
  all.to = std::max(all.to, b.to);
  all.count += b.count;
  all.amount += b.amount;
}

std::vector<Block> coarser(const std::vector<Block>& blocks, Nanos resolution) {
  std::vector<Block> out;
  std::size_t open = 0;                                          // the block of the short ones, in `out`
  Nanos until = std::numeric_limits<Nanos>::min(), longest = 0;  // a block may begin before the start
  for (const Block& b : blocks) {
    const bool is_short = b.to - b.from < resolution;
    if (is_short && b.from < until) {
      add_to(out[open], b, longest);
      continue;
    }
    if (is_short) {
      open = out.size();
      until = (b.from / resolution + 1) * resolution;
      longest = b.to - b.from;
    }
    out.push_back(b);
  }
  return out;
}

std::size_t count_blocks(const std::vector<Lane>& lanes) {
  std::size_t n = 0;
  for (const Lane& lane : lanes) n += lane.blocks.size();
  return n;
}

// Names that no block has are left out.
void keep_used_names(TimeLine& line) {
  constexpr std::uint32_t kUnused = 0xffffffff;
  std::vector<std::uint32_t> numbers(line.names.size(), kUnused);
  std::vector<BlockName> used;
  for (Lane& lane : line.lanes)
    for (Block& b : lane.blocks) {
      std::uint32_t& number = numbers[b.name];
      if (number == kUnused) {
        number = static_cast<std::uint32_t>(used.size());
        used.push_back(std::move(line.names[b.name]));
      }
      b.name = number;
    }
  line.names = std::move(used);
}

}  // namespace

TimeLine time_line(const EventLog& log, const TaskNames& tasks, std::size_t most_blocks) {
  TimeLine line = Reader(log, tasks).take();
  const Nanos whole = log.ended_at - log.started_at;
  for (Nanos r = std::max<Nanos>(1, whole / kFinest); count_blocks(line.lanes) > most_blocks && r / 2 <= whole;
       r *= 2) {
    line.resolution = r;
    for (Lane& lane : line.lanes) lane.blocks = coarser(lane.blocks, r);
  }
  keep_used_names(line);
  return line;
}

}  // namespace tarry
