// `tarry conform rpc`.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "properties/cli/conform.hpp"
#include "properties/conform/rpc.hpp"

namespace tarry {
namespace {

using OrderedJson = nlohmann::ordered_json;

void print(const RpcVerdict& v, std::size_t most) {
  if (!v.is_judged) fmt::print("{}: not yet\n", v.name);
  for (std::size_t i = 0; i < std::min(most, v.differences.size()); ++i)
    fmt::print("{}: {}\n", v.name, v.differences[i]);
}

int conform_transcripts(const ConformArguments& a) {
  const auto files = recorded_files(a.files);
  if (!files.ok()) return refuse(files.status());
  constexpr std::size_t kMostDifferences = 3;
  int agreed = 0, total = 0;
  OrderedJson rows = OrderedJson::array();
  for (const std::string& file : *files) {
    const auto v = conform_rpc(file);
    if (!v.ok()) return refuse(v.status());
    total += v->is_judged ? 1 : 0;
    agreed += v->is_judged && v->differences.empty() ? 1 : 0;
    if (a.json)
      rows.push_back({{"name", v->name}, {"judged", v->is_judged}, {"differences", v->differences}});
    else
      print(*v, kMostDifferences);
  }
  if (a.json)
    fmt::print("{}\n", OrderedJson{{"agree", agreed}, {"of", total}, {"rows", rows}}.dump(
                           1, ' ', false, OrderedJson::error_handler_t::replace));
  else
    fmt::print("agree {} of {}\n", agreed, total);
  return agreed == total ? kOk : kExpectationFailed;
}

}  // namespace

void add_conform_rpc(CommandLine& line, CLI::App& conform) {
  auto a = std::make_shared<ConformArguments>();
  CLI::App* rpc =
      conform.add_subcommand("rpc", "Recorded calls between clients, masters and workers, replayed in virtual time.");
  rpc->add_option("files", a->files, "Transcripts (JSON, perhaps .zst), or folders of them")->required();
  rpc->add_flag("--json", a->json, "Print JSON");
  rpc->callback([a, &line] { line.exit_code = conform_transcripts(*a); });
}

}  // namespace tarry
