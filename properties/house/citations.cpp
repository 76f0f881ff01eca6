#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "properties/house/rules.hpp"

namespace tarry::house {
namespace {

using Ids = std::set<std::string>;

// The places of a Markdown file that a link may name: `<a id="C.3"></a>`, and headings by their words, as GitHub does.
Ids ids_of(const Source& file) {
  static const std::regex anchor(R"re(<a id="([^"]+)">)re"), heading(R"(^#+ (.*)$)");
  Ids ids;
  for (const Line& l : lines(file.text)) {
    const std::string line(l.text);
    for (std::sregex_iterator it(line.begin(), line.end(), anchor), end; it != end; ++it) ids.insert((*it)[1]);
    std::smatch m;
    if (!std::regex_match(line, m, heading)) continue;
    std::string words;
    for (const unsigned char c : std::string(m[1]))
      if (std::isalnum(c) != 0 || c == '-' || c == '_' || c == ' ')
        words += c == ' ' ? '-' : static_cast<char>(std::tolower(c));
    ids.insert(words);
  }
  return ids;
}

std::map<std::string, Ids> documents(const Sources& files) {
  std::map<std::string, Ids> found;
  for (const Source& f : files)
    if (f.path.ends_with(".md")) found[f.path] = ids_of(f);
  return found;
}

// "docs/rules/runtime.md#C.3, #C.4 and #D": the first names the file, those behind it are of the same.
void check_line(const Source& f, const Line& l, const std::map<std::string, Ids>& documents, Offences& out) {
  static const std::regex cited(R"((docs/rules/\w+\.md)?#([A-Za-z0-9-]+(\.[A-Za-z0-9]+)*))");
  static const std::regex bare(R"((^|[^/\w])(placer|runtime|corrections|seen_in_tensorflow)\.md\b)");
  const std::string line(l.text);
  if (std::regex_search(line, bare)) out.push_back(at(f, l.number) + ": name the document as docs/rules/X.md#SECTION");
  std::string document;
  for (std::sregex_iterator it(line.begin(), line.end(), cited), end; it != end; ++it) {
    if ((*it)[1].matched) document = (*it)[1];
    if (document.empty()) continue;
    const auto found = documents.find(document);
    if (found == documents.end() || !found->second.contains((*it)[2]))
      out.push_back(at(f, l.number) + ": no such section: " + document + "#" + (*it)[2].str());
  }
}

// "a/b/../c" is "a/c".
std::string without_dots(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string part = path.substr(from, to - from);
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    from = to + 1;
  }
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : "/") + p;
  return out;
}

// Whether a file or folder of the project has this path.
bool is_there(const Sources& files, const std::string& path) {
  return std::ranges::any_of(files, [&](const Source& s) { return s.path == path || s.path.starts_with(path + "/"); });
}

void check_link(const Source& f, const Line& l, const std::string& link, const std::map<std::string, Ids>& documents,
                const Sources& files, Offences& out) {
  if (link.find("://") != link.npos || link.starts_with("mailto:")) return;
  const std::size_t hash = std::min(link.find('#'), link.size());
  const std::string folder = f.path.substr(0, f.path.rfind('/') == f.path.npos ? 0 : f.path.rfind('/') + 1);
  const std::string target = hash == 0 ? f.path : without_dots(folder + link.substr(0, hash));
  const auto document = documents.find(target);
  if (document == documents.end() && !is_there(files, target))
    out.push_back(at(f, l.number) + ": no such file: " + link);
  else if (hash < link.size() && document != documents.end() && !document->second.contains(link.substr(hash + 1)))
    out.push_back(at(f, l.number) + ": no such section: " + link);
}

}  // namespace

Offences dangling_citations(const Sources& files) {
  const auto all = documents(files);
  Offences out;
  for (const Source& f : files)
    if (!f.path.starts_with("docs/") && !f.path.starts_with("properties/house/") && !f.path.ends_with(".json"))
      for (const Line& l : lines(f.text))
        if (l.text.find(".md") != l.text.npos) check_line(f, l, all, out);
  return out;
}

Offences dangling_links(const Sources& files) {
  static const std::regex pattern(R"(\]\(([^)\s]+)\))"), code(R"(`[^`]*`)");
  const auto all = documents(files);
  Offences out;
  for (const Source& f : files) {
    if (!f.path.ends_with(".md")) continue;
    for (const Line& l : lines(f.text)) {
      if (l.text.find("](") == l.text.npos) continue;
      const std::string line = std::regex_replace(std::string(l.text), code, "");
      for (std::sregex_iterator it(line.begin(), line.end(), pattern), end; it != end; ++it)
        check_link(f, l, (*it)[1], all, files, out);
    }
  }
  return out;
}

Offences missing_paths(const Sources& files) {
  static const std::regex pattern(
      R"(`((placer|workers|sim|results|scenarios|properties|docs)/[\w/.]+\.(cpp|hpp|md|py|cmake|json|yaml)))");
  Offences out;
  for (const Source& f : files) {
    if (!f.path.starts_with("docs/") && f.path != "README.md") continue;
    for (const Line& l : lines(f.text)) {
      const std::string line(l.text);
      for (std::sregex_iterator it(line.begin(), line.end(), pattern), end; it != end; ++it)
        if ((*it)[1].str().find("NAME") == std::string::npos && !is_there(files, (*it)[1]))
          out.push_back(at(f, l.number) + ": no such file: " + (*it)[1].str());
    }
  }
  return out;
}

}  // namespace tarry::house
