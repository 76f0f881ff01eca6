// The project's own files in the form that house rules read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tarry::house {

struct Source {
  std::string path;  // from the project's folder, "placer/core/ids.hpp"
  std::string text;
  std::string code;  // `text` with the insides of comments and literals blanked, line for line
};

struct Line {
  std::size_t number = 0;  // from 1
  std::string_view text;
};

[[nodiscard]] Source source(std::string path, std::string text);
[[nodiscard]] std::vector<Line> lines(std::string_view text);

// Every file below `folder`, in order of path, except build/, .git and caches. Only C++ files have `code`.
[[nodiscard]] std::vector<Source> read_tree(const std::string& folder);

[[nodiscard]] bool is_cpp(std::string_view path);
// Also true for .cc and .h: files that are compiled against a real TensorFlow and follow its includes and style of
// errors.
[[nodiscard]] bool is_formatted(std::string_view path);
[[nodiscard]] bool is_test(std::string_view path);

// "path:line", as compilers and editors write it.
[[nodiscard]] std::string at(const Source& file, std::size_t line);

}  // namespace tarry::house
