#include "scenarios/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

constexpr double kQuiet = 2, kBetween = 0.2;  // seconds
constexpr const char* kErase = "\r\033[K";

std::int64_t clock_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

Stopwatch::Stopwatch() : began_(clock_ns()) {}
double Stopwatch::seconds() const { return static_cast<double>(clock_ns() - began_) / 1e9; }

ProgressLine::ProgressLine() : is_terminal_(isatty(2) != 0), next_(kQuiet) {}

void ProgressLine::erase() const {
  if (is_terminal_ && watch_.seconds() >= kQuiet) complain(kErase);  // perhaps a child process drew it
}

bool ProgressLine::is_due() {
  if (!is_terminal_ || watch_.seconds() < next_) return false;
  next_ = watch_.seconds() + kBetween;
  return true;
}

void ProgressLine::draw(const std::string& text) { complain(kErase + text); }

}  // namespace tarry
