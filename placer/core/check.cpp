#include "placer/core/check.hpp"

namespace tarry {

void fail_check(const std::string& what, std::source_location where) {
  throw Bug(fmt::format("{}:{}: {}", where.file_name(), where.line(), what));
}

}  // namespace tarry
