// A sweep, or two scenarios beside each other, as one HTML page: opens from disk in any browser, needs no network and
// no server.
//
// It shows the figures that scenarios/sweep/figures.hpp makes: each measure by arm with its interval, the paired
// differences from the first arm, and tables of both. Nothing in it depends on when or where it was made.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tarry {

struct SweepPageInput {
  std::string title;
  std::string command;  // that made it: "tarry sweep policies --report out.html"
  std::string program;  // "tarry 0.9.0"
  const nlohmann::ordered_json& figures;
};

[[nodiscard]] std::string to_sweep_page(const SweepPageInput& input);

}  // namespace tarry
