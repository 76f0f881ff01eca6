// All that a scenario file may say, key by key: types, bounds, defaults and descriptions, in schema_lines.txt. Who
// changes a key on purpose writes that file anew (the disabled test) and looks at what changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "placer/graph/read.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

const std::string kFile = TARRY_SOURCE_DIR "/scenarios/file/schema_lines.txt";

// "cluster.hosts[].nic {"type":"string",...}": a line for each part, what it holds on lines of their own.
void add_lines(std::vector<std::string>& out, const std::string& path, const Json& part) {
  Json own = part;
  for (const char* inner : {"properties", "items", "additionalProperties", "oneOf", "anyOf"})
    if (own.contains(inner) && own[inner].is_structured()) own.erase(inner);
  out.push_back(path + " " + own.dump());
  if (!part.is_object()) return;
  if (part.contains("properties"))
    for (const auto& [key, value] : part["properties"].items()) add_lines(out, path + "." + key, value);
  if (part.contains("items")) add_lines(out, path + "[]", part["items"]);
  if (part.contains("additionalProperties") && part["additionalProperties"].is_object())
    add_lines(out, path + ".*", part["additionalProperties"]);
  for (const char* choice : {"oneOf", "anyOf"})
    if (part.contains(choice))
      for (const Json& one : part[choice]) add_lines(out, path + "|", one);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> lines_now() {
  std::vector<std::string> now;
  add_lines(now, "scenario", Json::parse(scenario_schema()));
  return now;
}

TEST(SchemaLines, are_those_that_were_last_looked_at) {
  const std::vector<std::string> now = lines_now(), before = lines_of(read_file(kFile).value_or(""));
  for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i)
    ASSERT_EQ(now[i], before[i]) << "line " << i + 1 << " of " << kFile;
  EXPECT_EQ(now.size(), before.size());
}

TEST(SchemaLines, DISABLED_are_written_anew) {
  std::ofstream file(kFile);
  for (const std::string& line : lines_now()) file << line << "\n";
}

// ---- a key that stands a section too high ----

std::string refused(const std::string& line) {
  const std::string rest = "cluster: {tasks: {ps/0: a, worker/0: b}}\nstop: {steps: 1}\n";
  return std::string(text_of(parse_scenario(line + "\n" + rest, "s.yaml").status()));
}

TEST(AKey, that_belongs_into_a_section_below_is_told_which) {
  EXPECT_EQ(refused("num_tokens: 3"),
            "s.yaml:1:1: unknown key 'num_tokens' in the scenario; it belongs under build or training");
  EXPECT_EQ(refused("rack_latency: 1s"),
            "s.yaml:1:1: unknown key 'rack_latency' in the scenario; it belongs under cluster.network");
  EXPECT_THAT(refused("build: {graph: x, absent: true}"),
              testing::StartsWith("s.yaml:1:19: unknown key 'absent' in build; expected one of graph, protocol, "));
}

// ---- lists that say nothing ----

TEST(AList, that_would_say_nothing_is_refused_and_what_holds_without_it_is_told) {
  const auto said = [](const std::string& host, const std::string& network, const std::string& cost) {
    const std::string cluster = "cluster: {hosts: [a, " + host + "], tasks: {ps/0: a, worker/0: b}" + network + "}\n";
    const auto s = parse_scenario(cluster + "build: {graph: g}\ncosts: [" + cost + "]\nstop: {steps: 1}\n", "s.yaml");
    return std::string(text_of(s.status()));
  };
  EXPECT_EQ(said("b", "", ""), "") << "no costs are as good as none";
  const std::string of_cards =
      "expected a list, each a bandwidth such as 10Gbps, or 'unlimited', found an empty list; without 'nics' ";
  EXPECT_EQ(said("b", ", network: {nics: []}", ""), "s.yaml:1:73: " + of_cards + "each host has one card, of 'nic'");
  EXPECT_EQ(said("{name: b, nics: []}", "", ""), "s.yaml:1:38: " + of_cards + "it has the cards of the network");
  EXPECT_THAT(said("b", "", "{op: Mul, executions: [], time: 1s}"),
              testing::EndsWith("found an empty list; without 'executions' it speaks of all"));
}

}  // namespace
}  // namespace tarry
