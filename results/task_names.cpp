#include "results/task_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace tarry {

namespace {

// "/job:worker/replica:0/task:1": job, separator, number. Another name stays as it is.
std::string short_name(const std::string& name, char separator) {
  const auto job = name.find("/job:"), task = name.rfind("/task:");
  if (job != 0 || task == std::string::npos) return name;
  return fmt::format("{}{}{}", name.substr(5, name.find('/', 1) - 5), separator, name.substr(task + 6));
}

}  // namespace

std::string TaskNames::show(TaskId t) const {
  return t.valid() && t.index() < names.size() ? short_name(names[t.index()], ' ') : "somebody";
}

std::string TaskNames::as_written(TaskId t) const {
  return t.valid() && t.index() < names.size() ? short_name(names[t.index()], '/') : "";
}

namespace {

// A text in which each full name is what `by` makes of it.
template <class By>
std::string with_names(std::string_view text, std::span<const std::string> names, By by) {
  const auto goes_on = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string out;
  while (!text.empty()) {
    const auto it = std::ranges::find_if(
        names, [&](const std::string& name) { return text.starts_with(name) && !goes_on(name.size()); });
    const bool is_name = it != names.end() && !it->empty();
    out += is_name ? by(*it) : std::string(text.substr(0, 1));
    text.remove_prefix(is_name ? it->size() : 1);
  }
  return out;
}

}  // namespace

std::string TaskNames::in_plain(std::string_view text) const {
  return with_names(text, names, [](const std::string& name) { return short_name(name, ' '); });
}

std::string TaskNames::without_name(TaskId t, std::string_view text) const {
  if (!t.valid() || t.index() >= names.size()) return std::string(text);
  std::vector<std::string> its{names[t.index()]};
  constexpr std::string_view kReplica = "/replica:0";
  if (const std::size_t at = its[0].find(kReplica); at != std::string::npos)
    its.push_back(std::string(its[0]).erase(at, kReplica.size()));
  return with_names(text, its, [](const std::string&) { return std::string("itself"); });
}

TaskId TaskNames::find(std::string_view name) const {
  const auto it = std::ranges::find(names, name);
  return it == names.end() ? TaskId::none() : TaskId{static_cast<std::size_t>(it - names.begin())};
}

std::string_view TaskNames::host(TaskId t) const {
  return t.valid() && t.index() < hosts.size() ? std::string_view(hosts[t.index()]) : std::string_view();
}

bool TaskNames::are_on_one_host() const {
  return !hosts.empty() && std::ranges::all_of(hosts, [&](const std::string& h) { return h == hosts.front(); });
}

namespace {

bool is_of_a_server(const std::string& name) { return name.starts_with("/job:ps/"); }

}  // namespace

bool TaskNames::is_ps(TaskId t) const { return t.index() < names.size() && is_of_a_server(names[t.index()]); }

bool TaskNames::have_servers() const { return std::ranges::any_of(names, is_of_a_server); }

}  // namespace tarry
