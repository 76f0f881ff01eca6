#include "results/verdicts/path_cures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;

// "host1 and server", "from host1 to server".
std::string in_words(const Trouble& t) {
  switch (t.kind) {
    case Kind::parted:
    case Kind::breaking:
      return fmt::format("{} and {}", t.a, t.b);
    case Kind::parted_one_way:
      return fmt::format("from {} to {}", t.a, t.b);
    case Kind::held:
      return t.a;
    default:
      return fmt::format("between {} and {}", t.a, t.b);
  }
}

// Nothing passes there, in whatever direction one says it.
bool is_same_path(const Trouble& a, const Trouble& b) {
  const bool has_direction = a.kind != Kind::parted && a.kind != Kind::breaking;
  return (a.a == b.a && a.b == b.b) || (!has_direction && a.a == b.b && a.b == b.a);
}

std::string listed(std::span<const Trouble> paths) {
  std::vector<Trouble> apart;
  for (const Trouble& t : paths)
    if (std::ranges::none_of(apart, [&](const Trouble& other) { return is_same_path(other, t); })) apart.push_back(t);
  std::vector<std::string> all;
  for (const Trouble& t : apart) all.push_back(in_words(t));
  if (all.size() < 2) return join(all, "");
  const std::string last = all.back();
  all.pop_back();
  const bool are_two_hosts = paths.front().kind == Kind::held && all.size() == 1;
  return join(all, ", ") + (are_two_hosts ? " and " : ", and ") + last;
}

// What passed again, passed too late.
bool has_ended(const Trouble& t) { return t.to >= 0 || (t.kind == Kind::breaking && t.back >= 0); }

}  // namespace

std::string without_time_limit(std::string cure) {
  const std::string limit = fmt::format("; {}", kTimeLimit);
  if (cure.ends_with(limit)) cure.resize(cure.size() - limit.size());
  return cure;
}

bool is_of_a_path(const Trouble& t) { return !t.task.valid() && t.kind != Kind::slowed_host && !t.a.empty(); }

std::vector<Trouble> paths_like(const Trouble& path, std::span<const Trouble> troubles) {
  std::vector<Trouble> out;
  for (const Trouble& t : troubles)
    if (t.kind == path.kind && is_of_a_path(t)) out.push_back(t);
  return out;
}

std::string cure_of_paths(std::span<const Trouble> paths) {
  const char* again = std::ranges::all_of(paths, has_ended) ? "sooner" : "again";
  switch (paths.front().kind) {
    case Kind::parted:
      return fmt::format("join {} {}; {}", listed(paths), again, kTimeLimit);
    case Kind::parted_one_way:
      return fmt::format("let messages pass {} {}; {}", listed(paths), again, kTimeLimit);
    case Kind::breaking:
      return fmt::format("join {} {}", listed(paths), again);
    case Kind::held:
      return fmt::format("look at the network of {}; {}", listed(paths), kTimeLimit);
    default:
      return fmt::format("look at the path {}", listed(paths));
  }
}

}  // namespace tarry
