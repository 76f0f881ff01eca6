#include "properties/house/functions.hpp"

#include <algorithm>
#include <regex>

#include "properties/house/rules.hpp"

namespace tarry::house {
namespace {

enum class Kind { name_space, type, function, inner, initialiser };

// What stands before a brace or a semicolon.
struct Head {
  std::string text;
  std::size_t line = 0;

  void add(char c, std::size_t at_line) {
    if (text.empty() && std::isspace(static_cast<unsigned char>(c))) return;
    if (text.empty()) line = at_line;
    text += c;
  }
};

struct Scope {
  Kind kind = Kind::name_space;
  Function function;  // if it is one
  Head head;          // of the statement that is being read inside
  int parentheses = 0;
};

bool matches(const std::string& text, const std::regex& pattern) { return std::regex_search(text, pattern); }

bool is_access_label(std::string_view head) { return head == "public" || head == "private" || head == "protected"; }

// Without `template <...>` and attributes.
std::string declaration(std::string text) {
  static const std::regex attribute(R"(^\s*\[\[[^\]]*\]\])");
  text = std::regex_replace(text, attribute, "");
  const auto begin = text.find_first_not_of(" \n");
  if (begin == text.npos || text.compare(begin, 8, "template") != 0) return text;
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && --depth == 0) return declaration(text.substr(i + 1));
  }
  return text;
}

Kind kind_of(const Scope& around, const std::string& head) {
  if (around.kind == Kind::function || around.kind == Kind::inner) return Kind::inner;
  if (around.kind == Kind::initialiser || around.parentheses > 0) return Kind::initialiser;
  static const std::regex name_space(R"re(^\s*(inline\s+)?(namespace\b|extern\s*"))re"),
      type(R"(^\s*(class|struct|union|enum)\b)");
  static const std::regex function(
      R"((\)|\}|\)[^()]*->[^()=]*|\)\s*(const|noexcept|override|final|mutable|try|&|\s)+)\s*$)");
  const std::string text = declaration(head);
  if (matches(text, name_space)) return Kind::name_space;
  if (matches(text, type)) return Kind::type;
  return matches(text, function) && text.find('(') != text.npos ? Kind::function : Kind::initialiser;
}

bool declares_mutable_static(Kind scope, const std::string& head) {
  static const std::regex is_static(R"(^\s*(inline\s+)?(static|thread_local)\b)");
  static const std::regex is_constant(R"(^\s*((inline|static|thread_local|extern)\s+)*(const|constexpr)\b)");
  static const std::regex is_other(
      R"(^\s*(using|typedef|namespace|class|struct|concept|enum|union|template|friend|static_assert|extern|return)\b)");
  static const std::regex is_call(R"(^[^=]*\()");
  const std::string text = declaration(head);
  if (text.find_first_not_of(" \n{}") == text.npos || matches(text, is_constant)) return false;
  if (scope == Kind::function || scope == Kind::inner) return matches(text, is_static);
  if (scope == Kind::initialiser || matches(text, is_call)) return false;
  if (scope == Kind::type) return matches(text, is_static);
  return matches(text, is_static) || !matches(text, is_other);
}

std::string name_in(const std::string& head) {
  std::string name = declaration(head);
  if (name.rfind("TEST", 0) == 0 || name.rfind("RC_GTEST", 0) == 0) return name.substr(0, name.find(')') + 1);
  name.resize(std::min(name.find('('), name.size()));
  const auto space = name.find_last_of(" *&\n", name.find_last_not_of(" \n"));
  return space == name.npos ? name : name.substr(space + 1);
}

class Scanner {
 public:
  explicit Scanner(const Source& file) : file_(file) {}

  Scan run() && {
    bool continued = false;
    for (const Line& l : lines(file_.code)) {
      const auto first = l.text.find_first_not_of(' ');
      const bool is_directive = continued || (first != l.text.npos && l.text[first] == '#');
      continued = is_directive && l.text.ends_with('\\');
      line_ = l.number;
      if (is_directive) continue;
      for (const char c : l.text) step(c);
      step('\n');
    }
    return std::move(out_);
  }

 private:
  Scope& top() { return scopes_.back(); }

  void step(char c) {
    if (c == '{') return open();
    if (c == '}') return close();
    if (c == '(') ++top().parentheses;
    if (c == ')') --top().parentheses;
    if (c == ';' && top().parentheses == 0) return end_statement();
    if (c == ':' && is_access_label(top().head.text)) return void(top().head = {});
    top().head.add(c, line_);
  }
  void open() {
    const Kind kind = kind_of(top(), top().head.text);
    if (kind == Kind::inner) note_static();
    const Head& head = top().head;
    const std::size_t first = head.text.empty() ? line_ : head.line;
    Scope inside{kind, {}, {}, 0};
    if (kind == Kind::function) inside.function = {file_.path, name_in(head.text), first, 0};
    scopes_.push_back(std::move(inside));
  }
  void close() {
    if (scopes_.size() == 1) return;
    Scope inside = std::move(top());
    scopes_.pop_back();
    if (inside.kind == Kind::initialiser) return top().head.add('}', line_);
    top().head = {};
    if (inside.kind != Kind::function) return;
    inside.function.length = line_ - inside.function.line + 1;
    out_.functions.push_back(std::move(inside.function));
  }
  void end_statement() {
    note_static();
    top().head = {};
  }
  void note_static() {
    if (declares_mutable_static(top().kind, top().head.text)) out_.mutable_statics.push_back({top().head.line, {}});
  }

  const Source& file_;
  Scan out_;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  std::size_t line_ = 1;
};

}  // namespace

Scan scan(const Source& file) {
  Scan out = Scanner(file).run();
  const auto text = lines(file.text);
  for (Line& l : out.mutable_statics) l.text = text[l.number - 1].text;
  return out;
}

std::vector<Function> longer_than(std::size_t limit, const std::vector<Source>& files) {
  std::vector<Function> out;
  for (const Source& f : files)
    for (Function& function : scan(f).functions)
      if (function.length > limit) out.push_back(std::move(function));
  std::ranges::stable_sort(out, std::greater(), &Function::length);
  return out;
}

Offences mutable_statics(const Sources& files) {
  Offences out;
  for (const Source& f : files)
    for (const Line& l : scan(f).mutable_statics)
      out.push_back(at(f, l.number) + ": outlives a call and may change: " + std::string(l.text));
  return out;
}

}  // namespace tarry::house
