#include "scenarios/job/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/attrs.hpp"
#include "scenarios/job/guess_sync.hpp"
#include "workers/train/build/readiness.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;
using Set = boost::dynamic_bitset<>;

const std::string kMakeThem =
    "before the graph is written, tf.train.Scaffold(saver=tf.train.Saver(sharded=True)).finalize() makes both";

bool applies_gradients(const NodeSpec& n) {
  static const std::regex kApplies(
      "(Resource)?(Sparse)?Apply[A-Z]\\w*|AssignSub(VariableOp)?|(Resource)?Scatter(Nd)?(Add|Sub)");
  return std::regex_match(n.op, kApplies);
}
bool calls_one_of(const NodeSpec& n, const std::set<std::string>& functions) {
  const auto is_one = [&](const FuncRef& f) { return functions.contains(f.name); };
  return functions.contains(n.op) || std::ranges::any_of(n.attrs, [&](const AttrEntry& attr) {
           const auto* one = attr.second.get<FuncRef>();
           const auto* list = attr.second.get<AttrList>();
           return (one != nullptr && is_one(*one)) || (list != nullptr && std::ranges::any_of(list->func, is_one));
         });
}
// Those whose bodies apply gradients, or call one that does.
std::set<std::string> functions_that_apply(const GraphSpec& graph) {
  std::set<std::string> found;
  const auto applies = [&](const NodeSpec& n) { return applies_gradients(n) || calls_one_of(n, found); };
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const FunctionSpec& f : graph.functions)
      if (std::ranges::any_of(f.nodes, applies)) is_more |= found.insert(f.signature.name).second;
  }
  return found;
}
bool pushes_gradients(const NodeSpec& n) { return n.op.ends_with("AccumulatorApplyGradient"); }

class Guess {
 public:
  Guess(const GraphSpec& graph, const std::string& name) : graph_(graph), editor_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      place_[graph.nodes[i].name] = i;
      consumers_.emplace_back();
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      for (const std::string& input : graph.nodes[i].inputs)
        if (const auto it = place_.find(node_of(input)); it != place_.end()) consumers_[it->second].push_back(i);
    out_.sidecar = {{"name", name}, {"task", ""}, {"is_chief", true}, {"feeds", Json::array()}};
  }

  GuessedSidecar run() {
    tasks();
    feeds();
    step();
    session();
    queue_runners();
    return std::move(out_);
  }

 private:
  void found(std::string sentence) { out_.found.push_back(std::move(sentence)); }
  void missing(std::string sentence) { out_.missing.push_back(std::move(sentence)); }
  [[nodiscard]] const NodeSpec* find(const std::string& name) const {
    const auto it = place_.find(name);
    return it == place_.end() ? nullptr : &graph_.nodes[it->second];
  }

  // ---- who built it ----

  void tasks() {
    static const std::regex kTask("/job:(\\w+)(?:/replica:\\d+)?/task:(\\d+)"), kGpu("/(?:device:GPU|gpu):(\\d+)");
    std::set<int> servers, workers;
    for (const NodeSpec& n : graph_.nodes) {
      std::smatch m;
      if (std::regex_search(n.device, m, kGpu) && m[1].length() < 3)
        out_.gpus = std::max<std::size_t>(out_.gpus, std::stoul(m[1]) + 1);
      if (!std::regex_search(n.device, m, kTask) || m[2].length() > 6) continue;
      if (m[1] == "ps") servers.insert(std::stoi(m[2]));
      if (m[1] == "worker") workers.insert(std::stoi(m[2]));
    }
    const int worker = workers.empty() ? 0 : *workers.begin();
    out_.servers = servers.empty() ? 0 : static_cast<std::size_t>(*servers.rbegin()) + 1;
    out_.workers = workers.size() < 2 ? 1 : static_cast<std::size_t>(*workers.rbegin()) + 1;
    out_.worker = fmt::format("/job:worker/task:{}", worker);
    out_.sidecar["task"] = out_.worker;
    out_.sidecar["is_chief"] = worker == 0;
    found(fmt::format("it was built for {}{}", out_.worker,
                      out_.servers == 0
                          ? "; no op asks for a parameter server"
                          : fmt::format(", with {} parameter server{}", out_.servers, out_.servers == 1 ? "" : "s")));
  }

  // ---- what is fed ----

  void feeds() {
    for (const NodeSpec& n : graph_.nodes)
      if (n.op == "Placeholder" || n.op == "PlaceholderWithDefault") feed(n);
  }

  void feed(const NodeSpec& n) {
    const auto* type = n.attrs.get<DataType>("dtype");
    const auto* shape = n.attrs.get<Shape>("shape");
    const bool optional = n.op == "PlaceholderWithDefault";
    Json dims = Json::array();
    if (shape != nullptr && shape->rank() >= 0)
      for (const std::int64_t d : shape->dims) dims.push_back(d < 0 ? Json() : Json(d));
    out_.sidecar["feeds"].push_back({{"name", n.name + ":0"},
                                     {"dtype", type == nullptr ? "float32" : std::string(type_name(*type))},
                                     {"shape", dims},
                                     {"optional", optional}});
    if (optional) return;
    found(fmt::format("a step feeds {}:0", n.name));
    if (shape == nullptr || shape->rank() < 0)
      missing(fmt::format("the shape of {}:0: give it in 'feeds: {{shapes: {{...}}}}' of the scenario", n.name));
  }

  // ---- the training step ----

  void step() {
    const std::set<std::string> applying = functions_that_apply(graph_);
    const std::vector<std::size_t> pushes = all_that(pushes_gradients),
                                   applies = all_that([&](const NodeSpec&n) {
                                     return applies_gradients(n) || calls_one_of(n, applying);
                                   });
    const auto& least = pushes.empty() ? applies : pushes;
    const Names targets = last_after(least);
    if (targets.empty()) missing("the training step: put the name of its op into 'targets'");
    if (!targets.empty())
      found(fmt::format("a step runs {}: behind all {} ops that {} gradients", join(targets, ", "), least.size(),
                        pushes.empty() ? "apply" : "push"));
    if (!pushes.empty()) sync();
    out_.sidecar["targets"] = targets;
    out_.sidecar["fetches"] = find("global_step") == nullptr ? Names() : Names{"global_step:0"};
    if (const NodeSpec* step = find("global_step"); step != nullptr && step->op == "VarHandleOp")
      out_.sidecar["fetches"] = Names();
  }

  void sync() {
    const GuessedSync guessed = guess_sync(graph_, editor_);
    if (guessed.section.is_null())
      return missing(
          "'sync': the graph has accumulators, and not all that SyncReplicasOptimizer and its hook add; export it from "
          "the script (docs/from_a_script.md)");
    out_.sidecar["is_chief"] = guessed.is_chief;
    out_.sidecar["sync"] = guessed.section;
    found(
        fmt::format("SyncReplicasOptimizer aggregates {} gradients", guessed.section["replicas_to_aggregate"].dump()));
  }

  template <class Is>
  [[nodiscard]] std::vector<std::size_t> all_that(const Is& is) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (is(graph_.nodes[i])) out.push_back(i);
    return out;
  }

  // By node: which of `from` it comes after.
  [[nodiscard]] std::vector<Set> reached_from(const std::vector<std::size_t>& from) const {
    std::vector<Set> reached(graph_.nodes.size(), Set(from.size()));
    for (std::size_t k = 0; k < from.size(); ++k) {
      std::vector<std::size_t> todo{from[k]};
      while (!todo.empty()) {
        const std::size_t n = todo.back();
        todo.pop_back();
        for (const std::size_t c : consumers_[n])
          if (!reached[c].test_set(k)) todo.push_back(c);
      }
    }
    return reached;
  }

  // Of these nodes the one made last among those that none of them comes after.
  [[nodiscard]] std::optional<std::size_t> outermost(const std::vector<std::size_t>& nodes) const {
    const std::set<std::size_t> all(nodes.begin(), nodes.end());
    std::optional<std::size_t> last;
    for (const std::size_t n : nodes)
      if (std::ranges::none_of(consumers_[n], [&](std::size_t c) { return all.contains(c); })) last = n;
    return last;
  }

  // The fewest nodes after which all of these have run; nothing when one has no node after it.
  [[nodiscard]] Names last_after(const std::vector<std::size_t>& all) const {
    const std::vector<Set> reached = reached_from(all);
    Names out;
    for (Set left = ~Set(all.size()); left.any();) {
      std::size_t most = 0;
      for (const Set& r : reached) most = std::max(most, (r & left).count());
      std::vector<std::size_t> best;
      for (std::size_t i = 0; i < reached.size(); ++i)
        if (most > 0 && (reached[i] & left).count() == most) best.push_back(i);
      const std::optional<std::size_t> last = outermost(best);
      if (!last) return {};
      out.push_back(graph_.nodes[*last].name);
      left -= reached[*last];  // at least one, whatever other nodes have its name
    }
    return out;
  }

  // ---- how a session begins ----

  // The variables whose Assign a NoOp groups, through groups of groups.
  [[nodiscard]] std::set<std::string> initialises(const std::string& group, int depth = 0) const {
    std::set<std::string> out;
    const NodeSpec* n = find(group);
    if (n == nullptr || n->op != "NoOp" || depth > 8) return out;
    for (const std::string& member : control_inputs(*n)) {
      const std::string variable = member.ends_with("/Assign") ? scope_of(member) : "";
      if (const NodeSpec* v = find(variable); v != nullptr && is_variable(*v)) out.insert(variable);
      out.merge(initialises(member, depth + 1));
    }
    return out;
  }

  [[nodiscard]] bool initialises_tables(const NodeSpec& n) const {
    return std::ranges::any_of(control_inputs(n),
                               [](const std::string& c) { return c.starts_with("init_all_tables"); });
  }

  void session() {
    std::string init, local;
    std::set<std::string> global;
    for (const NodeSpec& n : graph_.nodes)
      if (n.op == "NoOp")
        if (auto all = initialises(n.name); !all.empty() && all.size() >= global.size())
          init = n.name, global = std::move(all);
    std::set<std::string> locals;
    for (const NodeSpec& n : graph_.nodes) {
      if (n.op != "NoOp") continue;
      auto all = initialises(n.name);
      const bool apart = std::ranges::none_of(all, [&](const std::string& v) { return global.contains(v); });
      if (apart && (!all.empty() || initialises_tables(n))) local = n.name, locals = std::move(all);
    }
    Json entries;
    role(entries, "init_op", init, fmt::format("it initialises {} variables", global.size()));
    role(entries, "local_init_op", local, fmt::format("it initialises {} local variables, and tables", locals.size()));
    reports(entries);
    saver(entries);
    variables(locals);
    out_.sidecar["session"] = entries.is_null() ? Json::object() : entries;
  }

  void role(Json& entries, const char* key, const std::string& name, const std::string& why) {
    if (name.empty()) return missing(fmt::format("'session.{}'", key));
    entries[key] = name;
    found(fmt::format("session.{} is {}: {}", key, name, why));
  }

  // A scaffold's two reports: of all variables, and of those that are not local.
  void reports(Json& entries) {
    std::multimap<std::size_t, std::string, std::greater<>> by_size;
    for (const NodeSpec& n : graph_.nodes)
      if (n.op == "ConcatV2" && n.inputs.size() < 8)
        if (const std::string scope = report_scope(editor_, n.name + ":0"); !scope.empty())
          by_size.emplace(reported_variables(editor_, scope).size(), n.name + ":0");
    if (by_size.empty())
      return missing(
          "'session.ready_op' and 'session.ready_for_local_init_op': 'build' needs a scaffold's reports of "
          "uninitialised variables; " +
          kMakeThem);
    const std::string ready = by_size.begin()->second, local = by_size.rbegin()->second;
    role(entries, "ready_op", ready, "it reports the variables without a value");
    if (local != ready) role(entries, "ready_for_local_init_op", local, "it reports those that are not local");
  }

  void saver(Json& entries) {
    for (const NodeSpec& n : graph_.nodes) {
      if (n.op != "NoOp" || !n.name.ends_with("/restore_all")) continue;
      const std::string scope = scope_of(n.name);
      const std::string saved = saved_name(scope);
      if (find(scope + "/num_shards") == nullptr || saved.empty()) continue;
      entries["saver"] = {
          {"filename_tensor", scope + "/Const:0"}, {"save_tensor", saved + ":0"}, {"restore_op", n.name}};
      return found(fmt::format("session.saver is {}, a sharded one", scope));
    }
    missing("'session.saver': 'build' needs a sharded saver; " + kMakeThem);
  }

  // The Identity behind all that a saver writes: no op of the saver takes it.
  [[nodiscard]] std::string saved_name(const std::string& scope) const {
    for (const NodeSpec& n : graph_.nodes)
      if (n.op == "Identity" && is_under(n.name, scope) && !control_inputs(n).empty() &&
          std::ranges::none_of(consumers_[place_.find(n.name)->second],
                               [&](std::size_t c) { return is_under(graph_.nodes[c].name, scope); }))
        return n.name;
    return "";
  }

  void variables(const std::set<std::string>& locals) {
    out_.sidecar["variables"] = Json::array();
    for (const NodeSpec& n : graph_.nodes)
      if (is_variable(n))
        out_.sidecar["variables"].push_back({{"name", n.name}, {"op", n.op}, {"local", locals.contains(n.name)}});
    if (find("global_step") == nullptr) missing("a variable 'global_step': steps of the job are then not counted");
  }

  // ---- queues that threads of the client fill ----

  void queue_runners() {
    std::map<std::string, Json> runners;
    for (const NodeSpec& n : graph_.nodes) {
      if (n.inputs.empty() || !n.op.starts_with("Queue")) continue;
      const std::string queue(node_of(n.inputs[0]));
      if (n.op.starts_with("QueueEnqueue")) runners[queue]["enqueue_ops"].push_back(n.name);
      const auto* cancels = n.attrs.get<bool>("cancel_pending_enqueues");
      if (n.op.starts_with("QueueClose"))
        runners[queue][cancels != nullptr && *cancels ? "cancel_op" : "close_op"] = n.name;
    }
    Json all = Json::array();
    for (auto& [queue, entries] : runners) {
      if (!entries.contains("enqueue_ops") || !entries.contains("close_op") || !entries.contains("cancel_op")) continue;
      if (queue.ends_with("sync_token_q")) continue;
      entries["queue"] = queue;
      all.push_back(entries);
      found(fmt::format("a queue runner fills {}", queue));
    }
    if (!all.empty()) out_.sidecar["queue_runners"] = all;
  }

  const GraphSpec& graph_;
  GraphEditor editor_;
  std::map<std::string, std::size_t, std::less<>> place_;
  std::vector<std::vector<std::size_t>> consumers_;
  GuessedSidecar out_;
};

}  // namespace

GuessedSidecar guess_sidecar(const GraphSpec& graph, const std::string& name) { return Guess(graph, name).run(); }

std::string left_out_of_sidecar(const ClientProgram& p) {
  const std::pair<const char*, bool> given[] = {{"init_op", !p.init_op.empty()},
                                                {"local_init_op", !p.local_init_op.empty()},
                                                {"ready_op", !p.ready.empty()},
                                                {"ready_for_local_init_op", !p.ready_for_local_init.empty()},
                                                {"saver", !p.saver.restore.empty()}};
  const nlohmann::ordered_json session = guess_sidecar(*p.graph, p.name).sidecar["session"];
  Names lines;
  for (const auto& [key, is_given] : given)
    if (!is_given && session.contains(key)) lines.push_back(fmt::format("\"{}\": {}", key, session[key].dump()));
  return lines.empty() ? "" : "; its sidecar leaves out what the graph has: add to 'session' " + join(lines, ", ");
}

}  // namespace tarry
