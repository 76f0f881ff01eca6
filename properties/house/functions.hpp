// The functions of a C++ file, and its variables that outlive a call, found by scanning braces.
//
// The scanner knows namespaces, types and functions; a lambda or a local class belongs to the function around it. It
// expects code that compiles and macros that keep braces in balance.
#pragma once

#include <string>
#include <vector>

#include "properties/house/source.hpp"

namespace tarry::house {

struct Function {
  std::string file;
  std::string name;
  std::size_t line = 0;    // the first line of the function
  std::size_t length = 0;  // lines, signature and closing brace included
};

struct Scan {
  std::vector<Function> functions;
  std::vector<Line> mutable_statics;  // the lines that declare them
};

[[nodiscard]] Scan scan(const Source& file);

// Functions longer than `limit` lines, the longest first.
[[nodiscard]] std::vector<Function> longer_than(std::size_t limit, const std::vector<Source>& files);

}  // namespace tarry::house
