// `tarry exec`: one step of a graph, with real values, in this process.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/graph/step_stats.hpp"
#include "properties/cli/open.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/values.hpp"
#include "results/trace.hpp"
#include "workers/direct/direct_session.hpp"

namespace tarry {
namespace {

struct ExecArguments {
  std::string graph, devices, timeline;
  std::vector<std::string> feeds, fetches, targets, init;
  std::int64_t timeout_ms = 0, kernel_ns = 1000;
  std::uint64_t seed = 1;
  bool soft = false, json = false;
};

std::string with_slot(const std::string& tensor) {
  return tensor.find(':') == std::string::npos ? tensor + ":0" : tensor;
}

// As recordings have it, whose code points are bytes: a text that is typed stands for its bytes in UTF-8.
Json with_bytes_of_texts(Json value) {
  if (value.is_string()) return recorded_text(value.get<std::string>());
  if (value.is_array())
    for (Json& v : value) v = with_bytes_of_texts(std::move(v));
  return value;
}

bool is_utf8(const std::string& bytes) {
  const Json text(bytes);
  return text.dump(-1, ' ', false, Json::error_handler_t::ignore) ==
         text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "wörld" where the bytes are UTF-8, else "w\\xf6rld", as Python shows them.
std::string shown_bytes(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string out;
  for (const char c : bytes)
    out += (c & 0x80) != 0 ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return out;
}

Json with_texts_of_bytes(Json value) {
  if (value.is_string()) return shown_bytes(bytes_of_recorded(value.get<std::string>()));
  if (value.is_array())
    for (Json& v : value) v = with_texts_of_bytes(std::move(v));
  return value;
}

Json shown_json(const TensorBody& t) {
  Json j = json_of(t);
  if (t.dtype() == DataType::kString && j.contains("value")) j["value"] = with_texts_of_bytes(std::move(j["value"]));
  return j;
}

// The type and shape of nested lists.
Json described(const Json& value, DataType type) {
  Json shape = Json::array();
  for (const Json* v = &value; v->is_array(); v = &v->front()) {
    shape.push_back(v->size());
    if (v->empty()) break;
  }
  return {{"dtype", type_name(type)}, {"shape", shape}, {"value", value}};
}

StatusOr<TensorRef> tensor_of(const std::string& value, DataType type, const std::string& where) {
  auto parsed = parse_recording<Json>(value);
  Json j = parsed.ok() ? *std::move(parsed) : Json(Json::value_t::discarded);
  if (j.is_discarded() && type != DataType::kString)
    return invalid(
        "{}expected JSON such as 3 or [1.5, 2], or a file of it; there is no such file, and the text is no JSON",
        where);
  if (j.is_discarded()) j = value;
  const bool is_described = j.is_object() && j.contains("dtype") && j.contains("shape") && j.contains("value");
  if (j.is_object() && !is_described)
    return invalid("{}expected a value, or an object of dtype, shape and value", where);
  if (!is_described) j = described(j, type);
  if (type == DataType::kString) j["value"] = with_bytes_of_texts(std::move(j["value"]));
  auto t = tensor_from(j);
  if (!t.ok()) return with_prefix(t.status(), where);
  if ((*t)->dtype() != type)
    return invalid("{}the tensor is of type {}, found {}", where, type_name(type), type_name((*t)->dtype()));
  return t;
}

Status fits_placeholder(const Node& n, const TensorBody& t, const std::string& where) {
  const auto* shape = n.op->name.starts_with("Placeholder") ? n.attrs.get<Shape>("shape") : nullptr;
  const bool is_free =
      shape == nullptr || shape->unknown_rank || shape->dims.empty();  // writers of old graphs say [] for "any"
  const auto fits = [](std::int64_t want, std::int64_t have) { return want < 0 || want == have; };
  if (is_free || std::ranges::equal(shape->dims, t.shape().dims, fits)) return {};
  return invalid("{}the placeholder wants shape {}, found {}{}", where, to_string(*shape), to_string(t.shape()),
                 t.elements() > 0
                     ? ""
                     : R"(; an empty tensor says its shape: {"dtype": "float32", "shape": [0, 3], "value": []})");
}

// NAME=VALUE, where VALUE is JSON, plain text, or a file of JSON (a value, or {dtype, shape, value}).
StatusOr<std::pair<std::string, TensorRef>> parse_feed(const std::string& text, const Graph& g) {
  const auto at = text.find('=');
  if (at == std::string::npos) return invalid("--feed '{}': expected NAME=VALUE or NAME=FILE", text);
  const std::string name = with_slot(text.substr(0, at));
  std::string value = text.substr(at + 1);
  std::error_code none;
  if (std::filesystem::is_regular_file(value, none)) {
    TARRY_ASSIGN(value, read_file(value));
  }
  const Endpoint end = parse_endpoint(name);
  const NodeId n = g.find(end.node);
  if (!n.valid())
    return error(Code::kNotFound, "--feed '{}': the graph has no tensor {}{}", text, name,
                 did_you_mean(end.node, node_names(g)));
  if (end.slot < 0 || end.slot >= g.output_count(n))
    return error(Code::kNotFound, "--feed '{}': the graph has no tensor {}; {} has {} outputs", text, name, end.node,
                 g.output_count(n));
  TARRY_ASSIGN(const TensorRef t,
               tensor_of(value, base_type(g.output_type(n, end.slot)), fmt::format("--feed '{}': ", text)));
  TARRY_RETURN_IF_ERROR(fits_placeholder(g.node(n), *t, fmt::format("--feed '{}': ", text)));
  return std::pair{name, t};
}

StatusOr<std::vector<std::string>> device_names(const ExecArguments& a, const GraphSpec& graph, const Home& home) {
  if (a.devices.empty()) return std::vector<std::string>{"/job:localhost/replica:0/task:0/device:CPU:0"};
  TARRY_ASSIGN(const DeviceSet set, open_devices(a.devices, graph, home));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < set.size(); ++i) names.push_back(set[DeviceId{i}].name);
  return names;
}

// As text, numbers take many times the memory that they have as values.
Status check_size(const StepRequest& r, const std::vector<TensorRef>& results) {
  constexpr std::int64_t kMostPrinted = 10'000'000;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i]->elements() > kMostPrinted)
      return invalid("--fetch {}: {} elements, more than the {} that are printed; fetch its Shape, or a part of it",
                     r.fetches[i], results[i]->elements(), kMostPrinted);
  return {};
}

void print(const ExecArguments& a, const StepRequest& r, const std::vector<TensorRef>& results) {
  nlohmann::ordered_json all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Json j = shown_json(*results[i]);
    if (a.json)
      all[r.fetches[i]] = j;
    else
      fmt::print("{} = {} {} {}\n", r.fetches[i], type_name(results[i]->dtype()), to_string(results[i]->shape()),
                 j.contains("value") ? j["value"].dump(-1, ' ', false, Json::error_handler_t::replace) : "(no values)");
  }
  if (a.json) fmt::print("{}\n", all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// "name = Op(in0, in1)", as TensorFlow labels a node (docs/rules/runtime.md#H.4).
std::string label_of(const Graph& g, std::string_view node, std::string_view op) {
  std::vector<std::string_view> inputs;
  if (const NodeId n = g.find(node); n.valid())
    for (const EdgeId e : g.in_edges(n))
      if (!g.edge(e).is_control()) inputs.push_back(g.name(g.edge(e).src));
  return fmt::format("{} = {}({})", node, op, fmt::join(inputs, ", "));
}

std::vector<NodeExecTime> times_of(const EventLog& log, const Graph& g) {
  std::vector<NodeExecTime> times;
  for (const LoggedEvent& e : log.events())
    if (const auto* k = std::get_if<KernelRan>(&e.event))
      times.push_back({std::string(log.name(k->device)), std::string(log.name(k->node)),
                       label_of(g, log.name(k->node), log.name(k->op)), k->began, e.at - k->began});
  return times;
}

// RunMetadata for TensorBoard, tfprof and `measured` of a scenario; or a Chrome trace. By the file's ending.
Status write_timeline(const std::string& file, const EventLog& log, const Graph& g) {
  if (file.ends_with(".pb")) return write_and_say(file, run_metadata_binary(times_of(log, g)));
  if (file.ends_with(".pbtxt")) return write_and_say(file, run_metadata_text(times_of(log, g)));
  return write_and_say(file, to_chrome_trace(log, {{"this process"}}));
}

StatusOr<StepRequest> request_of(const ExecArguments& a, const Graph& g) {
  StepRequest r{.feeds = {}, .fetches = {}, .targets = a.targets, .timeout_ms = a.timeout_ms};
  for (const std::string& f : a.fetches) r.fetches.push_back(with_slot(f));
  for (const std::string& f : a.feeds) {
    TARRY_ASSIGN(auto feed, parse_feed(f, g));
    if (r.feeds.contains(feed.first)) return invalid("--feed '{}': {} is fed already", f, feed.first);
    r.feeds.insert(std::move(feed));
  }
  return r;
}

// TensorFlow says which name it does not know; this is what the user may have meant.
std::string hint_of(const StepRequest& r, const Graph& g) {
  std::vector<std::string> asked = r.targets;
  for (const std::string& f : r.fetches) asked.push_back(parse_endpoint(f).node);
  for (const std::string& name : asked)
    if (!g.find(name).valid()) return did_you_mean(name, node_names(g));
  return "";
}

// A step's INTERNAL error is TensorFlow's answer, and no defect of tarry.
Status with_hint(const Status& s, const StepRequest& r, const Graph& g) {
  if (s.ok()) return s;
  const Code code = s.code() == Code::kInternal ? Code::kUnknown : s.code();
  return error(code, "{}: {}{}", code_name(s.code()), tarry::text_of(s), hint_of(r, g));
}

Status initialise(const ExecArguments& a, DirectSession& session, const Graph& g) {
  for (const std::string& target : a.init) {
    const StepRequest request{.feeds = {}, .fetches = {}, .targets = {target}};
    TARRY_RETURN_IF_ERROR(with_hint(session.run(request).status(), request, g));
  }
  return {};
}

std::vector<NamedFile> exec_inputs(const ExecArguments& a) {
  std::vector<NamedFile> files{{"the graph", a.graph}};
  for (const std::string& f : a.feeds) files.push_back({"a feed", f.substr(f.find('=') + 1)});
  return files;
}

Status execute(const ExecArguments& a, const Home& home) {
  TARRY_RETURN_IF_ERROR(check_outputs({{"--timeline", a.timeline}}, exec_inputs(a)));
  TARRY_ASSIGN(const GraphSpec spec, open_graph(a.graph, home));
  TARRY_ASSIGN(const auto names, device_names(a, spec, home));
  const auto made = DirectSession::create(
      spec, names, {.soft_placement = a.soft, .seed = a.seed, .kernel_time = a.timeline.empty() ? 0 : a.kernel_ns});
  if (!made.ok()) return with_prefix(made.status(), a.graph + ": ");
  const auto& session = *made;
  TARRY_ASSIGN(const Graph* g, session->placed());
  TARRY_RETURN_IF_ERROR(initialise(a, *session, *g));
  TARRY_ASSIGN(const StepRequest request, request_of(a, *g));
  EventLog log(true);
  session->env().on_event = [&](const Event& e) { log.add(session->env().now(), e); };
  const auto results = session->run(request);
  log.set_names(session->env().names());
  const bool has_run =
      results.ok() || log.count() > 0;  // a step that was refused leaves the file of an earlier one alone
  if (!a.timeline.empty() && has_run) TARRY_RETURN_IF_ERROR(write_timeline(a.timeline, log, *g));
  if (!results.ok()) return with_hint(results.status(), request, *g);
  TARRY_RETURN_IF_ERROR(check_size(request, *results));
  print(a, request, *results);
  return {};
}

}  // namespace

void add_exec(CommandLine& line) {
  auto a = std::make_shared<ExecArguments>();
  CLI::App* c = &line.command;
  c->add_option("graph", a->graph, "A GraphDef or MetaGraphDef (.pb, .pbtxt, .zst), or the name of a graph that ships")
      ->required();
  c->add_option("--feed", a->feeds, "NAME=VALUE (JSON: 3, [1.5, 2]) or NAME=FILE of JSON");
  c->add_option("--fetch", a->fetches, "Tensors to print");
  c->add_option("--target", a->targets, "Ops to run");
  c->add_option("--init", a->init, "Ops to run first, each in a step of its own");
  c->add_option("--devices", a->devices, "from-graph, or a list of device names; default: one CPU");
  c->add_option("--timeout-ms", a->timeout_ms, "End a step that has not ended after so many milliseconds")
      ->check(whole_number());
  c->add_option("--seed", a->seed, "The seed of random ops")->capture_default_str();
  c->add_option("--timeline", a->timeline,
                "Write the step: FILE.pb or FILE.pbtxt as TensorFlow's RunMetadata, else as a Chrome trace; each "
                "kernel takes the same time")
      ->check(new_file());
  c->add_option("--kernel-ns", a->kernel_ns, "The time of a kernel in --timeline")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000}));
  c->add_flag(
      "--soft", a->soft,
      "Soft placement: where a requested device does not exist or has no kernel, another one of the task serves");
  c->add_flag("--json", a->json, "Print JSON");
  c->callback([a, &line] {
    const Status s = execute(*a, line.home);
    const int refused = s.ok() ? kOk : refuse(s);
    line.exit_code = s.code() == Code::kDeadlineExceeded ? kDeadlock : refused;
  });
}

}  // namespace tarry
