#include "scenarios/cli/new_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tarry {
namespace {

namespace fs = std::filesystem;

// `path` is what the user calls it.
Status write(const std::string& file, const std::string& text, const std::string& path) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return {};
  return invalid("{}: cannot be written{}", path, errno == 0 ? "" : fmt::format(": {}", std::strerror(errno)));
}

}  // namespace

NewFiles::~NewFiles() {
  std::error_code none;
  for (const Part& p : parts_) fs::remove(p.part, none);
}

Status NewFiles::add(const std::string& path, const std::string& text) {
  std::error_code none;
  const bool is_there = fs::exists(path, none);
  if (is_there && !fs::is_regular_file(path, none)) return write(path, text, path);
  const std::string file = is_there ? fs::canonical(path, none).string() : path;
  parts_.push_back({path, file, fmt::format("{}.{}.part", file, getpid())});
  const std::string& part = parts_.back().part;
  TARRY_RETURN_IF_ERROR(write(part, text, path));
  if (is_there) fs::permissions(part, fs::status(file, none).permissions(), none);
  return {};
}

Status NewFiles::replace() {
  for (; !parts_.empty(); parts_.pop_back()) {
    std::error_code failed;
    fs::rename(parts_.back().part, parts_.back().file, failed);
    if (failed) return invalid("{}: cannot be written: {}", parts_.back().path, failed.message());
  }
  return {};
}

}  // namespace tarry
