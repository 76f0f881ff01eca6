#include "scenarios/cli/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kLeast = 64ull << 20;

std::uint64_t most_of_the_machine() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE)) / 4 * 3;
}

// A sanitizer reserves address space far beyond what it uses.
bool is_sanitized() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer);
#else
  return false;
#endif
}

// The value of --memory, taken out; nullopt = it is not there.
StatusOr<std::optional<std::string>> take_option(std::vector<std::string>& words) {
  const auto it =
      std::ranges::find_if(words, [](const std::string& w) { return w == "--memory" || w.starts_with("--memory="); });
  if (it == words.end()) return std::optional<std::string>();
  if (const auto equals = it->find('='); equals != std::string::npos) {
    std::string value = it->substr(equals + 1);
    words.erase(it);
    return std::optional(std::move(value));
  }
  if (it + 1 == words.end()) return invalid("--memory needs a size, such as 4GiB");
  std::string value = *(it + 1);
  words.erase(it, it + 2);
  return std::optional(std::move(value));
}

}  // namespace

Status take_memory_budget(std::vector<std::string>& words) {
  TARRY_ASSIGN(const std::optional<std::string> said, take_option(words));
  std::uint64_t budget = most_of_the_machine();
  if (said) {
    TARRY_ASSIGN(budget, parse_size(*said));
    if (budget < kLeast) return invalid("--memory: {} is too little; at least 64MiB are needed", *said);
  }
  rlimit limit{};
  if (is_sanitized() || getrlimit(RLIMIT_AS, &limit) != 0) return {};
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, budget);
  (void)setrlimit(RLIMIT_AS, &limit);
  return {};
}

}  // namespace tarry
