// `tarry list`: the scenarios that ship, and the training graphs.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "results/json_text.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct ListArguments {
  std::vector<std::string> words;
  bool graphs = false, json = false;
};

struct Listed {
  std::string name, title, text;  // text: all that it is searched by
};

// "040_worker_dies" and what else it is called: "worker dies", "40".
std::string names_of(const std::string& name) {
  std::string words = name;
  std::ranges::replace(words, '_', ' ');
  return name + " " + words + " " + name.substr(std::min(name.find_first_not_of('0'), name.size()));
}

// The verdicts that it expects, and the kinds of its faults: "latency_bound kill latency bound kill".
std::string kinds_in(const Scenario& s) {
  std::string kinds;
  for (const std::string& verdict : s.expect.verdicts) kinds += verdict + " ";
  for (const Fault& f : s.faults) {
    const std::string line = faults_line({&f, 1}, s.cluster);
    kinds += line.substr(0, line.find(' ')) + " ";
  }
  std::string words = kinds;
  std::ranges::replace(words, '_', ' ');
  return kinds + words;
}

Listed listed(const std::string& name, const Home& home) {
  const std::string folder = home.cases() + "/" + name;
  const auto scenario = load_scenario(folder);
  const auto document = read_file(folder + "/README.md");
  const std::string title = scenario.ok() ? scenario->title : "(" + std::string(text_of(scenario.status())) + ")";
  const std::string kinds = scenario.ok() ? kinds_in(*scenario) : "";
  return {name, title, fmt::format("{}\n{}\n{}\n{}", names_of(name), title, kinds, document.value_or(""))};
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "hang" begins a word of "it hangs", and not of "it changes".
bool begins_a_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) return true;
  return false;
}

bool speaks_of(const Listed& l, const std::vector<std::string>& words) {
  const std::string text = lower(l.text);
  return std::ranges::all_of(words, [&](const std::string& w) { return begins_a_word(text, lower(w)); });
}

// ---- graphs ----

// "x:0 float32 [?, 784]"; what a client need not feed is left out.
std::string feed_in_words(const Json& feed) {
  std::vector<std::string> dims;
  for (const Json& d : feed["shape"]) dims.push_back(d.is_null() ? "?" : d.dump());
  return fmt::format("{} {} [{}]", feed["name"].get<std::string>(), feed["dtype"].get<std::string>(), join(dims, ", "));
}

struct ListedGraph {
  std::string name, description;
  std::vector<std::string> feeds;
};

ListedGraph graph_listed(const std::string& name, const Home& home) {
  ListedGraph out{name, "", {}};
  const auto files = find_graph(name, home.graphs());
  const auto text = files.ok() ? read_file(files->sidecar) : StatusOr<std::string>(files.status());
  const Json sidecar = text.ok() ? Json::parse(*text, nullptr, false) : Json();
  if (!sidecar.is_object()) return out;
  out.description = sidecar.value("description", "");
  for (const Json& feed : sidecar.value("feeds", Json::array()))
    if (!feed.value("optional", false)) out.feeds.push_back(feed_in_words(feed));
  return out;
}

std::string in_words(const ListedGraph& g) {
  return fmt::format("{:<36} {}\n{:<36} feeds: {}\n", g.name, g.description, "",
                     g.feeds.empty() ? "none" : join(g.feeds, ", "));
}

// ---- what is said ----

int nothing_found(const ListArguments& a) {
  return refuse(error(Code::kNotFound, "no {0} speaks of {1}; `tarry list{2}` shows all",
                      a.graphs ? "graph" : "scenario", join(a.words, " and "), a.graphs ? " --graphs" : ""));
}

int list_all_graphs(const ListArguments& a, const Home& home) {
  Json all = Json::array();
  for (const std::string& name : list_graphs(home.graphs())) {
    const ListedGraph g = graph_listed(name, home);
    if (!speaks_of({g.name, "", g.name + " " + g.description + " " + join(g.feeds, " ")}, a.words)) continue;
    all.push_back({{"name", g.name}, {"description", g.description}, {"feeds", g.feeds}});
    if (!a.json) fmt::print("{}", in_words(g));
  }
  if (a.json) fmt::print("{}\n", json_text(all, 1));
  return all.empty() ? nothing_found(a) : kOk;
}

int list_scenarios(const ListArguments& a, const Home& home) {
  Json all = Json::array();
  for (const std::string& name : case_names(home.cases())) {
    const Listed l = listed(name, home);
    if (!speaks_of(l, a.words)) continue;
    all.push_back({{"name", l.name}, {"title", l.title}});
    if (!a.json) fmt::print("{:<28} {}\n", l.name, l.title);
  }
  if (a.json) fmt::print("{}\n", json_text(all, 1));
  return all.empty() ? nothing_found(a) : kOk;
}

}  // namespace

void add_list(CommandLine& line) {
  auto a = std::make_shared<ListArguments>();
  CLI::App* c = &line.command;
  c->add_option(
      "words", a->words,
      "Words that must all occur in its number, name, title, README.md, expected verdicts or kinds of faults: a "
      "symptom, an error text, an issue number, 'latency_bound', 'disconnect'");
  c->add_flag("--graphs", a->graphs, "List the training graphs that ship, with what a client feeds");
  c->add_flag("--json", a->json, "Print a JSON list");
  c->callback(
      [a, &line] { line.exit_code = a->graphs ? list_all_graphs(*a, line.home) : list_scenarios(*a, line.home); });
}

}  // namespace tarry
