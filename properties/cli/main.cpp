#include "scenarios/cli/program.hpp"

namespace {

// A property may be called by its full name: `tarry hunt placement.groups_together`.
std::vector<std::string> with_family_apart(std::vector<std::string> words) {
  if (words.size() < 2 || words[0] != "hunt") return words;
  const std::size_t dot = words[1].find('.');
  if (dot == std::string::npos || words[1].starts_with('-')) return words;
  words.insert(words.begin() + 2, words[1].substr(dot + 1));
  words[1].resize(dot);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  return tarry::run_program("tarry_judge", with_family_apart({argv + 1, argv + argc}));
}
