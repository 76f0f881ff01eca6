#include "workers/train/build/device_setter.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "placer/device/name.hpp"
#include "workers/train/build/groups.hpp"
#include "workers/train/build/sharded_saver.hpp"

namespace tarry {
namespace {

using Tasks = std::map<std::string, int>;  // of the variables that are on servers, by name

// A slot goes where its variable goes.
StatusOr<Tasks> tasks_of(const GraphEditor& g, int ps, PsStrategy strategy) {
  const std::vector<ModelVariable> variables = find_variables(g);
  TARRY_ASSIGN(const auto chosen, choose_ps(variables, ps, strategy));
  Tasks tasks;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (chosen[i]) tasks[variables[i].name] = *chosen[i];
    if (const auto with = tasks.find(variables[i].slot_of); with != tasks.end())
      tasks[variables[i].name] = with->second;
  }
  return tasks;
}

// The variable that an op on a server belongs to: the one it is colocated with, perhaps by way of others, or the one
// that it takes; else, as parts of an initial value do, that of the nearest op on a server that takes what it gives or
// gives what it takes.
class Owner {
 public:
  Owner(const GraphEditor& g, const Tasks& tasks) : g_(g), tasks_(tasks) {
    for (const std::string& name : g.names())
      for (const std::string& input : g.at(name).inputs)
        if (const std::string from(node_of(input)); !is_control(input) && is_on_server(name) && is_on_server(from))
          neighbours_[from].push_back(name), neighbours_[name].push_back(from);
  }

  [[nodiscard]] const int* task_of(const std::string& name) const {
    std::vector<std::string> open = {name};
    std::set<std::string> seen = {name};
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (const int* task = task_upwards(open[i])) return task;
      if (const auto found = neighbours_.find(open[i]); found != neighbours_.end())
        for (const std::string& next : found->second)
          if (seen.insert(next).second) open.push_back(next);
    }
    return nullptr;
  }

 private:
  [[nodiscard]] bool is_on_server(const std::string& name) const {
    return g_.has(name) && ps_task_of(g_.at(name).device);
  }
  [[nodiscard]] const int* task_upwards(std::string name) const {
    for (std::size_t hops = 0; hops < kMostHops && g_.has(name); ++hops) {
      if (const auto found = tasks_.find(name); found != tasks_.end()) return &found->second;
      name = next(g_.at(name), name);
    }
    return nullptr;
  }

  static constexpr std::size_t kMostHops = 64;
  static std::string next(const NodeSpec& n, const std::string& name) {
    const std::string with = colocated_with(n);
    if (!with.empty() && with != name) return with;
    return n.inputs.empty() ? "" : std::string(node_of(n.inputs[0]));
  }

  const GraphEditor& g_;
  const Tasks& tasks_;
  std::map<std::string, std::vector<std::string>> neighbours_;  // on servers, by data edges
};

// An op that belongs to no variable stays where it is.
Status move_ops(GraphEditor& g, const Tasks& tasks, int ps) {
  std::vector<std::pair<std::string, int>> moves;
  const Owner owner(g, tasks);
  for (const std::string& name : g.names()) {
    const auto here = ps_task_of(g.at(name).device);
    if (!here) continue;
    const int* task = owner.task_of(name);
    if (task == nullptr && *here >= ps)
      return invalid("op {} ({}) on {} belongs to no variable, so it cannot be given another parameter server", name,
                     g.at(name).op, g.at(name).device);
    if (task != nullptr) moves.emplace_back(name, *task);
  }
  for (const auto& [name, task] : moves) g.at(name).device = with_task(g.at(name).device, task);
  return {};
}

// The groups behind the scaffold's init ops: the only ones that were not made in the device setter's scope.
void find_scaffold(const std::vector<Group>& groups, const std::string& name, std::set<std::string>& out) {
  const auto group = std::ranges::find(groups, name, &Group::name);
  if (group == groups.end() || !out.insert(name).second) return;
  for (const std::string& op : group->ops) find_scaffold(groups, op, out);
}

void add_groups(GraphEditor& g, std::vector<Group> groups, const ClientProgram& program) {
  const std::string worker = worker_device(g, program.written_for.empty() ? program.task : program.written_for);
  std::set<std::string> scaffold;
  for (const std::string& init : {program.init_op, program.local_init_op}) find_scaffold(groups, init, scaffold);
  for (Group& group : groups) {
    if (!scaffold.contains(group.name)) group.scope = within(worker, group.scope);
    add_group(g, group);
  }
}

Status move(GraphEditor& g, const ClientProgram& program, const Tasks& tasks, int ps) {
  StatusOr<std::vector<Saveable>> saved = std::vector<Saveable>{};
  if (!program.saver.restore.empty()) saved = take_shards(g, program.saver);
  if (!saved.ok()) return saved.status();
  const std::vector<Group> groups = take_groups(g);
  TARRY_RETURN_IF_ERROR(move_ops(g, tasks, ps));
  add_groups(g, groups, program);
  if (!saved->empty()) add_shards(g, program.saver, *std::move(saved));
  return {};
}

}  // namespace

std::string worker_device(const GraphEditor& g, const std::string& task) {
  const auto wanted = parse_device_name(task);
  std::map<std::string, int> seen;
  for (const std::string& name : g.names())
    if (const auto device = parse_device_name(g.at(name).device);
        device && device->job == wanted->job && device->task == wanted->task)
      ++seen[g.at(name).device];
  const auto least =
      std::ranges::min_element(seen, {}, [](const auto& s) { return std::pair(s.first.size(), -s.second); });
  return least == seen.end() ? task : least->first;
}

Status set_ps(ClientProgram& program, int ps, PsStrategy strategy) {
  GraphEditor g(*program.graph);
  TARRY_ASSIGN(const Tasks tasks, tasks_of(g, ps, strategy));
  if (tasks.empty()) return invalid("no variable of it is on a parameter server");
  const Status moved = move(g, program, tasks, ps);
  if (moved.ok()) program.graph = std::make_shared<const GraphSpec>(g.take());
  return moved;
}

}  // namespace tarry
