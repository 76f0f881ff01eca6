#include "properties/conform/replay.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "properties/conform/checked.hpp"
#include "properties/conform/values.hpp"

namespace tarry {
namespace {

using Results = StatusOr<std::vector<TensorRef>>;

std::vector<std::string> names_in(const Json& step, const char* field) {
  return step.contains(field) ? step.at(field).get<std::vector<std::string>>() : std::vector<std::string>{};
}

// "TensorArray a_1_12: " and "Stack[s_12]" end in a number that counts the process's objects.
std::string without_counts(const std::string& text) {
  static const std::regex array("(TensorArray \\S*_)[0-9]+"), stack("(Stack\\[\\S*_)[0-9]+");
  return std::regex_replace(std::regex_replace(text, array, "$1N"), stack, "$1N");
}

std::string text_of_error(const Json& error) {
  return error.at("code").get<std::string>() + ": " + error.at("message").get<std::string>();
}

std::string compare_error(const Json& theirs, const Results& ours, const ReplayRules& rules) {
  if (ours.ok()) return "no error, theirs " + text_of_error(theirs);
  std::string mine(text_of(ours.status())), recorded = theirs.at("message").get<std::string>();
  if (!rules.texts_repeatable) mine = without_counts(mine), recorded = without_counts(recorded);
  const bool same_code = code_name(ours.status().code()) == theirs.at("code").get<std::string>();
  if (same_code && (!rules.compare_texts || mine == recorded)) return "";
  return fmt::format("{}: {}, theirs {}", code_name(ours.status().code()), mine, text_of_error(theirs));
}

std::string compare(const Json& step, const Results& ours, const ReplayRules& rules) {
  if (step.contains("error")) return compare_error(step.at("error"), ours, rules);
  if (!ours.ok()) return fmt::format("{}: {}, theirs is OK", code_name(ours.status().code()), text_of(ours.status()));
  const Json& results = step.at("results");
  if (results.size() != ours->size()) return fmt::format("{} results, theirs {}", ours->size(), results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (const std::string d = difference(*(*ours)[i], results[i], rules.by_way_of_floats); !d.empty())
      return fmt::format("{}: {}", step.at("fetches").at(i).get<std::string>(), d);
  return "";
}

Results run_step(DirectSession& session, const Json& step) {
  TARRY_ASSIGN(const StepRequest request, request_of(step));
  return session.run(request);
}

StatusOr<std::string> set_up(DirectSession& session, const Json& partial) {
  StepRequest setup{.feeds = {}, .fetches = names_in(partial, "fetches"), .targets = names_in(partial, "targets")};
  for (const std::string& feed : names_in(partial, "feeds")) setup.feeds[feed] = nullptr;
  return session.partial_run_setup(setup);
}

std::string replay_partial(DirectSession& session, const Json& partial, const ReplayRules& rules) {
  const auto handle = set_up(session, partial);
  if (!handle.ok()) return fmt::format("partial_run_setup: {}", text_of(handle.status()));
  for (const Json& call : partial.at("calls")) {
    const auto request = request_of(call);
    if (!request.ok()) return std::string(text_of(request.status()));
    if (const std::string d = compare(call, session.partial_run(*handle, *request), rules); !d.empty()) return d;
  }
  return "";
}

}  // namespace

StatusOr<StepRequest> request_of(const Json& step) {
  constexpr std::int64_t kMostMs = 86'400'000;  // a day
  StepRequest r{
      .feeds = {},
      .fetches = names_in(step, "fetches"),
      .targets = names_in(step, "targets"),
      .timeout_ms = step.contains("timeout_ms") ? integer_within(step.at("timeout_ms"), 0, kMostMs, "timeout_ms") : 0};
  if (!step.contains("feeds") || !step.at("feeds").is_object()) return r;
  for (const auto& [name, value] : step.at("feeds").items()) {
    TARRY_ASSIGN(r.feeds[name], tensor_from(value));
  }
  return r;
}

void replay(DirectSession& session, const Json& steps, const ReplayRules& rules, ConformRow& row) {
  int number = 0;
  for (const Json& step : steps) {
    const std::string d = step.contains("partial_run") ? replay_partial(session, step.at("partial_run"), rules)
                                                       : compare(step, run_step(session, step), rules);
    row.note(fmt::format("step {}", number++), d);
  }
}

}  // namespace tarry
