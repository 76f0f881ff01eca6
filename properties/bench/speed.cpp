#include "properties/bench/speed.hpp"

#include "results/tables/csv.hpp"

namespace tarry {
namespace {

constexpr std::string_view kHeader = "commit,machine,figure,reference_loops";

Status check_header(const std::string& kept) {
  const std::string first = kept.substr(0, kept.find('\n'));
  if (kept.empty() || first == kHeader) return {};
  return invalid("line 1: expected '{}', and it is '{}'", kHeader, first);
}

}  // namespace

StatusOr<std::string> with_speeds(std::string kept, const std::string& commit, const std::string& machine,
                                  std::span<const Speed> rows) {
  TARRY_RETURN_IF_ERROR(check_header(kept));
  if (kept.empty()) kept = kHeader;
  if (kept.back() != '\n') kept += '\n';
  for (const Speed& s : rows)
    kept +=
        fmt::format("{},{},{},{:.4e}\n", csv_field(commit), csv_field(machine), csv_field(s.figure), s.reference_loops);
  return kept;
}

std::string machine_name(const std::string& cpuinfo, const std::string& architecture, unsigned processors) {
  constexpr std::string_view kKey = "model name";
  const std::size_t key = cpuinfo.find(kKey), colon = cpuinfo.find(": ", key);
  const bool is_named = key != cpuinfo.npos && colon != cpuinfo.npos;
  const std::string model = is_named ? cpuinfo.substr(colon + 2, cpuinfo.find('\n', colon) - colon - 2) : architecture;
  return fmt::format("{} x {}", model, processors);
}

}  // namespace tarry
