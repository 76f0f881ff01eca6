#include "placer/partition/recv_schedule.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

namespace tarry {
namespace {

constexpr std::int64_t kEpochs = 100, kPrefetch = 6;

bool is_next_iteration(const NodeSpec& n) { return n.op == "NextIteration" || n.op == "RefNextIteration"; }
bool is_merge(const NodeSpec& n) { return n.op == "Merge" || n.op == "RefMerge"; }

std::string_view source_of(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

// The nodes of a part, ready ones in order of time.
class TimeOrder {
 public:
  explicit TimeOrder(const GraphSpec& part)
      : nodes_(part.nodes), start_(part.nodes.size()), pending_(part.nodes.size()), consumers_(part.nodes.size()) {}

  StatusOr<std::vector<TimedNode>> run() {
    TARRY_RETURN_IF_ERROR(read_times());
    connect();
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (pending_[n] == 0) put_ready(n);
    while (!ready_.empty()) take_next();
    return std::move(order_);
  }

 private:
  Status read_times() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto* start = nodes_[n].attrs.get<std::int64_t>(kStartTime);
      if (start == nullptr) return error(Code::kNotFound, "No attr named '{}' in NodeDef:", kStartTime);
      start_[n] = *start;
    }
    return {};
  }

  void connect() {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t n = 0; n < nodes_.size(); ++n) index.emplace(nodes_[n].name, n);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (const std::string& input : nodes_[n].inputs) {
        const auto source = index.find(source_of(input));
        if (source == index.end()) continue;
        consumers_[source->second].push_back(n);
        if (!is_back_edge(source->second, n)) ++pending_[n];
      }
  }

  [[nodiscard]] bool is_back_edge(std::size_t from, std::size_t to) const {
    return is_merge(nodes_[to]) && is_next_iteration(nodes_[from]);
  }

  void put_ready(std::size_t n) { ready_.emplace(start_[n], turns_++, n); }

  void take_next() {
    const auto [start, turn, n] = ready_.top();
    ready_.pop();
    order_.push_back({n, start});
    for (const std::size_t c : consumers_[n]) {
      if (is_back_edge(n, c)) continue;
      start_[c] = std::max(start_[c], start + 1);
      if (--pending_[c] == 0) put_ready(c);
    }
  }

  using Entry = std::tuple<std::int64_t, std::size_t, std::size_t>;  // its start, when it became ready, the node
  const std::vector<NodeSpec>& nodes_;
  std::vector<std::int64_t> start_;
  std::vector<std::size_t> pending_;
  std::vector<std::vector<std::size_t>> consumers_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  std::size_t turns_ = 0;
  std::vector<TimedNode> order_;
};

// A trigger for each epoch that begins before the last node starts.
std::vector<NodeSpec> triggers(const GraphSpec& part, const std::vector<TimedNode>& order, std::int64_t resolution,
                               const std::string& device,
                               const std::function<std::string(std::string_view)>& new_name) {
  std::vector<NodeSpec> all;
  std::size_t before = 0;  // nodes that start before the epoch
  for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    while (before < order.size() && order[before].start < epoch * resolution) ++before;
    if (before == order.size()) break;
    NodeSpec trigger{
        new_name(fmt::format("synch_{}", epoch)), "ControlTrigger", device, {}, {{kStartTime, epoch * resolution}}};
    if (before > 0) trigger.inputs.push_back("^" + part.nodes[order[before - 1].node].name);
    all.push_back(std::move(trigger));
  }
  return all;
}

}  // namespace

StatusOr<std::vector<TimedNode>> in_order_of_time(const GraphSpec& part) { return TimeOrder(part).run(); }

Status schedule_receives(GraphSpec& part, const std::string& device,
                         const std::function<std::string(std::string_view)>& new_name) {
  TARRY_ASSIGN(const std::vector<TimedNode> order, in_order_of_time(part));
  if (order.empty()) return {};
  const std::int64_t resolution = order.back().start / kEpochs + 1;
  const std::vector<NodeSpec> added = triggers(part, order, resolution, device, new_name);
  for (const TimedNode& n : order) {
    const std::int64_t waits_for = n.start / resolution - kPrefetch;
    if (part.nodes[n.node].op == "_Recv" && waits_for >= 0 && waits_for < std::ssize(added))
      part.nodes[n.node].inputs.push_back("^" + added[static_cast<std::size_t>(waits_for)].name);
  }
  part.nodes.insert(part.nodes.end(), added.begin(), added.end());
  return {};
}

}  // namespace tarry
