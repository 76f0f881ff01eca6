#include "results/page/html.hpp"

#include <nlohmann/json.hpp>

#include "results/json_text.hpp"
#include "results/page/template.hpp"

namespace tarry {
namespace {

// JSON within HTML: a "</script>" in a name does not end it.
std::string for_html(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

// Bytes that are no UTF-8 become the replacement character, as in JSON.
std::string as_utf8(std::string_view text) {
  return nlohmann::ordered_json::parse(json_text(nlohmann::ordered_json(std::string(text)))).get<std::string>();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : as_utf8(text)) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string html_page(std::string_view title, const PageParts& parts, const nlohmann::ordered_json& data) {
  std::string out(kPageHead);
  out += "<title>" + escaped(title) + "</title>\n<style>\n" + kPageStyle + "</style>\n" + std::string(parts.body);
  out += "<script type=\"application/json\" id=\"data\">" + for_html(json_text(data)) + "</script>\n";
  return out + "<script>\n" + std::string(parts.script) + "</script>\n</body>\n</html>\n";
}

}  // namespace tarry
