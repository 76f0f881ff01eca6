#include "workers/direct/partial_run.hpp"

#include <algorithm>

namespace tarry {
namespace {

Status check_names(const std::map<std::string, bool>& known, const std::vector<std::string>& given, const char* what, const char* done) {
  for (const std::string& name : given) {
    const auto it = known.find(name);
    if (it == known.end()) return invalid("The {} {} was not specified in partial_run_setup.", what, name);
    if (it->second) return invalid("The {} {} has already been {}.", what, name, done);
  }
  return {};
}

}  // namespace

Status PartialRun::check_call(const std::vector<std::string>& fed, const std::vector<std::string>& fetched) const {
  TARRY_RETURN_IF_ERROR(check_names(feeds, fed, "feed", "fed"));
  return check_names(fetches, fetched, "fetch", "fetched");
}

bool PartialRun::is_complete() const {
  const auto all_done = [](const std::map<std::string, bool>& names) { return std::ranges::all_of(names, [](const auto& entry) { return entry.second; }); };
  return all_done(feeds) && all_done(fetches);
}

}  // namespace tarry
