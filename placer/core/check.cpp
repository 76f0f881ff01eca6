#include "placer/core/check.hpp"

#include <fmt/format.h>

namespace tarry {

void fail_check(const std::string& what, const char* file, int line) {
  throw Bug(fmt::format("{}:{}: {}", file, line, what));
}

}  // namespace tarry
