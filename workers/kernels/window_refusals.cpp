// What convolutions of images and their gradients refuse when their kernels are made: recorded of 2.15.1 on CPU.
//
// oneDNN serves float and bfloat16, but no gradient with explicit paddings; a kernel of TensorFlow's own serves the
// rest. They refuse different things, with different codes.

#include <fmt/ranges.h>

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

struct Attributes {
  bool is_depthwise, is_forward, to_input, is_own;  // is_own: TensorFlow's own kernel
  bool channels_first;
  Dims strides, dilations, paddings;
  std::string padding;

  [[nodiscard]] std::size_t row() const { return channels_first ? 2 : 1; }
  [[nodiscard]] std::size_t depth() const { return channels_first ? 1 : 3; }
  [[nodiscard]] bool moves_deep(const Dims& list) const { return list[0] != 1 || list[depth()] != 1; }
};

Dims numbers_of(const KernelSetup& s, const char* name, bool has_default) {
  const auto* list = s.attrs.get<AttrList>(name);
  if (list != nullptr && !list->i.empty()) return {list->i.begin(), list->i.end()};
  return has_default ? Dims(4, 1) : Dims();
}

Attributes attributes_of(const KernelSetup& s) {
  const DataType type = attr_or(s.attrs, "T", DataType::kFloat);
  const bool is_forward = s.op.find("Backprop") == std::string_view::npos;
  const auto padding = attr_or(s.attrs, "padding", std::string("VALID"));
  const bool has_onednn = type == DataType::kFloat || type == DataType::kBfloat16;
  return {.is_depthwise = s.op.starts_with("Depthwise"),
          .is_forward = is_forward,
          .to_input = s.op.ends_with("Input"),
          .is_own = !has_onednn || (!is_forward && padding == "EXPLICIT"),
          .channels_first = attr_or(s.attrs, "data_format", std::string("NHWC")) == "NCHW",
          .strides = numbers_of(s, "strides", true),
          .dilations = numbers_of(s, "dilations", true),
          .paddings = numbers_of(s, "explicit_paddings", false),
          .padding = padding};
}

Status check_strides(const Attributes& a) {
  if (a.is_own && a.is_depthwise && a.strides[a.row()] != a.strides[a.row() + 1])
    return invalid("Current implementation only supports equal length strides in the row and column dimensions.");
  if (a.moves_deep(a.strides)) {
    const bool is_unimplemented = a.is_depthwise ? a.is_forward && !a.is_own : a.is_forward || (a.to_input && a.is_own);
    return error(is_unimplemented ? Code::kUnimplemented : Code::kInvalidArgument,
                 "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (a.is_own && !a.is_depthwise && !a.is_forward && (a.strides[a.row()] < 1 || a.strides[a.row() + 1] < 1))
    return invalid("Row and column strides should be larger than 0.");
  return {};
}

Status check_dilations(const Attributes& a) {
  const bool is_dilated = std::ranges::any_of(a.dilations, [](std::int64_t d) { return d != 1; });
  if (a.is_depthwise && (a.is_own || !a.is_forward)) {
    if (!is_dilated || !a.is_forward) return {};
    return error(Code::kUnimplemented, "Current kernel implementation does not support dilations, received [{}]",
                 fmt::join(a.dilations, " "));
  }
  if (a.moves_deep(a.dilations))
    return error(a.is_own && (a.is_forward || a.to_input) ? Code::kUnimplemented : Code::kInvalidArgument,
                 "Current implementation does not yet support dilations in the batch and depth dimensions.");
  if (a.is_forward) return {};
  if (a.is_own && is_dilated)
    return invalid("Current CPU implementations do not yet support dilation rates larger than 1.");
  if (std::ranges::any_of(a.dilations, [](std::int64_t d) { return d < 1; }))
    return invalid("Dilated rates should be larger than 0.");
  return {};
}

Status check_paddings(const Attributes& a) {
  if (a.is_forward) return {};  // an importing client refuses these
  if (a.padding != "EXPLICIT") {
    if (a.paddings.empty() || !a.is_own) return {};
    return invalid("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (a.paddings.size() != 8)
    return invalid("explicit_paddings attribute must contain 8 values, but got: {}", a.paddings.size());
  if (std::ranges::any_of(a.paddings, [](std::int64_t p) { return p < 0; }))
    return invalid("All elements of explicit_paddings must be nonnegative");
  for (const std::size_t side : {0, 1})
    if (a.paddings[side] != 0 || a.paddings[2 * a.depth() + side] != 0)
      return invalid("Nonzero explicit padding in the batch or depth dimensions is not supported");
  return {};
}

}  // namespace

Status refuse_convolution(const KernelSetup& s) {
  const Attributes a = attributes_of(s);
  if (a.strides.size() != 4 || a.dilations.size() != 4) return {};  // the importing client's part
  TARRY_RETURN_IF_ERROR(check_strides(a));
  TARRY_RETURN_IF_ERROR(check_dilations(a));
  return check_paddings(a);
}

}  // namespace tarry
