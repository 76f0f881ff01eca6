// The tables of a report as text: what each worker, each device and each pair of hosts did.
#pragma once

#include <string>

#include "results/report.hpp"

namespace tarry {

[[nodiscard]] std::string table_of_workers(const Report& report, const Shown& shown);
// These two: "" where there is nothing to tell.
[[nodiscard]] std::string table_of_devices(const Report& report, const Shown& shown);
[[nodiscard]] std::string table_of_links(const Report& report, const Shown& shown);

// "2.642 s".
[[nodiscard]] std::string to_the_millisecond(Nanos time);

}  // namespace tarry
