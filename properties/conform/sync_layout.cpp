#include "properties/conform/sync_layout.hpp"

#include <algorithm>

#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/groups.hpp"
#include "workers/train/build/sharded_saver.hpp"
#include "workers/train/build/strip_sync.hpp"

namespace tarry {
namespace {

// Those that take turns at replica_device_setter, in order of creation.
std::vector<ModelVariable> placed_variables(const GraphEditor& g) {
  std::vector<ModelVariable> placed = find_variables(g);
  std::erase_if(placed, [](const ModelVariable& v) { return !v.slot_of.empty() || !ps_task_of(v.device); });
  return placed;
}

// The server of each of `count` variables.
std::vector<int> servers_for(std::size_t count, const std::vector<RecordedVariable>& vars) {
  std::vector<int> wanted;
  for (const RecordedVariable& v : vars)
    if (count >= vars.size() || std::ranges::find(wanted, v.ps) == wanted.end()) wanted.push_back(v.ps);
  std::vector<int> servers;
  for (std::size_t i = 0; i < count; ++i) servers.push_back(wanted[std::min(i, wanted.size() - 1)]);
  return servers;
}

// Groups and shards follow from where variables are.
Status group_anew(GraphEditor& g, const Saver& saver) {
  std::vector<Saveable> saved;
  if (!saver.restore.empty()) {
    TARRY_ASSIGN(saved, take_shards(g, saver));
  }
  for (const Group& group : take_groups(g)) add_group(g, group);
  if (!saved.empty()) add_shards(g, saver, std::move(saved));
  return {};
}

// Every variable is alone on its server; server i becomes to[i].
Status rename_servers(ClientProgram& program, const std::vector<int>& to) {
  GraphEditor g(*program.graph);
  for (const std::string& name : g.names())
    if (const auto task = ps_task_of(g.at(name).device))
      g.at(name).device = with_task(g.at(name).device, to.at(static_cast<std::size_t>(*task)));
  TARRY_RETURN_IF_ERROR(group_anew(g, program.saver));
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace

std::set<int> servers_of(const std::vector<RecordedVariable>& vars) {
  std::set<int> servers;
  for (const RecordedVariable& v : vars) servers.insert(v.ps);
  return servers;
}

std::string one_workers_graph(const std::vector<RecordedVariable>& vars, bool is_resource) {
  if (is_resource) return "softmax_async_res_ps2_task1";
  if (vars.size() <= 2) return "softmax_async_ps2_task0";
  return vars.size() == 3 ? "sync_spread_w3_r3_ps3_task1" : "sync_uneven_w3_r3_ps2_task1";
}

Status lay_out(ClientProgram& program, const std::vector<RecordedVariable>& vars) {
  TARRY_RETURN_IF_ERROR(strip_sync_replicas(program));
  const std::vector<ModelVariable> ours = placed_variables(GraphEditor(*program.graph));
  const std::size_t steps = std::ranges::count(ours, program.global_step, &ModelVariable::name);
  if (servers_of(vars).size() > ours.size() - steps)
    return invalid("config: vars are on {} servers, and {} has only {} variables", servers_of(vars).size(),
                   program.name, ours.size() - steps);
  std::vector<int> to, servers = servers_for(ours.size() - steps, vars);
  for (auto next = servers.begin(); const ModelVariable& v : ours)
    to.push_back(v.name == program.global_step ? 0 : *next++);
  TARRY_RETURN_IF_ERROR(set_ps(program, static_cast<int>(ours.size()), PsStrategy::round_robin));
  return rename_servers(program, to);
}

std::map<std::string, std::size_t> stand_ins(const ClientProgram& program, const std::vector<RecordedVariable>& vars) {
  std::map<std::string, std::size_t> out;
  std::map<int, std::size_t> next;  // by server: from where a recorded one is looked for
  for (const ModelVariable& v : placed_variables(GraphEditor(*program.graph))) {
    if (v.name == program.global_step) continue;
    const int server = *ps_task_of(v.device);
    const auto found = std::find_if(vars.begin() + static_cast<std::ptrdiff_t>(next[server]), vars.end(),
                                    [&](const RecordedVariable& r) { return r.ps == server; });
    if (found != vars.end()) next[server] = static_cast<std::size_t>(found - vars.begin()) + 1;
    out[v.name] = next[server] == 0 ? 0 : next[server] - 1;
  }
  return out;
}

}  // namespace tarry
