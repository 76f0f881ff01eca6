#include "scenarios/file/yaml.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "placer/core/text.hpp"
#include "scenarios/file/position.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr int kMostValues = 60'000;

// yaml-cpp takes some of them for the end of the text, and some for others.
void check_printable(std::string_view text) {
  const auto at = std::ranges::find_if(text, is_control_character);
  if (at == text.end()) return;
  YAML::Mark mark;
  mark.line = static_cast<int>(std::count(text.begin(), at, '\n'));
  mark.column = static_cast<int>(
      at - text.begin() -
      static_cast<std::ptrdiff_t>(text.substr(0, static_cast<std::size_t>(at - text.begin())).rfind('\n') + 1));
  throw YAML::ParserException(
      mark, fmt::format("the control character 0x{:02x}; expected printable text", static_cast<unsigned char>(*at)));
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
void check_one_document(std::string_view text, const std::string& what) {
  std::istringstream in{std::string(text)};
  YAML::Parser parser(in);
  Census census;
  if (!parser.HandleNextDocument(census))
    throw YAML::ParserException(YAML::Mark(), fmt::format("it is empty; expected {}", what));
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

// What yaml-cpp says of the mistakes that are made most, and what it means to whoever wrote the file.
struct Mistake {
  std::string_view said, meaning;
};
constexpr Mistake kMistakes[] = {
    {"illegal EOF in scalar", "a quote is opened here and never closed"},
    {"end of map flow not found", "a '{' has no '}', or a ',' is missing"},
    {"end of sequence flow not found", "a '[' has no ']', or a ',' is missing"},
    {"illegal flow end", "a '}' or ']' closes nothing"},
    {"illegal map value",
     "a ':' that nothing expects: the line is not in line with those above it, or the text needs quotes"},
    {"end of map not found", "no key: the line is not in line with those above it, or a ':' is missing"},
    {"unknown token", "a text cannot begin with this letter without quotes"},
};

std::string in_plain_words(const std::string& said) {
  const auto* const known = std::ranges::find(kMistakes, said, &Mistake::said);
  return known == std::end(kMistakes) ? said : fmt::format("{} ({})", known->meaning, said);
}

}  // namespace

StatusOr<std::string> read_yaml_file(const std::string& file, const std::string& what) {
  std::error_code failed;
  const auto status = fs::status(file, failed);
  if (failed || !fs::exists(status)) return error(Code::kNotFound, "{}: no such file", file);
  if (!fs::is_regular_file(status)) return invalid("{}: not a file; expected {} in YAML", file, what);
  const std::uintmax_t size = fs::file_size(file, failed);
  if (failed) return invalid("{}: cannot be read", file);
  if (size > kMostYamlBytes) return invalid("{}: has {} bytes; {} has at most {}", file, size, what, kMostYamlBytes);
  std::string text(size, '\0');
  if (!std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size)))
    return invalid("{}: cannot be read", file);
  return text;
}

// yaml-cpp says what is wrong by exceptions; they end here.
StatusOr<YAML::Node> parse_yaml(std::string_view text, const std::string& file, const std::string& what) try {
  check_printable(text);
  check_one_document(text, what);
  return YAML::Load(std::string(text));
} catch (const YAML::DeepRecursion& e) {
  return invalid("{}:{}:{}: nested too deeply, {} levels", file, e.mark.line + 1, e.mark.column + 1, e.depth());
} catch (const YAML::Exception& e) {
  const YAML::Mark mark = e.mark.is_null() ? YAML::Mark() : e.mark;
  if (const auto tab = find_indenting_tab(text, mark.line + 1))
    return invalid("{}:{}:{}: a tab cannot indent in YAML; expected spaces", file, tab->line, tab->column);
  return invalid("{}:{}:{}: {}", file, mark.line + 1, mark.column + 1, in_plain_words(e.msg));
}

}  // namespace tarry
