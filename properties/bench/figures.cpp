#include "properties/bench/figures.hpp"

#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using Json = nlohmann::json;

double seconds_in(const std::string& unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  return unit == "ms" ? 1e-3 : 1;
}

Figure figure_of(const Json& row) {
  const std::string name = row.at("name");
  const double time = processor_time(name, row.at("real_time"), row.at("cpu_time"));
  return {name, time * seconds_in(row.at("time_unit"))};
}

}  // namespace

double processor_time(std::string_view name, double real, double cpu) {
  return name.ends_with("/manual_time") ? real : cpu;
}

StatusOr<std::vector<Figure>> figures_in(const std::string& json) {
  std::vector<Figure> out;
  try {
    const Json all = Json::parse(json);
    for (const Json& row : all.at("benchmarks")) out.push_back(figure_of(row));
  } catch (const Json::exception& e) {
    return invalid("no figures of a bench: {}", e.what());
  }
  return out;
}

}  // namespace tarry
