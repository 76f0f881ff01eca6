#include "results/pipeline/pipeline_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <tuple>

namespace tarry {
namespace {

using Json = nlohmann::json;

constexpr PipelineOpRow kOps[] = {
    {PipelineOp::forward_compute, "forward-compute", "forward-compute", false},
    {PipelineOp::backward_compute, "backward-compute", "backward-compute", false},
    {PipelineOp::forward_send, "forward-send", "forward-send and -recv", true},
    {PipelineOp::forward_recv, "forward-recv", "forward-send and -recv", true},
    {PipelineOp::backward_send, "backward-send", "backward-send and -recv", true},
    {PipelineOp::backward_recv, "backward-recv", "backward-send and -recv", true},
    {PipelineOp::params_all_gather, "params-all-gather", "params-all-gather", true},
    {PipelineOp::grads_reduce_scatter, "grads-reduce-scatter", "grads-reduce-scatter", true},
    {PipelineOp::separate_grads_all_reduce, "separate-grads-all-reduce", "separate-grads-all-reduce", true},
    {PipelineOp::layernorm_grads_all_reduce, "layernorm-grads-all-reduce", "layernorm-grads-all-reduce", true},
    {PipelineOp::embedding_grads_all_reduce, "embedding-grads-all-reduce", "embedding-grads-all-reduce", true},
    {PipelineOp::optimizer_clip_main_grad, "optimizer-clip-main-grad", "optimizer-clip-main-grad", true},
    {PipelineOp::optimizer, "optimizer", "optimizer", false},
    {PipelineOp::gc, "gc", "gc", false},
};

constexpr std::int64_t kMostStages = 100'000, kMostReplicas = 100'000, kMostNumber = 10'000'000;
constexpr double kLongest = 1e12;            // microseconds, which is 11 days
constexpr Nanos kClocksDiffer = 10'000'000;  // at the most; an op that takes less than -10 ms takes no time

struct PipelineEvent {
  PipelineNode node;
  std::int64_t step = 0, replica = 0, thread = 0;
  Nanos start = 0, duration = 0;
  [[nodiscard]] auto place() const { return std::tuple(node, step, replica); }
};

std::string in_words(const PipelineNode& n) {
  return fmt::format("'{}' number {} of stage {}", row_of(n.op).name, n.number, n.stage);
}

// Reads events one by one, so that the text's tree never stands in memory.
class TraceReader {
 public:
  explicit TraceReader(std::string_view name) : name_(name) {}

  StatusOr<PipelineTrace> read(std::string_view text) {
    const int of_events = is_list(text) ? 1 : 2;
    const auto each = [this, of_events](int depth, Json::parse_event_t kind, Json& j) {
      return is_kept(depth - of_events, kind, j);
    };
    const Json rest = Json::parse(text, each, false);
    TARRY_RETURN_IF_ERROR(failed_);
    if (rest.is_discarded() || events_.empty())
      return invalid("{}: expected a time line in Chrome's trace format, with events of a pipeline's ops", name_);
    TARRY_RETURN_IF_ERROR(find_stages());
    return in_order();
  }

 private:
  // Of a list of events, or of an object that has one.
  static bool is_list(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '[';
  }
  // An event is taken at its end, and nothing of it is kept. In it, only its "args" may be an object: so the tree stays
  // small, whatever the text is. `depth`: 0 = an event, below 0 what is around them.
  bool is_kept(int depth, Json::parse_event_t kind, Json& j) {
    using Event = Json::parse_event_t;
    if (kind == Event::key) key_ = depth == 1 ? j.get<std::string>() : "";
    if (kind == Event::object_start) return depth <= 0 || (depth == 1 && key_ == "args");
    if (kind == Event::array_start) return depth < 0;
    if (kind != Event::object_end || depth != 0) return true;
    ++count_;
    if (failed_.ok() && j.contains("ph")) failed_ = take(j);
    return false;
  }
  template <class... A>
  [[nodiscard]] Status bad(fmt::format_string<A...> text, A&&... a) const {
    return invalid("{}: event {}: {}", name_, count_, fmt::format(text, std::forward<A>(a)...));
  }

  StatusOr<std::int64_t> whole(const Json& j, const char* key, std::int64_t most) const {
    const auto found = j.find(key);
    if (found == j.end() || !found->is_number_integer()) return bad("expected a whole number '{}'", key);
    const auto value = found->get<std::int64_t>();
    if (value < 0 || value > most) return bad("'{}' is {}, expected 0 to {}", key, value, most);
    return value;
  }
  StatusOr<Nanos> time(const Json& j, const char* key) const {
    const auto found = j.find(key);
    if (found == j.end() || !found->is_number()) return bad("expected a number '{}', in microseconds", key);
    const auto us = found->get<double>();
    if (!(std::abs(us) <= kLongest)) return bad("'{}' is {} microseconds, expected at most {}", key, us, kLongest);
    return std::llround(us * 1000);
  }

  Status take(const Json& j) {
    const Json none = Json::object();
    const auto args = j.find("args");
    const Json& a = args != j.end() && args->is_object() ? *args : none;
    const std::string kind = j["ph"].is_string() ? j["ph"].get<std::string>() : "";
    if (kind == "X") return take_op(j, a);
    if (kind == "M" && j.value("name", Json()) == "thread_name") return take_thread(j, a);
    return {};
  }

  Status take_op(const Json& j, const Json& a) {
    const auto named = j.find("name");
    const std::string name = named != j.end() && named->is_string() ? named->get<std::string>() : "";
    const auto row = std::ranges::find(kOps, name, &PipelineOpRow::name);
    if (row == std::end(kOps)) return bad("'{}' is no op of a pipeline that tarry knows", name);
    if (const auto part = a.find("model_chunk"); part != a.end() && part->is_number() && *part > 0)
      return bad("a stage with several parts of the model (model_chunk {}) cannot be read", part->dump());
    PipelineEvent e{.node = {.op = row->op}};
    TARRY_ASSIGN(e.step, whole(a, "step", std::int64_t{1} << 40));
    TARRY_ASSIGN(const std::int64_t number, whole(a, "seq_id", kMostNumber));
    TARRY_ASSIGN(e.replica, whole(j, "pid", kMostReplicas));
    TARRY_ASSIGN(e.thread, whole(j, "tid", std::int64_t{1} << 40));
    TARRY_ASSIGN(e.start, time(j, "ts"));
    TARRY_ASSIGN(e.duration, time(j, "dur"));
    if (e.duration <= -kClocksDiffer) e.duration = 0;
    e.node.number = static_cast<std::uint32_t>(number);
    events_.push_back(e);
    return {};
  }

  // "PP rank 2, TP rank 0, compute".
  Status take_thread(const Json& j, const Json& a) {
    const auto named = a.find("name");
    const std::string name = named != a.end() && named->is_string() ? named->get<std::string>() : "";
    constexpr std::string_view kStage = "PP rank ";
    std::int64_t stage = -1;
    if (name.starts_with(kStage)) std::from_chars(name.data() + kStage.size(), name.data() + name.size(), stage);
    if (stage < 0 || stage > kMostStages) return bad("expected a thread's name 'PP rank N, ...', and it is '{}'", name);
    TARRY_ASSIGN(const std::int64_t replica, whole(j, "pid", kMostReplicas));
    TARRY_ASSIGN(const std::int64_t thread, whole(j, "tid", std::int64_t{1} << 40));
    stages_[{replica, thread}] = static_cast<std::uint32_t>(stage);
    return {};
  }

  Status find_stages() {
    for (PipelineEvent& e : events_) {
      const auto found = stages_.find({e.replica, e.thread});
      if (found == stages_.end())
        return invalid("{}: thread {} of process {} has ops and no name 'PP rank N, ...'", name_, e.thread, e.replica);
      e.node.stage = found->second;
    }
    return {};
  }

  // So that no sum of them is too large.
  [[nodiscard]] Status check_times(const PipelineTrace& t) const {
    constexpr __int128 kMost = __int128{1} << 60;
    const auto sum = std::accumulate(t.durations.begin(), t.durations.end(), __int128{0},
                                     [](__int128 all, Nanos d) { return all + (d < 0 ? -__int128{d} : __int128{d}); });
    return sum <= kMost ? Status() : invalid("{}: the ops take more than 36 years together", name_);
  }

  // The event that is missing, or is there twice, is found where the events, in order, leave the grid of all places.
  StatusOr<PipelineTrace> in_order() {
    std::ranges::sort(events_, {}, &PipelineEvent::place);
    std::set<std::int64_t> steps, replicas;
    PipelineTrace t;
    for (const PipelineEvent& e : events_) {
      steps.insert(e.step), replicas.insert(e.replica);
      t.stages = std::max(t.stages, e.node.stage + 1);
      if (t.nodes.empty() || t.nodes.back() != e.node) t.nodes.push_back(e.node);
    }
    t.steps.assign(steps.begin(), steps.end());
    t.replicas.assign(replicas.begin(), replicas.end());
    auto next = events_.begin();
    for (const PipelineNode& node : t.nodes)
      for (const std::int64_t step : steps)
        for (const std::int64_t replica : replicas) {
          if (next == events_.end() || next->place() != std::tuple(node, step, replica))
            return invalid("{}: {} is not there just once in step {} of replica {}", name_, in_words(node), step,
                           replica);
          t.starts.push_back(next->start), t.durations.push_back(next->duration);
          ++next;
        }
    TARRY_RETURN_IF_ERROR(check_times(t));
    return t;
  }

  const std::string name_;
  std::size_t count_ = 0;
  std::string key_;  // the last one of an event
  std::vector<PipelineEvent> events_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> stages_;  // by process and thread
  Status failed_;
};

}  // namespace

std::span<const PipelineOpRow> pipeline_ops() { return kOps; }

StatusOr<PipelineTrace> parse_pipeline_trace(std::string_view text, std::string_view name) {
  return TraceReader(name).read(text);
}

}  // namespace tarry
