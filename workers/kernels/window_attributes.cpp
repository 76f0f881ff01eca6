// What pools, patches, dilations and convolutions of volumes refuse of their attributes when their kernels are made:
// recorded of 2.15.1 on CPU.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

Dims numbers_in(const KernelSetup& s, const char* name) {
  const auto* list = s.attrs.get<AttrList>(name);
  return list == nullptr ? Dims() : Dims(list->i.begin(), list->i.end());
}
std::size_t channels_of(const KernelSetup& s, const Dims& list) {
  const bool is_first = attr_or(s.attrs, "data_format", std::string("NHWC")).starts_with("NC");
  return is_first ? 1 : list.size() - 1;
}
bool is_quick(const KernelSetup& s) { return is_of_onednn(attr_or(s.attrs, "T", DataType::kFloat)); }

struct Pool {
  Dims size, strides;
  std::size_t channels = 0;
  bool is_quick = false, is_max = false, is_gradient = false, is_volume = false;

  [[nodiscard]] bool moves(std::size_t d) const { return size[d] != 1 || strides[d] != 1; }
};

Status zero_size(std::size_t d) { return invalid("Sliding window ksize for dimension {} was zero.", d); }

// Not every kernel looks at the sizes. What oneDNN pools to the largest has one batch and one channel in its window.
Status check_sizes(const Pool& p) {
  const auto zero = std::ranges::find_if(p.size, [](std::int64_t n) { return n <= 0; });
  const bool looks = p.is_max ? !p.is_gradient : p.is_quick;
  if (zero == p.size.end() || !looks) return {};
  if (p.is_max && p.is_volume && !(p.is_quick && p.size[0] == 1 && p.size[p.channels] == 1))
    return invalid("Sliding window ksize field must have non-negative dimensions");
  return zero_size(static_cast<std::size_t>(zero - p.size.begin()));
}

Status check_across_space(const KernelSetup& s, const char* name) {
  const Dims list = numbers_in(s, name);
  if (list.size() != 4) return {};
  if (list[0] != 1 || list[3] != 1) return error(Code::kUnimplemented, "Only support {} across space.", name);
  return list[1] < 1 || list[2] < 1 ? error(Code::kOutOfRange, "{} is out of range.", name) : Status();
}

}  // namespace

Status refuse_pool(const KernelSetup& s) {
  Pool p{numbers_in(s, "ksize"), numbers_in(s, "strides")};
  if (p.size.size() != p.strides.size() || p.size.size() < 4) return {};  // the importing client's part
  p.channels = channels_of(s, p.size);
  p.is_quick = is_quick(s), p.is_max = s.op.starts_with("Max");
  p.is_gradient = s.op.ends_with("Grad"), p.is_volume = s.op.find("3D") != s.op.npos;
  TARRY_RETURN_IF_ERROR(check_sizes(p));
  if (p.moves(0)) return error(Code::kUnimplemented, "Pooling is not yet supported on the batch dimension.");
  if (p.is_max && p.is_volume && p.moves(p.channels))
    return error(Code::kUnimplemented, "Pooling is not yet supported on the depth dimension.");
  if (p.is_max && p.is_gradient && p.moves(p.channels))
    return error(Code::kUnimplemented, "MaxPoolingGrad is not yet supported on the depth dimension.");
  if (!p.is_max && !p.is_gradient && !p.is_quick)
    for (const std::int64_t n : p.size)
      if (n <= 0) return invalid("ksize must be a postive int32 value, got:{}", n);
  return {};
}

Status refuse_patches(const KernelSetup& s) {
  for (const char* const name : {"ksizes", "strides", "rates"}) TARRY_RETURN_IF_ERROR(check_across_space(s, name));
  return {};
}

Status refuse_dilation(const KernelSetup& s) {
  const Dims strides = numbers_in(s, "strides"), rates = numbers_in(s, "rates");
  const auto is_spatial = [](const Dims& list) { return list.size() != 4 || (list[0] == 1 && list[3] == 1); };
  if (!is_spatial(strides)) return error(Code::kUnimplemented, "Stride is only supported across spatial dimensions.");
  if (!is_spatial(rates)) return error(Code::kUnimplemented, "Rate is only supported across spatial dimensions.");
  return {};
}

Status refuse_convolution_of_volumes(const KernelSetup& s) {
  const Dims strides = numbers_in(s, "strides"), dilations = numbers_in(s, "dilations");
  const auto is_spatial = [&](const Dims& list) {
    return list.size() != 5 || (list[0] == 1 && list[channels_of(s, list)] == 1);
  };
  if (!is_spatial(strides))
    return error(is_quick(s) ? Code::kUnimplemented : Code::kInvalidArgument,
                 "Current implementation does not yet support strides in the batch and depth dimensions.");
  if (!is_spatial(dilations))
    return invalid("Current implementation does not yet support {} rates in the batch and depth dimensions.",
                   is_quick(s) ? "dilations" : "dilation");
  if (!is_quick(s) && std::ranges::any_of(dilations, [](std::int64_t d) { return d != 1; }))
    return invalid("CPU implementation of Conv3D currently only supports dilated rates of 1.");
  return {};
}

}  // namespace tarry
