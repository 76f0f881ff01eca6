// What every page has: one HTML file that needs no other, its data as JSON, and the script that draws them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tarry {

struct PageParts {  // markup, as it is
  std::string_view body, script;
};

// Nothing in the title or in the data is taken for markup.
[[nodiscard]] std::string html_page(std::string_view title, const PageParts& parts, const nlohmann::ordered_json& data);

}  // namespace tarry
