#include "placer/core/check.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/graph/read.hpp"

extern "C" const char tarry_ops_data[], tarry_ops_data_end[], tarry_kernels_data[], tarry_kernels_data_end[];

namespace tarry {
namespace {

std::string unpacked(const char* begin, const char* end) {
  auto bytes = decompress({begin, static_cast<std::size_t>(end - begin)}, "embedded registry");
  check(bytes.ok(), "the embedded registry is damaged");
  return *std::move(bytes);
}

}  // namespace

const OpRegistry& ops_of_tf215() {
  static const OpRegistry registry(*parse_op_list(unpacked(tarry_ops_data, tarry_ops_data_end)));
  return registry;
}

const KernelRegistry& kernels_of_tf215() {
  static const KernelRegistry registry(*parse_kernel_list(unpacked(tarry_kernels_data, tarry_kernels_data_end)));
  return registry;
}

}  // namespace tarry
