#include "properties/conform/rpc/python_client.hpp"

#include <algorithm>
#include <regex>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/json_fields.hpp"

namespace tarry::rpc {
namespace {

using Done = std::function<void(Json)>;

// The first call of this method anywhere in the case: what it says of the program.
Json first_request(const Json& the_case, const std::string& method) {
  for (const Json& step : the_case.at("steps"))
    for (const Json& call : step.value("calls", Json::array()))
      if (call.at("method") == method) return call.at("request");
  return Json::object();
}

Json request_of(const Json& step, const std::string& method) {
  for (const Json& call : step.value("calls", Json::array()))
    if (call.at("method") == method) return call.at("request");
  return Json::object();
}

// "INVALID_ARGUMENT" -> "InvalidArgumentError".
std::string error_class(const Status& s) {
  if (text_of(s) == ClientSession::kClosed) return "RuntimeError";
  std::string name;
  bool is_first = true;
  for (const char c : code_name(s.code())) {
    if (c != '_') name += is_first ? c : static_cast<char>(std::tolower(c));
    is_first = c == '_';
  }
  return name + "Error";
}

std::string number_text(float value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

// As Python prints what a run gives: a fetched scalar as a number, a fed one as the array that it was.
std::string repr(const TensorBody& t, bool is_fed) {
  if (t.dtype() != DataType::kFloat || !t.has_data() || t.elements() == 0) return "?";  // no program fetched such
  const std::string value = number_text(t.as<float>()[0]);
  return is_fed ? fmt::format("array({}, dtype=float32)",
                              value.ends_with(".0") ? value.substr(0, value.size() - 1) : value)
                : value;
}

Json value_json(const ClientRun& run, const std::vector<TensorRef>& values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i)
    texts.push_back(
        repr(*values[i], std::ranges::find(run.feeds, run.fetches[i], &FedTensor::name) != run.feeds.end()));
  const std::string text = texts.empty()       ? "None"
                           : texts.size() == 1 ? texts[0]
                                               : fmt::format("[{}]", fmt::join(texts, ", "));
  return {{"code", "OK"}, {"response", {{"value", text}}}};
}

Json status_json(const Status& s) {
  if (s.ok()) return {{"code", "OK"}, {"response", {{"value", "None"}}}};
  return {{"code", error_class(s)}, {"message", std::string(text_of(s))}};
}

TensorRef scalar(float value) {
  MutableTensor t = make_tensor(DataType::kFloat, Shape());
  t->mutable_as<float>()[0] = value;
  return t;
}

std::int64_t timeout_from(const std::string& text) {
  constexpr std::uint64_t kMostMs = 86'400'000;
  return static_cast<std::int64_t>(whole_number(text, kMostMs));
}

// The word or tensor that a label must have at this place.
template <class List>
const auto& item(const List& list, std::size_t at, const std::string& label) {
  if (at >= list.size()) malformed("python: '{}' lacks an argument", label);
  return list[at];
}

// Names of tensors (with a colon) and of operations; "x:0=2.0" is fed.
void add_word(ClientRun& run, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (word == "FULL_TRACE")
    run.options.trace = TraceLevel::full;
  else if (word.starts_with("timeout_in_ms="))
    run.options.timeout_ms = timeout_from(word.substr(equals + 1));
  else if (equals != std::string::npos)
    run.feeds.push_back({word.substr(0, equals), scalar(static_cast<float>(number_in(word.substr(equals + 1))))});
  else if (word.find(':') != std::string::npos)
    run.fetches.push_back(word);
  else
    run.targets.push_back(word);
}

// A node as transcripts write it.
NodeSpec node_from(const Json& j) {
  NodeSpec n{j.at("name"), j.at("op"), j.at("device"), j.at("input"), {}};
  const Json attr = j.value("attr", Json::object());
  if (!attr.contains("value")) return n;
  const TensorRef t = tensor_from(attr.at("value"));
  auto spec = std::make_shared<TensorSpec>();
  spec->dtype = t->dtype();
  spec->shape = t->shape();
  const auto raw = t->raw();
  spec->content.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
  n.attrs = {{"dtype", t->dtype()}, {"value", std::shared_ptr<const TensorSpec>(std::move(spec))}};
  return n;
}

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  const std::regex word(R"([\w/:.=]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) words.push_back(it->str());
  return words;
}

// What stands in the parentheses of "run(...)", or behind "run".
std::string arguments_of(const std::string& label) {
  const std::size_t open = label.find('('), close = label.find(')');
  if (open == std::string::npos)
    return std::regex_replace(label.substr(3), std::regex(R"(\b(target|feed|and|fetch|with|RunOptions)\b)"), "");
  return label.substr(open + 1, close - open - 1);
}

}  // namespace

PythonClient::PythonClient(Env& env, const Json& the_case,
                           const std::map<std::string, std::shared_ptr<const GraphSpec>>& graphs, MasterService& master)
    : env_(env),
      the_case_(the_case),
      master_(master),
      graph_(graphs.empty() ? std::make_shared<const GraphSpec>() : graphs.begin()->second) {}

ClientSession& PythonClient::session() {
  if (session_) return *session_;
  const Json creation = first_request(the_case_, "CreateSession");
  SessionConfig config =
      config_from(the_case_.at("setup").value("python_session_config", creation.value("config", Json::object())));
  config.disable_optimize_for_static_graph = false;  // not what the program asked for: the client adds it
  session_ = std::make_unique<ClientSession>(env_, master_, *graph_, std::move(config), text(creation, "target"));
  return *session_;
}

ClientRun PythonClient::run_of(const std::string& label, const Json& step) {
  ClientRun run;
  const Json request = request_of(step, "RunStep");
  for (const std::string& word : words_in(arguments_of(label))) add_word(run, word);
  if (label.find("with RunOptions") != std::string::npos) {
    std::smatch m;
    const std::string what = the_case_.value("what", std::string());
    if (std::regex_search(what, m, std::regex(R"(RunOptions\.timeout_in_ms=(\d+))")))
      run.options.timeout_ms = timeout_from(m[1]);
  }
  if (label.find("feed and fetch") != std::string::npos) run.feeds.push_back({item(run.fetches, 0, label), scalar(1)});
  if (run.feeds.empty())
    for (const Json& feed : request.value("feed", Json::array()))
      run.feeds.push_back({text(feed, "name"), tensor_from(feed.at("tensor"))});
  if (label.find("feed of a fetched tensor") != std::string::npos) {
    run.fetches = {item(run.feeds, 0, label).tensor};
    for (const std::string& f : texts(request, "fetch")) run.fetches.push_back(f);
    run.targets.clear();
  }
  return run;
}

void PythonClient::run(ClientRun run, const Done& done) {
  session().run(run, [run, done](StatusOr<std::vector<TensorRef>> values) {
    done(values.ok() ? value_json(run, *values) : status_json(values.status()));
  });
}

void PythonClient::reset(const std::string& label, const Done& done) {
  std::vector<std::string> words = words_in(arguments_of(label));
  (void)item(words, 0, label);
  words.erase(words.begin());  // the target
  ClientSession::reset(env_, master_, std::move(words), [done](const Status& s) { done(status_json(s)); });
}

void PythonClient::act(const std::string& label, const Json& step, Done done) {
  for (const Json& node : request_of(step, "ExtendSession").value("/graph_def/nodes"_json_pointer, Json::array()))
    if (std::ranges::find(session().graph().nodes, node.at("name").get<std::string>(), &NodeSpec::name) ==
        session().graph().nodes.end())
      session().grow({node_from(node)});
  if (label.starts_with("run")) return run(run_of(label, step), done);
  if (label.starts_with("close")) return session().close([done](const Status& s) { done(status_json(s)); });
  if (label.starts_with("Session.reset")) return reset(label, done);
  if (label.starts_with("callable")) {
    ClientRun run_now = callable_;
    run_now.feeds = {
        {item(callable_.feeds, 0, label).tensor, scalar(static_cast<float>(number_in(arguments_of(label))))}};
    return run(std::move(run_now), done);
  }
  if (label.starts_with("make_callable")) {
    const std::vector<std::string> words = words_in(arguments_of(label));
    callable_ = {{{item(words, 1, label), nullptr}}, {item(words, 0, label)}, {}, {}};
  } else {
    (void)session();
  }
  done(status_json(Status()));
}

}  // namespace tarry::rpc
