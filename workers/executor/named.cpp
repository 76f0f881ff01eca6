#include "workers/executor/named.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {
namespace {

// On a CPU a node of oneDNN takes its place, which knows its full name alone (docs/rules/runtime.md#A.6.9).
bool is_replaced(const Graph& g, NodeId n) {
  constexpr std::string_view kOps[] = {"AvgPool",
                                       "BatchMatMulV2",
                                       "Conv2D",
                                       "Conv2DBackpropFilter",
                                       "Conv2DBackpropInput",
                                       "Conv3D",
                                       "DepthwiseConv2dNative",
                                       "Einsum",
                                       "FusedBatchNormV3",
                                       "MatMul",
                                       "MaxPool",
                                       "Transpose"};
  const auto* type = g.node(n).attrs.get<DataType>("T");
  return type != nullptr && (*type == DataType::kFloat || *type == DataType::kBfloat16) &&
         std::ranges::binary_search(kOps, g.op_name(n)) && g.requested_device(n).find("GPU:") == std::string_view::npos;
}

Status named_by_callers(const Status& s, const Attrs& attrs) {
  const auto* callers = attrs.get<AttrList>(kCallers);
  std::string before, behind;
  for (std::size_t i = 0; callers != nullptr && i + 1 < callers->s.size(); i += 2) {
    if (!callers->s[i].empty())
      before += fmt::format("{{{{function_node {0}}}}} {{{{function_node {0}}}}} ", callers->s[i]);
    behind.insert(0, fmt::format("\n\t [[{}]]", callers->s[i + 1]));
  }
  return with_suffix(before.empty() ? s : with_prefix(s, before), behind);
}

}  // namespace

Status named(const Status& s, const Graph& g, std::string_view node) {
  constexpr std::string_view kHint =
      "\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom "
      "to RunOptions for current allocation info. This isn't available when "
      "running in Eager mode.\n";
  const bool names_one = text_of(s).find("{{node ") != std::string_view::npos;
  const std::string_view hint = s.code() == Code::kResourceExhausted ? kHint : "";
  if (names_one) return with_suffix(s, fmt::format("\n\t [[{}]]{}", node, hint));
  const NodeId n = g.find(node);
  const bool has_origin = n.valid() && (g.node(n).attrs.find(kCallers) != nullptr || !is_replaced(g, n));
  const auto* origin = has_origin ? g.node(n).attrs.get<std::string>(kInlinedFrom) : nullptr;
  const Status here = with_suffix(
      s, fmt::format("\n\t [[{}]]{}", origin != nullptr ? *origin : fmt::format("{{{{node {}}}}}", g.name(n)), hint));
  return n.valid() ? named_by_callers(here, g.node(n).attrs) : here;
}

}  // namespace tarry
