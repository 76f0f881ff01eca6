#include "scenarios/file/load.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "placer/core/text.hpp"
#include "scenarios/file/fault_resolve.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/raw.hpp"
#include "scenarios/file/resolve.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{512} << 10;
constexpr int kMostValues = 60'000;

StatusOr<std::string> read_text(const std::string& file) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (failed || !fs::exists(status)) return error(Code::kNotFound, "{}: no such file", file);
  if (!fs::is_regular_file(status)) return invalid("{}: not a file; expected a scenario in YAML", file);
  const std::uintmax_t size = fs::file_size(file, failed);
  if (failed) return invalid("{}: cannot be read", file);
  if (size > kMostBytes) return invalid("{}: has {} bytes; a scenario has at most {}", file, size, kMostBytes);
  std::string text(size, '\0');
  if (!std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size)))
    return invalid("{}: cannot be read", file);
  return text;
}

// Counts a document's values as they are scanned, before anything is built of them.
class Census : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& at) override { document = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& at, YAML::anchor_t) override { count(at); }
  void OnAlias(const YAML::Mark& at, YAML::anchor_t) override { count(at); }
  void OnScalar(const YAML::Mark& at, const std::string&, YAML::anchor_t, const std::string&) override { count(at); }
  void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    count(at);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    count(at);
  }
  void OnMapEnd() override {}

  YAML::Mark document;  // where the last one began

 private:
  void count(const YAML::Mark& at) {
    if (++values_ > kMostValues) throw YAML::ParserException(at, fmt::format("more than {} values", kMostValues));
  }
  int values_ = 0;
};

// yaml-cpp's own LoadAll never ends on "[],": it finds empty documents for ever.
void check_one_document(std::string_view text) {
  std::istringstream in{std::string(text)};
  YAML::Parser parser(in);
  Census census;
  if (!parser.HandleNextDocument(census))
    throw YAML::ParserException(YAML::Mark(),
                                "it is empty; expected a scenario: a map with cluster, programs or build, stop");
  if (parser.HandleNextDocument(census))
    throw YAML::ParserException(census.document, "something follows the first document; expected one");
}

// The tab that indents a line of the text, or the line before it; none where spaces do.
std::optional<Position> find_indenting_tab(std::string_view text, int line) {
  const auto lines = split(text, '\n');
  for (int i = std::max(1, line - 1); i <= line && std::cmp_less_equal(i, lines.size()); ++i) {
    const std::string_view one = lines[static_cast<std::size_t>(i) - 1];
    if (const std::size_t tab = one.find_first_not_of(' '); tab != one.npos && one[tab] == '\t')
      return Position{i, static_cast<int>(tab) + 1};
  }
  return std::nullopt;
}

// yaml-cpp says what is wrong by exceptions; they end here.
StatusOr<YAML::Node> parse_yaml(std::string_view text, const std::string& file) try {
  check_one_document(text);
  return YAML::Load(std::string(text));
} catch (const YAML::DeepRecursion& e) {
  return invalid("{}:{}:{}: nested too deeply, {} levels", file, e.mark.line + 1, e.mark.column + 1, e.depth());
} catch (const YAML::Exception& e) {
  const YAML::Mark mark = e.mark.is_null() ? YAML::Mark() : e.mark;
  if (const auto tab = find_indenting_tab(text, mark.line + 1))
    return invalid("{}:{}:{}: a tab cannot indent in YAML; expected spaces", file, tab->line, tab->column);
  return invalid("{}:{}:{}: {}", file, mark.line + 1, mark.column + 1, e.msg);
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

// The names of a scenario that was read before.
Lookup lookup_of(Reader& in, const Scenario& s) {
  Lookup names(in, s.cluster);
  for (const ProgramSpec& p : s.programs) names.with_program.insert(p.task);
  for (std::size_t i = 0; s.build && i < s.cluster.tasks.size(); ++i)
    if (s.cluster.tasks[i].name.starts_with("/job:worker/replica:0/")) names.with_program.insert(TaskId{i});
  return names;
}

}  // namespace

StatusOr<Scenario> parse_scenario(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes)
    return invalid("{}: has {} bytes; a scenario has at most {}", file, text.size(), kMostBytes);
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file));
  return read_document(document, file);
}

StatusOr<Fault> parse_fault(std::string_view text, const Scenario& scenario) {
  const std::string file = "fault";
  if (text.size() > kMostBytes) return invalid("{}: has {} bytes; expected one fault", file, text.size());
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file));
  Reader in(file);
  RawFault raw;
  fault_type().read(in, document, raw);
  if (!in.ok()) return in.status();
  Fault fault = resolve_fault(in, lookup_of(in, scenario), scenario.cluster, raw);
  if (!in.ok()) return in.status();
  return fault;
}

StatusOr<Must> parse_must(std::string_view text, const Scenario& scenario) {
  const std::string file = "must";
  if (text.size() > kMostBytes) return invalid("{}: has {} bytes; expected one section", file, text.size());
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(fmt::format("{{{}}}", text), file));
  Reader in(file);
  RawMust raw;
  must_type().read(in, document, raw);
  if (!in.ok()) return in.status();
  Must must = resolve_must(in, raw, scenario.stop.time);
  if (!in.ok()) return in.status();
  return must;
}

StatusOr<Scenario> load_scenario(const std::string& path) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  const std::string file = folder ? (fs::path(path) / "scenario.yaml").string() : path;
  if (folder && !fs::exists(file, failed))
    return invalid("{}: a folder without a scenario.yaml; expected a scenario", path);
  for (const char* ending : {".pb", ".pbtxt", ".meta", ".pb.zst", ".pb.gz"})
    if (file.ends_with(ending))
      return invalid(
          "{}: this is a graph, and a scenario is wanted: a YAML file that names the graph under 'build' or "
          "'programs' (`tarry place` and `tarry exec` take graphs)",
          file);
  TARRY_ASSIGN(const std::string text, read_text(file));
  return parse_scenario(text, file);
}

std::string scenario_schema() {
  Json schema = scenario_type().schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "tarry scenario";
  schema["oneOf"] = Json::array({{{"required", {"programs"}}}, {{"required", {"build"}}}});
  return schema.dump(2) + "\n";
}

}  // namespace tarry
