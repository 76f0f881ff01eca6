#include "workers/worker/recv_schedule.hpp"

#include <absl/container/flat_hash_map.h>

#include <queue>

namespace tarry {
namespace {

constexpr std::int64_t kEpochs = 100, kPrefetch = 6;
constexpr char kStartTime[] = "_start_time";

std::string_view producer(std::string_view input) {
  if (input.starts_with('^')) return input.substr(1);
  return input.substr(0, input.find(':'));
}

class TimeOrder {
 public:
  explicit TimeOrder(const GraphSpec& part) : part_(part), pending_(part.nodes.size(), 0), consumers_(part.nodes.size()) {}

  StatusOr<std::vector<TimedNode>> run() {
    for (std::size_t i = 0; i < part_.nodes.size(); ++i) {
      const auto* start = part_.nodes[i].attrs.get<std::int64_t>(kStartTime);
      if (start == nullptr) return error(Code::kNotFound, "No attr named '{}' in NodeDef:", kStartTime);
      start_.push_back(*start);
      index_.emplace(part_.nodes[i].name, i);
    }
    for (std::size_t i = 0; i < part_.nodes.size(); ++i) wait_for_inputs(i);
    for (std::size_t i = 0; i < part_.nodes.size(); ++i)
      if (pending_[i] == 0) push(i);
    while (!ready_.empty()) pop();
    return std::move(order_);
  }

 private:
  struct Ready {
    std::int64_t start;
    std::uint64_t turn;
    std::size_t node;
    bool operator>(const Ready& o) const { return std::pair(start, turn) > std::pair(o.start, o.turn); }
  };

  void wait_for_inputs(std::size_t node) {
    const bool is_merge = part_.nodes[node].op.ends_with("Merge");
    for (const std::string& input : part_.nodes[node].inputs) {
      const std::size_t from = index_.at(producer(input));
      if (is_merge && part_.nodes[from].op.ends_with("NextIteration")) continue;
      consumers_[from].push_back(node);
      ++pending_[node];
    }
  }

  void push(std::size_t node) { ready_.push({start_[node], turns_++, node}); }

  void pop() {
    const Ready now = ready_.top();
    ready_.pop();
    order_.push_back({now.node, now.start});
    for (const std::size_t next : consumers_[now.node]) {
      if (start_[next] <= now.start) start_[next] = now.start + 1;
      if (--pending_[next] == 0) push(next);
    }
  }

  const GraphSpec& part_;
  std::vector<std::int64_t> start_;
  std::vector<std::size_t> pending_;
  std::vector<std::vector<std::size_t>> consumers_;
  absl::flat_hash_map<std::string_view, std::size_t> index_;  // looked up, never iterated
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::uint64_t turns_ = 0;
  std::vector<TimedNode> order_;
};

std::vector<NodeSpec> marks_of(const GraphSpec& part, const std::vector<TimedNode>& order, std::int64_t epoch, std::uint64_t& counter) {
  std::vector<NodeSpec> marks;
  for (std::size_t next = 0; next < order.size() && std::ssize(marks) < kEpochs;) {
    const std::int64_t at = std::ssize(marks) * epoch;
    if (order[next].start < at) {
      ++next;
      continue;
    }
    marks.push_back({fmt::format("synch_{}_G{}", marks.size(), counter++), "ControlTrigger", part.nodes[0].device, {}, {{kStartTime, at}}});
    if (next > 0) marks.back().inputs.push_back("^" + part.nodes[order[next - 1].node].name);
  }
  return marks;
}

void hold_receives(GraphSpec& part, const std::vector<TimedNode>& order, std::int64_t epoch, const std::vector<NodeSpec>& marks) {
  for (const TimedNode& t : order)
    if (NodeSpec& n = part.nodes[t.node]; n.op == "_Recv" && t.start / epoch >= kPrefetch) n.inputs.push_back("^" + marks[static_cast<std::size_t>(t.start / epoch - kPrefetch)].name);
}

}  // namespace

StatusOr<std::vector<TimedNode>> by_start_time(const GraphSpec& part) { return TimeOrder(part).run(); }

Status schedule_receives(GraphSpec& part, std::uint64_t& counter) {
  TARRY_ASSIGN(const std::vector<TimedNode> order, by_start_time(part));
  if (order.empty()) return {};
  const std::int64_t epoch = order.back().start / kEpochs + 1;
  std::vector<NodeSpec> marks = marks_of(part, order, epoch, counter);
  hold_receives(part, order, epoch, marks);
  part.nodes.insert(part.nodes.end(), std::make_move_iterator(marks.begin()), std::make_move_iterator(marks.end()));
  return {};
}

}  // namespace tarry
