// A run as one HTML page: opens from disk in any browser, needs no network and no server.
//
// The page holds the figures of `tarry run --json` and what the charts show (charts.hpp, lanes.hpp), as JSON, and the
// script that draws them. Nothing in it depends on when or where it was made.
#pragma once

#include <string>

#include "results/page/charts.hpp"
#include "results/report.hpp"

namespace tarry {

struct PageInput {
  const Report& report;
  const EventLog& log;
  const CriticalPath* path = nullptr;  // of the run; none where nothing ended
  std::string command;                 // that made it: "tarry run 010_uneven_ps --report out.html"
  std::string program;                 // "tarry 0.9.0"
  std::string scenario;                // its text
};

// REQUIRES: the log has its kernels.
[[nodiscard]] std::string to_page(const PageInput& input);

}  // namespace tarry
