// `tarry bench --save`: what was measured, behind what was measured before.

#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "placer/graph/read.hpp"
#include "properties/cli/bench.hpp"
#include "properties/cli/checkout.hpp"

namespace tarry {
namespace {

std::string file_of(const Home& home) { return home.folder + "/results/speed.csv"; }

// What is there; "" where nothing is.
StatusOr<std::string> kept_in(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return std::string();
  return read_file(file);
}

// Its size is 0 until it is read.
std::string cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string this_machine() {
  utsname system{};
  (void)uname(&system);
  return machine_name(cpuinfo(), system.machine, static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN)));
}

// The file's new text.
StatusOr<std::string> grown(const Home& home, std::span<const Speed> speeds) {
  TARRY_ASSIGN(const std::string commit, commit_of(home));
  TARRY_ASSIGN(const std::string kept, kept_in(file_of(home)));
  auto text = with_speeds(kept, commit, this_machine(), speeds);
  return text.ok() ? std::move(text) : with_prefix(text.status(), file_of(home) + ": ");
}

}  // namespace

Status check_speeds(const Home& home) {
  TARRY_RETURN_IF_ERROR(check_checkout(home, "--save"));
  TARRY_RETURN_IF_ERROR(check_outputs({{"--save", file_of(home)}}, {}));
  return grown(home, {}).status();
}

Status save_speeds(const Home& home, std::span<const Speed> speeds) {
  TARRY_ASSIGN(const std::string text, grown(home, speeds));
  TARRY_RETURN_IF_ERROR(write_file(file_of(home), text));
  fmt::print("{} figure{} written to {}, in reference loops\n", speeds.size(), speeds.size() == 1 ? "" : "s",
             file_of(home));
  return {};
}

}  // namespace tarry
