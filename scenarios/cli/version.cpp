#include "scenarios/cli/version.hpp"

#include <fmt/format.h>

#include <tarry_commit.hpp>

#include "sim/flow_engine.hpp"

namespace tarry {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

}  // namespace

std::string version_text() {
  return fmt::format("tarry {}\ncommit {}\ncompiled by {}\nflows by {}", TARRY_VERSION, TARRY_COMMIT, kCompiler,
                     flow_engine_name());
}

std::string first_line_of_version() { return fmt::format("tarry {}", TARRY_VERSION); }

}  // namespace tarry
