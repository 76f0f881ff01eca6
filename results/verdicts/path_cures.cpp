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

std::string listed(std::span<const Trouble> paths) {
  std::vector<std::string> all;
  for (const Trouble& t : paths)
    if (std::string path = in_words(t); std::ranges::count(all, path) == 0) all.push_back(std::move(path));
  if (all.size() < 2) return join(all, "");
  const std::string last = all.back();
  all.pop_back();
  return join(all, ", ") + ", and " + last;
}

}  // namespace

bool is_of_a_path(const Trouble& t) { return !t.task.valid() && t.kind != Kind::slowed_host && !t.a.empty(); }

std::string cure_of_paths(std::span<const Trouble> paths) {
  switch (paths.front().kind) {
    case Kind::parted:
      return fmt::format("join {} again; {}", listed(paths), kTimeLimit);
    case Kind::parted_one_way:
      return fmt::format("let messages pass {} again; {}", listed(paths), kTimeLimit);
    case Kind::breaking:
      return fmt::format("join {} again", listed(paths));
    case Kind::held:
      return fmt::format("look at the network of {}; {}", listed(paths), kTimeLimit);
    default:
      return fmt::format("look at the path {}", listed(paths));
  }
}

}  // namespace tarry
