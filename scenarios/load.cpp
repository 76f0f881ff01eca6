#include "scenarios/load.hpp"

#include <filesystem>
#include <fstream>

#include "scenarios/raw.hpp"
#include "scenarios/resolve.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;

StatusOr<std::string> read_text(const std::string& file) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (failed || !fs::exists(status)) return error(Code::kNotFound, "{}: no such file", file);
  if (!fs::is_regular_file(status)) return invalid("{}: not a file; expected a scenario in YAML", file);
  const std::uintmax_t size = fs::file_size(file, failed);
  if (failed) return invalid("{}: cannot be read", file);
  if (size > kMostBytes) return invalid("{}: has {} bytes; a scenario has at most {}", file, size, kMostBytes);
  std::string text(size, '\0');
  if (!std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size))) return invalid("{}: cannot be read", file);
  return text;
}

// One document, not empty. yaml-cpp says what is wrong by exceptions; they end here.
StatusOr<YAML::Node> parse_yaml(std::string_view text, const std::string& file) try {
  const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
  if (documents.empty() || documents[0].IsNull()) return invalid("{}: is empty; expected a scenario: a map with cluster, programs, stop", file);
  if (documents.size() > 1) return invalid("{}: has {} YAML documents; expected one", file, documents.size());
  return documents[0];
} catch (const YAML::Exception& e) {
  const YAML::Mark mark = e.mark.is_null() ? YAML::Mark() : e.mark;
  return invalid("{}:{}:{}: not YAML: {}", file, mark.line + 1, mark.column + 1, e.msg);
}

StatusOr<Scenario> read_document(const YAML::Node& document, const std::string& file) try {
  Reader in(file);
  RawScenario raw;
  scenario_type().read(in, document, raw);
  if (!in.ok()) return in.status();
  Scenario scenario = resolve(in, raw, file);
  if (!in.ok()) return in.status();
  return scenario;
} catch (const YAML::Exception& e) {
  return invalid("{}:{}:{}: {}", file, e.mark.line + 1, e.mark.column + 1, e.msg);
}

}  // namespace

StatusOr<Scenario> parse_scenario(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes) return invalid("{}: has {} bytes; a scenario has at most {}", file, text.size(), kMostBytes);
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file));
  return read_document(document, file);
}

StatusOr<Scenario> load_scenario(const std::string& path) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  const std::string file = folder ? (fs::path(path) / "scenario.yaml").string() : path;
  if (folder && !fs::exists(file, failed)) return invalid("{}: a folder without a scenario.yaml; expected a scenario", path);
  TARRY_ASSIGN(const std::string text, read_text(file));
  return parse_scenario(text, file);
}

std::string scenario_schema() {
  Json schema = scenario_type().schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "tarry scenario";
  return schema.dump(2) + "\n";
}

}  // namespace tarry
