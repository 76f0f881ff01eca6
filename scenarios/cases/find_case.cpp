#include "scenarios/cases/find_case.hpp"

#include <algorithm>
#include <filesystem>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

std::string_view without_zeros(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('0'), text.size()));
}

std::string_view name_part(std::string_view case_name) {
  const std::size_t end = case_name.find_first_not_of(kDigits);
  return end == case_name.npos || case_name[end] != '_' ? case_name : case_name.substr(end + 1);
}

// "; did you mean 'uneven_ps' or 'uneven_shards'?" for "uneven"; of more than three, nothing.
std::string with_that_word(const std::string& asked, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (!asked.empty() && name_part(name).find(asked) != std::string_view::npos)
      found.push_back(fmt::format("'{}'", name_part(name)));
  return found.empty() || found.size() > kMost ? "" : fmt::format("; did you mean {}?", join(found, " or "));
}

}  // namespace

std::vector<std::string> case_names(const std::string& cases_folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cases_folder, none))
    if (fs::exists(entry.path() / "scenario.yaml", none)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

bool is_called(std::string_view case_name, std::string_view asked) {
  const std::string_view number = case_name.substr(0, case_name.find('_'));
  const bool is_number = !asked.empty() && asked.find_first_not_of(kDigits) == asked.npos;
  if (is_number) return without_zeros(asked) == without_zeros(number);
  return asked == name_part(case_name) || without_zeros(asked) == without_zeros(case_name);
}

StatusOr<std::string> find_case(const std::string& asked, const std::string& cases_folder) {
  const std::vector<std::string> names = case_names(cases_folder);
  const auto found = std::ranges::find_if(names, [&](const std::string& n) { return is_called(n, asked); });
  if (found != names.end()) return cases_folder + "/" + *found;
  std::vector<std::string> near(names.begin(), names.end());
  std::ranges::transform(names, std::back_inserter(near),
                         [](const std::string& n) { return std::string(name_part(n)); });
  const std::string meant = did_you_mean(asked, near);
  return error(Code::kNotFound, "{}: no such scenario{}; `tarry list` shows them", asked,
               meant.empty() ? with_that_word(asked, names) : meant);
}

}  // namespace tarry
