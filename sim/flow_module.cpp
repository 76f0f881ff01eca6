#include "sim/flow_module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

using Entry = const FlowModule*();

std::string module_path() {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  return (program.parent_path() / "../lib/tarry/tarry_simgrid.so").lexically_normal();
}

Status no_module(const std::string& path) {
  const char* reason = dlerror();
  return error(Code::kFailedPrecondition, "{}: the module that shares bandwidth does not load: {}", path,
               reason == nullptr ? "it is not one of tarry" : reason);
}

}  // namespace

StatusOr<const FlowModule*> open_flow_module() {
  const std::string path = module_path();
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return no_module(path);
  auto* entry = reinterpret_cast<Entry*>(dlsym(library, "tarry_flow_module"));
  if (entry == nullptr) return no_module(path);
  return entry();
}

const FlowModule& flow_module() {
  const auto module = open_flow_module();
  if (!module.ok()) fail_check(std::string(text_of(module.status())), __FILE__, __LINE__);
  return **module;
}

}  // namespace tarry
