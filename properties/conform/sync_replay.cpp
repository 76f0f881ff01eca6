#include "properties/conform/sync_replay.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "properties/conform/checked.hpp"
#include "workers/state/accumulator.hpp"
#include "workers/state/fifo_queue.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

struct Happening {
  double at = 0;
  int order = 0;  // at equal times: pushes before takes
  std::string variable;
  int worker = -1, push = -1;  // -1 = a take
};

double time_from(const Json& t) { return within(t.get<double>(), -kLongestSeconds, kLongestSeconds, "a time"); }

struct Played {
  std::unique_ptr<Accumulator> accumulator;
  std::vector<std::vector<std::int64_t>> vectors;
  std::vector<std::int64_t> open;  // accepted since the last take, per worker
  int takes_done = 0;
};

class Replay {
 public:
  Replay(const Json& rep, const RecordedConfig& c)
      : rep_(rep), c_(c), tokens_("sync_token_q", -1), received_(c.workers), pushed_(c.workers), local_(c.workers) {
    for (int w = 0; w < c.workers; ++w) {
      const auto& first = rep.at("first_local_step");
      if (first.contains(std::to_string(w))) local_[w].push_back(first.at(std::to_string(w)));
    }
  }

  std::string run() {
    collect();
    enqueue(c_.num_tokens.value_or(c_.replicas), 0);
    for (const Happening& h : happenings_) h.worker < 0 ? take(h) : push(h);
    return compare();
  }

 private:
  [[nodiscard]] Happening push_from(const Json& p, const std::string& variable) const;
  void collect();
  void push(const Happening& h);
  void take(const Happening& h);
  void finish_take(Played& v);
  void enqueue(int n, std::int64_t value);
  void dequeue(int worker);
  [[nodiscard]] std::string compare() const;
  [[nodiscard]] bool has_near_pushes(const std::string& variable) const;

  const Json& rep_;
  const RecordedConfig& c_;
  std::vector<Happening> happenings_;
  std::map<std::string, Played> variables_;
  FifoQueue tokens_;
  CancellationManager step_;
  std::vector<std::vector<std::int64_t>> received_;
  std::vector<std::map<int, int>> pushed_;        // per worker: push -> variables that have it
  std::vector<std::vector<std::int64_t>> local_;  // per worker: local step of push n
  std::int64_t aggregates_ = 0;
};

Happening Replay::push_from(const Json& p, const std::string& variable) const {
  constexpr std::int64_t kMostPushes = 10'000'000;
  return {time_from(p.at(2)), 0, variable, static_cast<int>(integer_within(p.at(0), 0, c_.workers - 1, "push_order")),
          static_cast<int>(integer_within(p.at(1), 0, kMostPushes, "push_order"))};
}

void Replay::collect() {
  for (const auto& [name, v] : rep_.at("variables").items()) {
    auto& own = variables_[name];
    own.accumulator = std::make_unique<Accumulator>(name, DataType::kFloat, Shape::unknown(), Reduction::mean, false);
    own.open.assign(static_cast<std::size_t>(c_.workers), 0);
    for (const Json& p : v.at("push_order")) happenings_.push_back(push_from(p, name));
    for (const Json& t : v.at("take_issued")) happenings_.push_back({time_from(t), 1, name, -1, -1});
  }
  std::ranges::stable_sort(happenings_, {}, [](const Happening& h) { return std::pair(h.at, h.order); });
}

void Replay::push(const Happening& h) {
  Played& v = variables_[h.variable];
  if (std::cmp_greater_equal(h.push, local_[h.worker].size()))
    return;  // its token never came here: a difference shows in the tokens
  const bool accepted = local_[h.worker][h.push] >= v.accumulator->step();
  v.open[h.worker] += accepted ? 1 : 0;
  (void)v.accumulator->apply(local_[h.worker][h.push], make_shape_only(DataType::kFloat, Shape()));
  if (std::cmp_equal(++pushed_[h.worker][h.push], variables_.size())) dequeue(h.worker);
}

void Replay::take(const Happening& h) {
  Played& v = variables_[h.variable];
  v.accumulator->take(c_.replicas, step_, [this, &v](StatusOr<std::vector<TensorRef>>) { finish_take(v); });
}

void Replay::finish_take(Played& v) {
  v.vectors.push_back(v.open);
  std::ranges::fill(v.open, 0);
  ++v.takes_done;
  if (std::ranges::any_of(variables_, [this](const auto& other) { return other.second.takes_done <= aggregates_; }))
    return;
  enqueue(std::max(c_.workers, c_.replicas), ++aggregates_);
}

void Replay::enqueue(int n, std::int64_t value) {
  for (int i = 0; i < n; ++i) tokens_.enqueue({make_scalar(value)}, step_, [](Status) {});
}

void Replay::dequeue(int worker) {
  tokens_.dequeue(step_, [this, worker](StatusOr<QueueElement> e) {
    const std::int64_t token = integer_or((*e)[0], -1);
    received_[worker].push_back(token);
    local_[worker].push_back(token);
  });
}

bool Replay::has_near_pushes(const std::string& variable) const {
  double last = -1e9;
  for (const Happening& h : happenings_) {
    if (h.worker < 0 || h.variable != variable) continue;
    if (h.at - last < 0.001) return true;
    last = h.at;
  }
  return false;
}

std::string Replay::compare() const {
  for (const auto& [name, v] : variables_) {
    const auto recorded = rep_.at("variables").at(name).at("vectors").get<std::vector<std::vector<std::int64_t>>>();
    for (std::size_t k = 0; k < std::min(recorded.size(), v.vectors.size()); ++k)
      if (recorded[k] != v.vectors[k])
        return has_near_pushes(name)
                   ? ""
                   : fmt::format("aggregate {} of {}: theirs {}, ours {}", k + 1, name, recorded[k], v.vectors[k]);
    if (recorded.size() != v.vectors.size() && !has_near_pushes(name))
      return fmt::format("aggregates of {}: theirs {}, ours {}", name, recorded.size(), v.vectors.size());
  }
  for (int w = 0; w < c_.workers; ++w) {
    const auto recorded = rep_.at("workers").at(w).at("tokens").get<std::vector<std::int64_t>>();
    const std::size_t n = std::min(recorded.size(), received_[w].size());
    if (!std::equal(recorded.begin(), recorded.begin() + static_cast<std::ptrdiff_t>(n), received_[w].begin()) &&
        !has_near_pushes(variables_.begin()->first))
      return fmt::format("tokens of worker {}: theirs {}, ours {}", w, recorded, received_[w]);
  }
  return "";
}

}  // namespace

bool has_push_order(const Json& rep) {
  return rep.contains("variables") && !rep.at("variables").empty() &&
         std::ranges::all_of(rep.at("variables"), [](const Json& v) { return v.contains("push_order"); });
}

std::string replay(const Json& rep, const RecordedConfig& c) { return Replay(rep, c).run(); }

}  // namespace tarry
