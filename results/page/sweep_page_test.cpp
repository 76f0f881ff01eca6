#include "results/page/sweep_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of_sweep() {
  const nlohmann::ordered_json figures{{"axes", {"<b>"}},
                                       {"arms", {{{"values", {"</script><script>alert(1)</script>"}}}}}};
  return to_sweep_page({"A <b> & more", "tarry sweep x --report y.html", "tarry 1", figures});
}

TEST(SweepPage, has_its_figures_and_what_made_it) {
  const std::string html = page_of_sweep(), begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  EXPECT_EQ(data["arms"][0]["values"][0], "</script><script>alert(1)</script>");
  EXPECT_EQ(data["command"], "tarry sweep x --report y.html");
  EXPECT_EQ(data["program"], "tarry 1");
}

TEST(SweepPage, has_no_text_that_is_taken_for_markup) {
  EXPECT_THAT(page_of_sweep(), HasSubstr("<title>A &lt;b> &amp; more</title>"));
  EXPECT_THAT(page_of_sweep(), Not(HasSubstr("<script>alert")));
}

TEST(SweepPage, needs_nothing_but_itself) {
  std::string html = page_of_sweep();
  for (const char* from_elsewhere : {"src=", "<link", "@import", "url(", "fetch(", "https:"})
    EXPECT_THAT(html, Not(HasSubstr(from_elsewhere)));
  html.erase(html.find("http://www.w3.org/2000/svg"), 5);  // a name, not a place
  EXPECT_THAT(html, Not(HasSubstr("http:")));
}

}  // namespace
}  // namespace tarry
