#include "scenarios/job/programs.hpp"

#include <algorithm>
#include <filesystem>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/job/json_entry.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

std::string without_endings(std::string path) {
  for (const char* ending : {".zst", ".pbtxt", ".pb"})
    if (path.ends_with(ending)) path.erase(path.size() - std::string_view(ending).size());
  return path;
}

StatusOr<GraphFiles> own_files(const std::string& graph) {
  GraphFiles files{graph, without_endings(graph) + ".json"};
  std::error_code none;
  if (!fs::exists(files.graph, none))
    return error(
        Code::kNotFound,
        "{}: no such file; expected a GraphDef (.pb, .pbtxt, .zst), or the name of a graph that ships with tarry",
        files.graph);
  if (!fs::exists(files.sidecar, none))
    return error(Code::kNotFound,
                 "{}: no such file; it says what the client of {} feeds and runs (docs/manual.md, section 7)",
                 files.sidecar, files.graph);
  return files;
}

// ---- the keys of a sidecar: what is read, and what recorders of graphs add for people ----

using Texts = std::vector<std::string>;

const Texts& keys_of_all() {
  static const Texts keys = {
      "name", "task", "is_chief", "feeds", "targets", "fetches", "variables", "session", "sync", "queue_runners",
      // for people
      "description", "family", "file", "bytes", "sha256", "init", "variable_kind", "cluster", "num_nodes", "num_edges",
      "control_flow_ops", "num_while_frames", "op_kinds", "devices_requested", "tf_version", "how", "ps_strategy"};
  return keys;
}
const Texts& keys_of_feed() {
  static const Texts keys = {"name", "dtype", "shape", "optional"};
  return keys;
}
const Texts& keys_of_variable() {
  static const Texts keys = {"name", "dtype", "shape", "device", "op", "local"};
  return keys;
}
const Texts& keys_of_session() {
  static const Texts keys = {"init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op", "saver"};
  return keys;
}
const Texts& keys_of_saver() {
  static const Texts keys = {"filename_tensor", "save_tensor", "restore_op", "sharded"};
  return keys;
}
const Texts& keys_of_runner() {
  static const Texts keys = {"queue", "enqueue_ops", "close_op", "cancel_op"};
  return keys;
}
const Texts& keys_of_chief_runner() {
  static const Texts keys = {"queue", "sync_op", "close_op", "cancel_op", "in_this_graph_runs"};
  return keys;
}
const Texts& keys_of_sync() {
  static const Texts keys = {"replicas_to_aggregate", "total_num_replicas", "num_tokens", "token_queue",
                             "chief_queue_runner", "init_tokens_op", "hook_local_init_op", "ready_for_local_init_op",
                             "local_step", "accumulators", "sparse_accumulators",
                             // for people
                             "train_op", "chief_init_op", "local_step_init_op", "apply_gradient_ops",
                             "take_gradient_ops", "set_global_step_ops"};
  return keys;
}

// Reads a sidecar; every access says where it went wrong.
class Sidecar {
 public:
  Sidecar(std::string file, const FeedSizes& sizes) : file_(std::move(file)), sizes_(sizes) {}

  Status fill(const std::string& text, ClientProgram& p) try {
    TARRY_ASSIGN(const nlohmann::json json, parse_json(file_, text));
    const JsonEntry all(json);
    all.expect_keys(keys_of_all());
    p.name = all.get<std::string>("name");
    p.targets = all.get<Texts>("targets");
    p.fetches = all.get<Texts>("fetches");
    p.is_chief = all.get("is_chief", true);  // in-graph: one client, which need not be a task of the cluster
    p.task = all.get<std::string>("task");
    for (const JsonEntry& f : all.items("feeds", "a list of what a step feeds")) p.feeds.push_back(feed(f));
    session(all.at("session", "a map with init_op, ready_op and others"), p);
    if (all.has("queue_runners"))
      for (const JsonEntry& q : all.items("queue_runners", "a list"))
        p.queue_runners.push_back(runner(q, keys_of_runner(), "enqueue_ops"));
    if (all.has("sync")) p.sync = sync(all.at("sync", "a map"));
    for (const JsonEntry& v : all.items("variables", "a list of maps with a name")) {
      if (v.get<std::string>("name") == "global_step") p.global_step = "global_step";
      v.expect_keys(keys_of_variable());
    }
    return {};
  } catch (const JsonEntry::Wrong& e) {
    return invalid("{}: {} (docs/manual.md, section 7)", file_, e.what());
  }

 private:
  [[nodiscard]] Feed feed(const JsonEntry& j) const {
    j.expect_keys(keys_of_feed());
    Feed f{j.get<std::string>("name"), dtype(j), {}, j.get<bool>("optional")};
    if (const auto it = sizes_.shapes.find(f.tensor); it != sizes_.shapes.end()) {
      f.shape = it->second;
      return f;
    }
    for (const JsonEntry& d : j.items("shape", "a list of sizes, null for the batch")) {
      f.takes_batch = f.takes_batch || d.is_null();
      f.shape.dims.push_back(d.is_null() ? sizes_.batch : d.within(0, kMostOfDimension));
    }
    return f;
  }

  static DataType dtype(const JsonEntry& j) {
    const auto type = parse_type_name(j.get<std::string>("dtype"));
    if (!type || *type == DataType::kInvalid)
      throw JsonEntry::Wrong(fmt::format(
          "the feed {} has an unknown dtype; expected one such as float32, int64, string", j.get<std::string>("name")));
    return *type;
  }

  static std::string text(const JsonEntry& j, const char* key) { return j.get(key, std::string()); }

  static QueueRunner runner(const JsonEntry& j, const Texts& keys, const char* ops_key) {
    j.expect_keys(keys);
    QueueRunner r{text(j, "queue"), {}, text(j, "close_op"), text(j, "cancel_op")};
    r.enqueue_ops = j.get<Texts>(ops_key);
    return r;
  }

  static int count(const JsonEntry& j, const char* key, int low) {
    return static_cast<int>(j.at(key, "a whole number").within(low, kMostReplicas));
  }

  static void session(const JsonEntry& j, ClientProgram& p) {
    j.expect_keys(keys_of_session());
    p.init_op = text(j, "init_op");
    p.local_init_op = text(j, "local_init_op");
    p.ready = text(j, "ready_op");
    p.ready_for_local_init = text(j, "ready_for_local_init_op");
    if (!j.has("saver")) return;
    const JsonEntry saver = j.at("saver", "a map");
    saver.expect_keys(keys_of_saver());
    p.saver = {text(saver, "filename_tensor"), text(saver, "save_tensor"), text(saver, "restore_op")};
  }

  static SyncProgram sync(const JsonEntry& j) {
    j.expect_keys(keys_of_sync());
    SyncProgram s;
    s.replicas_to_aggregate = count(j, "replicas_to_aggregate", 1);
    s.total_replicas = count(j, "total_num_replicas", 1);
    s.num_tokens = count(j, "num_tokens", -1);
    s.token_queue = j.get<std::string>("token_queue");
    s.chief_runner = runner(j.at("chief_queue_runner", "a map"), keys_of_chief_runner(), "sync_op");
    s.init_tokens_op = text(j, "init_tokens_op");
    s.local_init_op = text(j, "hook_local_init_op");
    s.ready_for_local_init = text(j, "ready_for_local_init_op");
    s.local_step = j.get<std::string>("local_step");
    s.accumulators = j.get<Texts>("accumulators");
    s.sparse_accumulators = j.get<Texts>("sparse_accumulators");
    return s;
  }

  static constexpr std::int64_t kMostReplicas = 1'000'000, kMostOfDimension = std::int64_t{1} << 40;

  std::string file_;
  const FeedSizes& sizes_;
};

// ---- the saver that a sidecar names ----

std::string_view op_of(std::string_view name) {  // "a" of "a:0" and "^a"
  if (name.starts_with('^')) name.remove_prefix(1);
  return name.substr(0, name.find(':'));
}
std::string_view scope_of(std::string_view op) { return op.substr(0, op.rfind('/') == op.npos ? 0 : op.rfind('/')); }

class SaverCheck {
 public:
  SaverCheck(const GraphSpec& graph, const std::string& file) : graph_(graph), file_(file) {}

  Status run(const Saver& s) const {
    if (s.filename.empty() && s.save.empty() && s.restore.empty()) return {};
    TARRY_RETURN_IF_ERROR(expect("filename_tensor", s.filename, {"PlaceholderWithDefault", "Placeholder", "Const"}));
    TARRY_RETURN_IF_ERROR(expect("restore_op", s.restore, {"NoOp"}));
    TARRY_RETURN_IF_ERROR(expect("save_tensor", s.save, {"Identity"}));
    if (is_taken_in_its_scope(op_of(s.restore)))
      return wrong("restore_op", s.restore,
                   "expected what stands behind all that it restores, such as save/restore_all");
    if (scope_of(op_of(s.save)) != scope_of(op_of(s.restore)) || is_taken_in_its_scope(op_of(s.save)))
      return wrong("save_tensor", s.save,
                   "expected what stands behind all that the saver writes, such as save/Identity:0");
    return {};
  }

 private:
  [[nodiscard]] Status wrong(const char* key, const std::string& name, const std::string& what) const {
    return invalid("{}: 'session.saver.{}' is '{}'; {} (docs/manual.md, section 7)", file_, key, name, what);
  }

  [[nodiscard]] Status expect(const char* key, const std::string& name, const std::vector<std::string>& ops) const {
    const auto node = std::ranges::find(graph_.nodes, op_of(name), &NodeSpec::name);
    if (node == graph_.nodes.end())
      return wrong(key, name, "expected the name of its saver_def, and the graph has no such op");
    if (std::ranges::find(ops, node->op) == ops.end())
      return wrong(key, name, fmt::format("the op is {}; expected {}", node->op, join(ops, " or ")));
    return {};
  }

  [[nodiscard]] bool is_taken_in_its_scope(std::string_view op) const {
    const std::string scope = std::string(scope_of(op)) + "/";
    return std::ranges::any_of(graph_.nodes, [&](const NodeSpec& n) {
      return n.name.starts_with(scope) &&
             std::ranges::any_of(n.inputs, [&](const std::string& input) { return op_of(input) == op; });
    });
  }

  const GraphSpec& graph_;
  const std::string& file_;
};

}  // namespace

StatusOr<ClientProgram> parse_sidecar(const std::string& text, const std::string& file, const FeedSizes& feeds) {
  ClientProgram program;
  TARRY_RETURN_IF_ERROR(Sidecar(file, feeds).fill(text, program));
  return program;
}

StatusOr<GraphFiles> find_graph(const std::string& graph, const std::string& folder) {
  if (is_graph_file(graph)) return own_files(graph);
  const std::string base = folder + "/" + graph;
  std::error_code none;
  if (fs::exists(base + ".pb.zst", none)) return GraphFiles{base + ".pb.zst", base + ".json"};
  return error(Code::kNotFound, "no graph '{}' in {}{}", graph, folder, did_you_mean(graph, list_graphs(folder)));
}

bool is_graph_file(const std::string& graph) {
  return graph.find('/') != std::string::npos || without_endings(graph) != graph;
}

std::vector<std::string> list_graphs(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (const std::string file = entry.path().filename(); file.ends_with(".pb.zst"))
      names.push_back(without_endings(file));
  std::ranges::sort(names);
  return names;
}

StatusOr<ClientProgram> load_program(const std::string& graph, const std::string& graphs_folder,
                                     const FeedSizes& feeds) {
  TARRY_ASSIGN(const GraphFiles files, find_graph(graph, graphs_folder));
  TARRY_ASSIGN(const std::string sidecar, read_file(files.sidecar));
  TARRY_ASSIGN(ClientProgram program, parse_sidecar(sidecar, files.sidecar, feeds));
  TARRY_ASSIGN(GraphSpec spec, read_graph(files.graph));
  TARRY_RETURN_IF_ERROR(SaverCheck(spec, files.sidecar).run(program.saver));
  program.graph = std::make_shared<const GraphSpec>(std::move(spec));
  return program;
}

}  // namespace tarry
