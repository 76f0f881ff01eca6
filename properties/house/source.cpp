#include "properties/house/source.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tarry::house {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Walks over C++ text and blanks what is no code. Line ends stay, so that line numbers stay.
class Blanker {
 public:
  explicit Blanker(std::string text) : text_(std::move(text)) {}

  std::string run() && {
    while (at_ < text_.size()) step();
    return std::move(text_);
  }

 private:
  bool starts(std::string_view what) const { return std::string_view(text_).substr(at_, what.size()) == what; }
  char before() const { return at_ == 0 ? ' ' : text_[at_ - 1]; }

  void blank_to(std::size_t end) {
    end = std::min(end, text_.size());
    for (; at_ < end; ++at_)
      if (text_[at_] != '\n') text_[at_] = ' ';
  }
  std::size_t after(std::string_view what, std::size_t from) const {
    const auto found = text_.find(what, from);
    return found == std::string::npos ? text_.size() : found + what.size();
  }

  void step() {
    if (starts("//")) return blank_to(std::min(text_.find('\n', at_), text_.size()));
    if (starts("/*")) return blank_to(after("*/", at_ + 2));
    if (starts("R\"") && !is_word(before())) return raw_string();
    if (text_[at_] == '"') return in_quotes('"');
    if (text_[at_] == '\'' && !is_word(before())) return in_quotes('\'');  // 1'000 is a number
    ++at_;
  }
  void raw_string() {
    const auto open = text_.find('(', at_);
    const std::string close = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    blank_to(after(close, open));
  }
  void in_quotes(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    ++at_;
    blank_to(end);
    ++at_;
  }

  std::string text_;
  std::size_t at_ = 0;
};

// At the top: workers/train/build is a room like any other.
bool is_skipped(const std::string& name) { return name == ".git" || name == "build" || name == ".cache"; }

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

}  // namespace

bool is_cpp(std::string_view path) { return path.ends_with(".cpp") || path.ends_with(".hpp"); }
bool is_formatted(std::string_view path) { return is_cpp(path) || path.ends_with(".cc") || path.ends_with(".h"); }
bool is_test(std::string_view path) { return path.ends_with("_test.cpp") || path.ends_with("_test.hpp"); }
std::string at(const Source& file, std::size_t line) { return file.path + ":" + std::to_string(line); }

Source source(std::string path, std::string text) {
  std::string code = is_cpp(path) ? Blanker(text).run() : std::string();
  return {std::move(path), std::move(text), std::move(code)};
}

std::vector<Line> lines(std::string_view text) {
  std::vector<Line> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out.push_back({out.size() + 1, text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<Source> read_tree(const std::string& folder) {
  std::vector<Source> out;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    if (it.depth() == 0 && is_skipped(it->path().filename().string())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      out.push_back(source(fs::relative(it->path(), folder).generic_string(), contents(it->path())));
    }
  }
  std::ranges::sort(out, {}, &Source::path);
  return out;
}

}  // namespace tarry::house
