#include "results/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/page/html.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Report report_of(const Story& s) {
  Report r;
  r.title = "Who </title> & why";
  r.verdicts = {{"uneven", "worker 0 </script><script>alert(1)</script>"}};
  r.contributions = s.contributions();
  r.tasks = kTasks;
  return r;
}
std::string page(const Story& s) {
  return to_page({report_of(s), s.log, nullptr, "tarry run x --report y.html", "tarry 1", "title: <b>\n"});
}
Json data_of(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Page, has_the_figures_of_the_report_and_of_the_charts) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(2);
  const Json data = data_of(page(s));
  EXPECT_EQ(data["report"]["verdicts"][0]["text"], "worker 0 </script><script>alert(1)</script>");
  EXPECT_EQ(data["report"]["workers"][0]["accepted"], 1);
  EXPECT_EQ(data["command"], "tarry run x --report y.html");
  EXPECT_EQ(data["scenario"], "title: <b>\n");
  EXPECT_EQ(data["aggregates"][0]["rows"][1]["gradients"], Json::array({1}));
  EXPECT_TRUE(data["path"].is_null());
  EXPECT_FALSE(data["report"].contains("accumulators"));
}

TEST(Page, has_lanes_of_blocks_that_begin_where_the_one_before_them_did) {
  Story s = two_workers();
  s.ended(1, kChief, 1).step(2, kChief, 3).ended(4, kChief, 3);
  const Json lane = data_of(page(s))["line"]["lanes"][0];
  EXPECT_EQ(lane["kind"], "steps");
  EXPECT_EQ(lane["label"], "worker 0");
  EXPECT_EQ(lane["items"], 2);
  EXPECT_EQ(lane["blocks"], Json::parse("[[0,1000000000,0],[2000000000,2000000000,1]]"));
}

TEST(Page, has_no_text_that_is_taken_for_markup) {
  const std::string html = page(two_workers());
  EXPECT_THAT(html, HasSubstr("<title>Who &lt;/title> &amp; why</title>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
}

TEST(Page, has_no_byte_that_is_no_text) {
  EXPECT_THAT(html_page("a\xff", {}, nlohmann::ordered_json()), HasSubstr("<title>a\xef\xbf\xbd</title>"));
}

TEST(Page, needs_nothing_but_itself) {
  std::string html = page(two_workers());
  for (const char* from_elsewhere : {"src=", "<link", "@import", "url(", "fetch(", "https:"})
    EXPECT_THAT(html, Not(HasSubstr(from_elsewhere)));
  html.erase(html.find("http://www.w3.org/2000/svg"), 5);  // a name, not a place
  EXPECT_THAT(html, Not(HasSubstr("http:")));
}

TEST(Page, of_the_same_run_is_the_same) { EXPECT_EQ(page(two_workers()), page(two_workers())); }

}  // namespace
}  // namespace tarry
