// Device names as the reference placer reads them (docs/rules/placer.md#A.1 to #A.5). For reference.cpp only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tarry::reference {

struct Name {
  std::optional<std::string> job;
  std::optional<int> replica, task;
  std::optional<std::string> type;
  std::optional<int> id;
  friend bool operator==(const Name&, const Name&) = default;
  [[nodiscard]] bool is_blank() const { return *this == Name(); }
  [[nodiscard]] bool is_full() const { return job && replica && task && type && id; }
};

// nullopt when `text` is not a device name.
[[nodiscard]] std::optional<Name> parse(std::string_view text);

// Whether every field of `less` is in `more` with the same value.
[[nodiscard]] bool covers(const Name& less, const Name& more);
// Whether some name could satisfy both.
[[nodiscard]] bool overlap(const Name& a, const Name& b);
// `under` with all fields of `over` set to their values.
[[nodiscard]] Name laid_over(Name under, const Name& over);

enum class Conflict { is_error, drops_field, takes_other };
// Merges `other` into `target`. Gives false on an error (a conflict of job, replica or task always is one); then
// `target` is unspecified.
[[nodiscard]] bool merge_into(Name& target, const Name& other, Conflict conflict);

}  // namespace tarry::reference
