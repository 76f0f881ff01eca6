#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

// Of a host of workers, of parameter servers, or of several hosts.
const char* where_nearer(const Evidence& e, const Proof& p) {
  if (p.together) return "bring them as near as the others";
  if (p.b == "servers") return "bring it nearer to the other parameter servers";
  if (p.b == "all") return "bring it nearer to the workers and to the other parameter servers";
  if (e.training == Training::in_graph) return "bring it nearer to the others";
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (e.tasks.host(TaskId{t}) == p.a && !e.tasks.is_ps(TaskId{t})) return "bring it nearer to the parameter servers";
  return "bring it nearer to the workers";
}

}  // namespace

Told judge_far(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::far_host))
    out.push_back(fmt::format("It costs time that {}.{} To do: {}.", p.what, in_words(p), where_nearer(e, p)));
  return out;
}

}  // namespace tarry
