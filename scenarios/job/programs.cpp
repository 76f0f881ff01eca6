#include "scenarios/job/programs.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string without_endings(std::string path) {
  for (const char* ending : {".zst", ".pbtxt", ".pb"})
    if (path.ends_with(ending)) path.resize(path.size() - std::string_view(ending).size());
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
                 "{}: no such file; it says what the client of {} feeds and runs (README, \"Graphs of your own\")",
                 files.sidecar, files.graph);
  return files;
}

// Reads a sidecar; every access says where it went wrong.
class Sidecar {
 public:
  Sidecar(std::string file, const FeedSizes& sizes) : file_(std::move(file)), sizes_(sizes) {}

  Status fill(ClientProgram& p) try {
    TARRY_ASSIGN(const std::string text, read_file(file_));
    const Json all = Json::parse(text);
    p.name = all.at("name");
    p.targets = all.at("targets");
    p.fetches = all.at("fetches");
    p.is_chief = all.value("is_chief", true);  // in-graph: one client, which need not be a task of the cluster
    p.task = all.at("task");
    for (const Json& f : all.at("feeds")) p.feeds.push_back(feed(f));
    for (const Feed& f : p.feeds)
      if (f.dtype == DataType::kInvalid)
        return invalid("{}: the feed {} has an unknown dtype; expected one such as float32, int64, string", file_,
                       f.tensor);
    session(all.at("session"), p);
    if (all.contains("queue_runners"))
      for (const Json& q : all.at("queue_runners")) p.queue_runners.push_back(runner(q, "enqueue_ops"));
    if (all.contains("sync")) p.sync = sync(all.at("sync"));
    for (const Json& v : all.at("variables"))
      if (v.at("name") == "global_step") p.global_step = "global_step";
    return {};
  } catch (const Json::exception& e) {
    return invalid("{}: {}; expected what README, \"Graphs of your own\", shows", file_, e.what());
  }

 private:
  Feed feed(const Json& j) const {
    Feed f{j.at("name"),
           parse_type_name(j.at("dtype").get<std::string>()).value_or(DataType::kInvalid),
           {},
           j.at("optional")};
    if (const auto it = sizes_.shapes.find(f.tensor); it != sizes_.shapes.end()) {
      f.shape = it->second;
      return f;
    }
    for (const Json& d : j.at("shape")) f.shape.dims.push_back(d.is_null() ? sizes_.batch : d.get<std::int64_t>());
    return f;
  }

  static std::string text(const Json& j, const char* key) {
    const auto it = j.find(key);
    return it == j.end() || it->is_null() ? "" : it->get<std::string>();
  }

  static QueueRunner runner(const Json& j, const char* ops_key) {
    QueueRunner r{text(j, "queue"), {}, text(j, "close_op"), text(j, "cancel_op")};
    r.enqueue_ops = j.at(ops_key).get<std::vector<std::string>>();
    return r;
  }

  static void session(const Json& j, ClientProgram& p) {
    p.init_op = text(j, "init_op");
    p.local_init_op = text(j, "local_init_op");
    p.ready = text(j, "ready_op");
    p.ready_for_local_init = text(j, "ready_for_local_init_op");
    if (j.contains("saver") && j["saver"].is_object())
      p.saver = {text(j["saver"], "filename_tensor"), text(j["saver"], "save_tensor"), text(j["saver"], "restore_op")};
  }

  static SyncProgram sync(const Json& j) {
    SyncProgram s;
    s.replicas_to_aggregate = j.at("replicas_to_aggregate");
    s.total_replicas = j.at("total_num_replicas");
    s.num_tokens = j.at("num_tokens");
    s.token_queue = j.at("token_queue");
    s.chief_runner = runner(j.at("chief_queue_runner"), "sync_op");
    s.init_tokens_op = text(j, "init_tokens_op");
    s.local_init_op = text(j, "hook_local_init_op");
    s.ready_for_local_init = text(j, "ready_for_local_init_op");
    s.local_step = j.at("local_step");
    s.accumulators = j.at("accumulators").get<std::vector<std::string>>();
    s.sparse_accumulators = j.at("sparse_accumulators").get<std::vector<std::string>>();
    return s;
  }

  std::string file_;
  const FeedSizes& sizes_;
};

}  // namespace

StatusOr<GraphFiles> find_graph(const std::string& graph, const std::string& folder) {
  if (is_graph_file(graph)) return own_files(graph);
  const std::string base = folder + "/" + graph;
  if (fs::exists(base + ".pb.zst")) return GraphFiles{base + ".pb.zst", base + ".json"};
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
  ClientProgram program;
  TARRY_RETURN_IF_ERROR(Sidecar(files.sidecar, feeds).fill(program));
  TARRY_ASSIGN(GraphSpec spec, read_graph(files.graph));
  program.graph = std::make_shared<const GraphSpec>(std::move(spec));
  return program;
}

}  // namespace tarry
