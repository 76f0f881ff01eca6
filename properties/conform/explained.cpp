#include "properties/conform/explained.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "placer/place/conflict.hpp"
#include "placer/place/explain.hpp"
#include "placer/place/journal.hpp"

namespace tarry {
namespace {

using Wrong = std::optional<std::string>;

// The node that the error is about, told from the journal of the placement that failed.
Wrong not_told(RecordedWorld& w, const Rules& rules, const Journal& journal) {
  if (journal.failed_kind.empty()) return "the placer says no rule";
  if (!journal.failed_at.valid()) return std::nullopt;
  const Explanation e = explain(w.graph, w.devices, rules, journal, journal.failed_at);
  if (e.node.empty() || to_string(e).empty()) return "the explanation is empty";
  return e.device.empty() ? std::nullopt : Wrong(fmt::format("the explanation places '{}' on {}", e.node, e.device));
}

Wrong not_minimal(const Graph& imported, const RecordedWorld& w, const Rules& rules, const std::string& kind) {
  const auto conflict = minimal_conflict(imported, w.devices, rules, w.options);
  if (!conflict.ok()) return fmt::format("no conflict: {}", text_of(conflict.status()));
  if (conflict->kind != kind) return fmt::format("the conflict is {}, the error {}", conflict->kind, kind);
  const Wrong spare = can_be_left_out(*conflict, w.devices, rules, w.options);
  return spare ? Wrong(fmt::format("the conflict stays without: {}\n{}", *spare, to_string(*conflict))) : std::nullopt;
}

void judge_explanation(const Json& c, const Json& outcome, const ReleaseTables& r, Agreement& agreement) {
  if (!outcome.contains("msg")) return;
  const Wrong wrong = not_explained(c, r);
  agreement.note(!wrong, c.at("id").get<std::string>(), outcome.at("msg").get<std::string>(), wrong.value_or(""));
}

}  // namespace

Wrong not_explained(const Json& c, const ReleaseTables& r) {
  auto w = world_of(c, r);
  if (!w.ok()) return fmt::format("it cannot be imported: {}", text_of(w.status()));
  w->options.written = &w->written;
  const Graph imported = w->graph;
  Journal journal;
  w->options.journal = &journal;
  if (place(w->graph, w->devices, r.rules, w->options).ok()) return "it is placed";
  const Wrong wrong = not_told(*w, r.rules, journal);
  w->options.journal = nullptr;
  return wrong ? wrong : not_minimal(imported, *w, r.rules, journal.failed_kind);
}

StatusOr<Agreement> conform_explanations(const std::string& folder, const std::string& tables,
                                         std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(tables, release));
  return judge_outcomes("explained", folder, release,
                        [&](const Json& c, const Json& outcome, Agreement& a) { judge_explanation(c, outcome, r, a); });
}

StatusOr<Agreement> conform_vector_explanations(const std::string& folder, const std::string& tables,
                                                std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(tables, release));
  return judge_vectors("explained vectors", folder, release,
                       [&](const Json& c, const Json& outcome, Agreement& a) { judge_explanation(c, outcome, r, a); });
}

}  // namespace tarry
