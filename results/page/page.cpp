#include "results/page/page.hpp"

#include <nlohmann/json.hpp>

#include "results/page/html.hpp"
#include "results/page/lanes.hpp"
#include "results/page/template.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

// What `--json` prints, without what the charts have in a shorter form.
Json figures_of(const Report& report) {
  Json j = to_json(report);
  j.erase("aggregates");
  j.erase("accumulators");
  for (Json& worker : j["workers"]) worker.erase("tokens");
  return j;
}

// A block is [begin since that of the one before, length, name, how many, amount]; the last two are left out where it
// stands for itself, and its amount is its time.
Json json_of(const Lane& lane) {
  Json blocks = Json::array();
  Nanos before = 0;
  for (const Block& b : lane.blocks) {
    Json block{b.from - before, b.to - b.from, b.name};
    if (b.count > 1 || b.amount != static_cast<std::uint64_t>(b.to - b.from))
      block.insert(block.end(), {b.count, b.amount});
    blocks.push_back(std::move(block));
    before = b.from;
  }
  constexpr const char* kKinds[] = {"steps", "kernels", "messages"};
  return {{"kind", kKinds[static_cast<std::size_t>(lane.kind)]},
          {"label", lane.label},
          {"items", lane.items},
          {"blocks", blocks}};
}

Json json_of(const TimeLine& line) {
  Json j{{"resolution_ns", line.resolution}, {"names", Json::array()}, {"lanes", Json::array()}};
  for (const BlockName& n : line.names) j["names"].push_back({n.text, n.group});
  for (const Lane& lane : line.lanes) j["lanes"].push_back(json_of(lane));
  return j;
}

}  // namespace

std::string to_page(const PageInput& in) {
  const Contributions& c = in.report.contributions;
  const TaskNames& tasks = in.report.tasks;
  const Json data{{"command", in.command},
                  {"program", in.program},
                  {"scenario", in.scenario},
                  {"ended_ns", in.log.ended_at - in.log.started_at},
                  {"report", figures_of(in.report)},
                  {"waits", in.report.waits},
                  {"marks", marks_chart(in.log, tasks)},
                  {"line", json_of(time_line(in.log, tasks))},
                  {"step_times", step_times_chart(c, tasks)},
                  {"aggregates", aggregates_chart(c, tasks)},
                  {"curves", curves_chart(in.log, c)},
                  {"staleness", staleness_chart(in.log, c)},
                  {"traffic", traffic_chart(in.log, tasks)},
                  {"path", in.path == nullptr ? Json() : path_chart(*in.path, in.log, c, tasks)}};
  return html_page(in.report.title, {kPageBody, kPageScript}, data);
}

}  // namespace tarry
