#include "scenarios/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kQuiet = 2 * kNsPerSecond;
constexpr const char* kErase = "\r\033[K";

std::int64_t clock_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(isatty(2) != 0), began_(clock_ns()), next_(began_ + kQuiet) {}

void ProgressLine::erase() const {
  if (is_terminal_ && clock_ns() >= began_ + kQuiet) complain(kErase);  // perhaps a child process drew it
}

bool ProgressLine::is_due() {
  if (!is_terminal_ || clock_ns() < next_) return false;
  next_ = clock_ns() + kNsPerSecond / 5;
  return true;
}

double ProgressLine::seconds() const {
  return static_cast<double>(clock_ns() - began_) / static_cast<double>(kNsPerSecond);
}

void ProgressLine::draw(const std::string& text) { complain(kErase + text); }

}  // namespace tarry
