#include "workers/train/build/sharded_saver.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "workers/train/build/groups.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

// What one saver's nodes are called.
struct SaverNames {
  explicit SaverNames(const Saver& saver) : scope(scope_of(node_of(saver.restore))), file(node_of(saver.filename)) {}
  [[nodiscard]] std::string operator()(std::string_view name) const { return scope + "/" + std::string(name); }
  std::string scope, file;
};

// ---- taking out ----

// The variables whose values the outputs of a RestoreV2 become, by output.
std::map<std::size_t, std::string> restored(const GraphEditor& g, const std::string& restore,
                                            const std::vector<std::string>& under) {
  std::map<std::size_t, std::string> variables;
  const auto place_of = [&](std::string_view input) {
    return std::string_view(input).find(':') == std::string_view::npos
               ? 0
               : std::stoul(std::string(input.substr(input.rfind(':') + 1)));
  };
  for (const std::string& name : under) {
    const NodeSpec& n = g.at(name);
    if (n.op != "Assign" && n.op != "AssignVariableOp") continue;
    std::string value = n.inputs.at(1);
    if (const NodeSpec& from = g.at(node_of(value)); from.op == "Identity") value = std::string(from.inputs.at(0));
    if (node_of(value) == restore) variables[place_of(value)] = std::string(node_of(n.inputs[0]));
  }
  return variables;
}

// The RestoreV2 on the device of a SaveV2 that names the same parts.
std::string restore_of(const GraphEditor& g, const NodeSpec& save, const std::vector<std::string>& under) {
  for (const std::string& name : under)
    if (const NodeSpec& n = g.at(name);
        n.op == "RestoreV2" &&
        strings_of(g.at(node_of(n.inputs.at(1)))) == strings_of(g.at(node_of(save.inputs.at(1)))) &&
        strings_of(g.at(node_of(n.inputs.at(2)))) == strings_of(g.at(node_of(save.inputs.at(2)))) &&
        n.device == save.device)
      return name;
  return "";
}

Status take_shard(const GraphEditor& g, const std::string& name, const std::vector<std::string>& under,
                  std::vector<Saveable>& out) {
  const NodeSpec& save = g.at(name);
  const auto names = strings_of(g.at(node_of(save.inputs.at(1)))),
             slices = strings_of(g.at(node_of(save.inputs.at(2))));
  const auto* types = save.attrs.get<AttrList>("dtypes");
  const std::string restore = restore_of(g, save, under);
  if (restore.empty() || types == nullptr || types->type.size() != names.size() ||
      data_inputs(save).size() != names.size() + 3)
    return invalid("the saver's {} has no RestoreV2 of the same variables", name);
  const auto variables = restored(g, restore, under);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!variables.contains(i)) return invalid("the saver restores {} into no variable", names[i]);
    out.push_back({names[i], slices[i], save.inputs[i + 3], variables.at(i), types->type[i]});
  }
  return {};
}

// What stands between a variable and what is saved of it.
void keep_behind(const GraphEditor& g, const SaverNames& names, const std::string& tensor,
                 std::set<std::string>& kept) {
  const std::string node(node_of(tensor));
  if (!is_under(node, names.scope) || !g.has(node) || !kept.insert(node).second) return;
  for (const std::string& input : g.at(node).inputs) keep_behind(g, names, input, kept);
}

bool is_shards(const GraphEditor& g, const SaverNames& names, const std::string& name) {
  static const std::set<std::string> kOps = {
      "ShardedFilename", "SaveV2",           "RestoreV2", "MergeV2Checkpoints", "Pack", "Identity",
      "Assign",          "AssignVariableOp", "NoOp"};
  return kOps.contains(g.at(name).op) ||
         (g.at(name).op == "Const" && scope_of(name) != names.scope && !is_under(name, names("filename")));
}

// ---- making ----

std::string on_cpu(const std::string& device) { return within(device, "/device:CPU:0"); }

using Shard = std::vector<Saveable>;

// Where a variable is saved and restored: where it is read from, if that is a handle.
const std::string& device_of(const GraphEditor& g, const Saveable& s) {
  const std::string read = s.variable + "/Read/ReadVariableOp";
  return g.at(g.has(read) ? read : s.variable).device;
}

// By name; the parts of one variable in order of creation.
std::vector<Shard> shards_of(const GraphEditor& g, std::vector<Saveable> saveables) {
  std::map<std::string, std::size_t> created;
  for (const std::string& name : g.names()) created.emplace(name, created.size());
  std::ranges::sort(saveables, {}, [&](const Saveable& s) { return std::pair(s.name, created.at(s.variable)); });
  std::map<std::string, Shard> by_device;
  for (Saveable& s : saveables) by_device[device_of(g, s)].push_back(std::move(s));
  std::vector<Shard> shards;
  for (auto& [device, shard] : by_device) shards.push_back(std::move(shard));
  return shards;
}

std::vector<DataType> types_of(const Shard& shard) {
  std::vector<DataType> types;
  for (const Saveable& s : shard) types.push_back(s.dtype);
  return types;
}

// The two constants that name a shard's parts.
std::vector<std::string> add_parts(GraphEditor& g, const std::string& of, const std::string& device,
                                   const Shard& shard) {
  std::vector<std::string> names, slices;
  for (const Saveable& s : shard) names.push_back(s.name), slices.push_back(s.slice);
  return {g.add(constant(of + "/tensor_names", device, DataType::kString, string_tensor(std::move(names)))),
          g.add(constant(of + "/shape_and_slices", device, DataType::kString, string_tensor(std::move(slices))))};
}

struct SavedShard {
  std::string file, done;  // its file's name; the same when it is written
};

SavedShard add_save(GraphEditor& g, const SaverNames& names, const Shard& shard, std::int64_t number) {
  const std::string device = on_cpu(device_of(g, shard[0])), file = g.unique_name(names("ShardedFilename"));
  const std::string index =
      g.add(constant(file + "/shard", device, DataType::kInt32, int_tensor(DataType::kInt32, {number}, true)));
  g.insert({.name = file,
            .op = "ShardedFilename",
            .device = device,
            .inputs = {names("StringJoin"), index, names("num_shards")}});
  const std::string save = g.unique_name(names("SaveV2"));
  NodeSpec n{save, "SaveV2", device, {file}, {{"dtypes", AttrList{.type = types_of(shard)}}}};
  for (std::string& part : add_parts(g, save, device, shard)) n.inputs.push_back(std::move(part));
  for (const Saveable& s : shard) n.inputs.push_back(s.tensor);
  g.insert(std::move(n));
  return {file, g.add({names("control_dependency"),
                       "Identity",
                       device,
                       {file, "^" + save},
                       {{"T", DataType::kString}, {"_class", colocation(file)}}})};
}

void add_merge(GraphEditor& g, const SaverNames& names, const std::vector<SavedShard>& shards,
               const std::string& device, const std::string& saved) {
  std::vector<std::string> files, done;
  for (const SavedShard& s : shards) files.push_back(s.file), done.push_back("^" + s.done);
  files.insert(files.end(), done.begin(), done.end());
  const auto count = static_cast<std::int64_t>(shards.size());
  const std::string merge = names("MergeV2Checkpoints");
  const std::string prefixes = g.add({merge + "/checkpoint_prefixes",
                                      "Pack",
                                      device,
                                      std::move(files),
                                      {{"N", count}, {"T", DataType::kString}, {"axis", std::int64_t{0}}}});
  g.insert({merge,
            "MergeV2Checkpoints",
            device,
            {prefixes, names.file},
            {{"allow_missing_files", false}, {"delete_old_dirs", true}}});
  done.insert(done.begin(), {names.file, "^" + merge});
  g.insert({saved, "Identity", device, std::move(done), {{"T", DataType::kString}}});
}

std::string output(const std::string& node, std::size_t slot) {
  return slot == 0 ? node : fmt::format("{}:{}", node, slot);
}

std::string add_assign(GraphEditor& g, const SaverNames& names, const Saveable& s, std::string value) {
  const std::string device = device_of(g, s);
  if (g.at(s.variable).op != "VarHandleOp")
    return g.add({names("Assign"),
                  "Assign",
                  device,
                  {s.variable, std::move(value)},
                  {{"T", s.dtype},
                   {"_class", colocation_beside(g.at(s.variable))},
                   {"use_locking", true},
                   {"validate_shape", true}}});
  value = g.add({names("Identity"), "Identity", device, {std::move(value)}, {{"T", s.dtype}}});
  return g.add({names("AssignVariableOp"),
                "AssignVariableOp",
                device,
                {s.variable, std::move(value)},
                {{"dtype", s.dtype}, {"validate_shape", false}}});
}

std::string add_restore(GraphEditor& g, const SaverNames& names, const Shard& shard) {
  const std::string device = on_cpu(device_of(g, shard[0])), restore = g.unique_name(names("RestoreV2"));
  const auto parts = add_parts(g, restore, device, shard);
  g.insert({restore,
            "RestoreV2",
            device,
            {names.file, parts[0], parts[1]},
            {{"dtypes", AttrList{.type = types_of(shard)}}}});
  Group group{names("restore_shard"), "", {}};
  for (std::size_t i = 0; i < shard.size(); ++i)
    group.ops.push_back(add_assign(g, names, shard[i], output(restore, i)));
  return add_group(g, group);
}

}  // namespace

StatusOr<std::vector<Saveable>> take_shards(GraphEditor& g, const Saver& saver) {
  const SaverNames names(saver);
  if (!g.has(names("StringJoin")) || !g.has(names("num_shards")) || !g.has(names.file))
    return invalid("its saver is not a sharded one: there is no {} or {}", names("StringJoin"), names("num_shards"));
  const std::vector<std::string> under = g.names_under(names.scope);
  std::vector<Saveable> saveables;
  for (const std::string& name : under)
    if (g.at(name).op == "SaveV2") TARRY_RETURN_IF_ERROR(take_shard(g, name, under, saveables));
  std::set<std::string> kept;
  for (const Saveable& s : saveables) keep_behind(g, names, s.tensor, kept);
  for (const std::string& name : under)
    if (!kept.contains(name) && is_shards(g, names, name)) g.erase(name);
  return saveables;
}

void add_shards(GraphEditor& g, const Saver& saver, std::vector<Saveable> saveables) {
  const SaverNames names(saver);
  const std::vector<Shard> shards = shards_of(g, std::move(saveables));
  std::vector<SavedShard> saved;
  for (const Shard& s : shards) saved.push_back(add_save(g, names, s, static_cast<std::int64_t>(saved.size())));
  add_merge(g, names, saved, on_cpu(device_of(g, shards.back()[0])), std::string(node_of(saver.save)));
  g.at(names("num_shards"))
      .attrs.set("value", int_tensor(DataType::kInt32, {static_cast<std::int64_t>(shards.size())}, true));
  Group all{std::string(node_of(saver.restore)), "", {}};
  for (const Shard& s : shards) all.ops.push_back(add_restore(g, names, s));
  add_group(g, all);
}

}  // namespace tarry
