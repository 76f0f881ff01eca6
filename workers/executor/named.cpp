#include "workers/executor/named.hpp"

#include <fmt/format.h>

namespace tarry {
namespace {

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
  const auto* origin = n.valid() ? g.node(n).attrs.get<std::string>(kInlinedFrom) : nullptr;
  const Status here = with_suffix(
      s, fmt::format("\n\t [[{}]]{}", origin != nullptr ? *origin : fmt::format("{{{{node {}}}}}", g.name(n)), hint));
  return n.valid() ? named_by_callers(here, g.node(n).attrs) : here;
}

}  // namespace tarry
