#include "workers/train/build/handwritten.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "placer/graph/import.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

constexpr std::string_view kWorker = "worker";

std::string scope_name(int worker) { return fmt::format("{}{}", kWorker, worker); }

// 2 of "worker2/x" and of "worker2_grad/mul"; none of "worker2x".
std::optional<int> worker_in_name(std::string_view name) {
  if (!name.starts_with(kWorker)) return std::nullopt;
  int worker = 0;
  const auto [end, failed] = std::from_chars(name.data() + kWorker.size(), name.data() + name.size(), worker);
  const bool is_whole = end != name.data() + name.size() && (*end == '/' || *end == '_');
  return failed == std::errc() && is_whole ? std::optional(worker) : std::nullopt;
}

// "master/Reshape_2" for worker 2, as TensorFlow numbers what a loop over the workers makes.
std::string numbered(std::string name, int worker) {
  if (const auto end = name.find_last_not_of("0123456789"); end != std::string::npos && name[end] == '_')
    name.resize(end);
  return worker == 0 ? name : fmt::format("{}_{}", name, worker);
}

class Workers {
 public:
  Workers(ClientProgram& program, GraphEditor& g) : program_(program), g_(g) {
    for (const std::string& name : g.names())
      if (const auto worker = worker_in_name(name)) own(name, *worker);
    for (const std::string& name : g.names()) find_master_op(name);
  }

  [[nodiscard]] int count() const { return count_; }

  void set_count(int wanted) {
    while (count_ > wanted) remove_last();
    while (count_ < wanted) add_one();
  }

  // The op that adds up what all workers made: of those behind `target`, the first that is met.
  [[nodiscard]] std::string sum_behind(const std::string& target) const {
    std::vector<std::string> found{target};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (shared_.contains(found[i]) && g_.at(found[i]).op == "AddN") return found[i];
      for (const std::string& input : g_.at(found[i]).inputs)
        if (const std::string node(node_of(input)); std::ranges::find(found, node) == found.end())
          found.push_back(node);
    }
    return "";
  }

 private:
  void own(const std::string& name, int worker) {
    owner_[name] = worker;
    count_ = std::max(count_, worker + 1);
  }

  // What the master does with what one worker made is that worker's; what it does with several workers' is shared.
  void find_master_op(const std::string& name) {
    if (owner_.contains(name)) return;
    std::set<int> of;
    for (const std::string& input : data_inputs(g_.at(name)))
      if (const auto it = owner_.find(std::string(node_of(input))); it != owner_.end()) of.insert(it->second);
    if (of.size() > 1 || splits(name))
      shared_.insert(name);
    else if (of.size() == 1)
      own_with_parts(name, *of.begin());
  }

  void own_with_parts(const std::string& name, int worker) {
    own(name, worker);
    for (const std::string& part : g_.names_under(name)) own(part, worker);
  }

  [[nodiscard]] bool splits(const std::string& name) const {
    return g_.at(name).op == "Split" && count_ > 1 && number(g_.at(name), "num_split") == count_;
  }

  static std::int64_t number(const NodeSpec& n, const char* attr) {
    const auto* value = n.attrs.get<std::int64_t>(attr);
    return value == nullptr ? 0 : *value;
  }

  [[nodiscard]] std::vector<std::string> nodes_of(int worker) const {
    std::vector<std::string> names;
    for (const std::string& name : g_.names())
      if (const auto it = owner_.find(name); it != owner_.end() && it->second == worker) names.push_back(name);
    return names;
  }

  [[nodiscard]] bool is_of(const std::string& input, int worker) const {
    const auto it = owner_.find(std::string(node_of(input)));
    return it != owner_.end() && it->second == worker;
  }

  // ---- one worker less ----

  void remove_last() {
    const int last = --count_;
    for (const std::string& name : shared_) {
      NodeSpec& n = g_.at(name);
      std::erase_if(n.inputs, [&](const std::string& input) { return is_of(input, last); });
      count_again(n);
    }
    for (const std::string& name : nodes_of(last)) {
      g_.erase(name);
      owner_.erase(name);
    }
    std::erase_if(program_.feeds, [&](const Feed& f) { return worker_in_name(f.tensor) == last; });
  }

  void count_again(NodeSpec& n) const {
    const char* attr = n.op == "Split" ? "num_split" : "N";
    if (n.attrs.find(attr) != nullptr) n.attrs.set(attr, std::int64_t{count_});
    n.attrs.erase("_output_shapes");  // they were those of another number of workers
  }

  // ---- one worker more, like the last ----

  void add_one() {
    const int last = count_ - 1, next = count_++;
    for (const std::string& name : nodes_of(last)) {
      NodeSpec copy = g_.at(name);
      rename(copy, last, next);
      own(g_.insert(std::move(copy)), next);
    }
    for (const std::string& name : shared_) {
      add_input(g_.at(name), last, next);
      count_again(g_.at(name));
    }
    add_feeds(last, next);
  }

  // The counterpart of a node of worker `from`.
  [[nodiscard]] std::string twin(const std::string& name, int from, int to) const {
    if (worker_in_name(name)) return scope_name(to) + name.substr(scope_name(from).size());
    const std::string part = owned_part_of(name);
    return numbered(part, to) + name.substr(part.size());
  }

  // "master/Reshape_2" of "master/Reshape_2/shape".
  [[nodiscard]] std::string owned_part_of(const std::string& name) const {
    const std::string scope = scope_of(name);
    return owner_.contains(scope) ? owned_part_of(scope) : name;
  }

  void rename(NodeSpec& n, int from, int to) const {
    for (std::string& input : n.inputs) input = twin_input(input, from, to);
    n.name = twin(n.name, from, to);
    if (worker_in_name(n.name) && !n.device.empty()) n.device = with_task(n.device, to);
  }

  [[nodiscard]] std::string twin_input(const std::string& input, int from, int to) const {
    const std::string node(node_of(input));
    if (is_of(input, from)) return std::string(is_control(input) ? "^" : "") + twin(node, from, to) + slot_of(input);
    return shared_.contains(node) && g_.at(node).op == "Split" ? fmt::format("{}:{}", node, to) : input;
  }

  static std::string slot_of(const std::string& input) {
    const auto colon = input.find(':');
    return colon == std::string::npos ? "" : input.substr(colon);
  }

  void add_input(NodeSpec& n, int last, int next) const {
    const auto behind =
        std::find_if(n.inputs.rbegin(), n.inputs.rend(), [&](const std::string& input) { return is_of(input, last); });
    if (behind != n.inputs.rend()) n.inputs.insert(behind.base(), twin_input(*behind, last, next));
  }

  void add_feeds(int last, int next) {
    const std::vector<Feed> before = program_.feeds;
    for (Feed f : before)
      if (worker_in_name(f.tensor) == last) {
        f.tensor = twin(f.tensor, last, next);
        program_.feeds.push_back(std::move(f));
      }
  }

  ClientProgram& program_;
  GraphEditor& g_;
  std::map<std::string, int> owner_;  // of a node that is one worker's
  std::set<std::string> shared_;      // nodes that take something of each worker, or give something to each
  int count_ = 0;
};

// ---- by a queue ----

NodeSpec queue_node(const std::string& device, DataType type) {
  return {"gradient_q",
          "FIFOQueueV2",
          device,
          {},
          {{"capacity", std::int64_t{-1}},
           {"component_types", AttrList{.type = {type}}},
           {"container", ""},
           {"shapes", AttrList{}},
           {"shared_name", "gradient_q"}}};
}

// Each summand goes into the queue; the sum takes as many out, behind all that went in.
void put_queue_before(GraphEditor& g, const std::string& sum) {
  const NodeSpec before = g.at(sum);
  const DataType type = input_type(before, 0);
  const std::string queue = g.add(queue_node(before.device, type));
  const AttrValue never = std::int64_t{-1};
  std::vector<std::string> taken, put;
  for (const std::string& gradient : data_inputs(before)) {
    put.push_back("^" + g.add({queue + "_enqueue",
                               "QueueEnqueueV2",
                               before.device,
                               {queue, gradient},
                               {{"Tcomponents", AttrList{.type = {type}}}, {"timeout_ms", never}}}));
    taken.push_back(g.add({queue + "_Dequeue",
                           "QueueDequeueV2",
                           before.device,
                           {queue},
                           {{"component_types", AttrList{.type = {type}}}, {"timeout_ms", never}}}));
  }
  taken.insert(taken.end(), put.begin(), put.end());
  g.at(sum).inputs = std::move(taken);
}

}  // namespace

Status build_handwritten(ClientProgram& program, const HandwrittenPlan& plan) {
  TARRY_RETURN_IF_ERROR(import_graph(*program.graph).status());
  GraphEditor g(*program.graph);
  Workers workers(program, g);
  if (workers.count() < 2)
    return invalid("it has not the ops of several workers (worker0/..., worker1/...), as a hand-written protocol has");
  workers.set_count(plan.workers);
  const std::string sum =
      program.targets.size() == 1 && g.has(program.targets[0]) ? workers.sum_behind(program.targets[0]) : "";
  if (sum.empty())
    return invalid("its step ({}) adds no gradients of all workers up", fmt::join(program.targets, ", "));
  if (plan.gathering == Gathering::queue) put_queue_before(g, sum);
  program.graph = std::make_shared<const GraphSpec>(g.take());
  program.task = "/job:worker/task:0";
  return {};
}

}  // namespace tarry
