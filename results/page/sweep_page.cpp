#include "results/page/sweep_page.hpp"

#include <nlohmann/json.hpp>

#include "results/page/html.hpp"
#include "results/page/template.hpp"

namespace tarry {

std::string to_sweep_page(const SweepPageInput& in) {
  nlohmann::ordered_json data = in.figures;
  data["command"] = in.command;
  data["program"] = in.program;
  return html_page(in.title, {kSweepBody, kSweepScript}, data);
}

}  // namespace tarry
