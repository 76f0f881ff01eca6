#include "workers/master/prepared_graphs.hpp"

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

Signature sorted(Signature s) {
  for (auto* list : {&s.feeds, &s.fetches, &s.targets}) std::ranges::sort(*list);
  return s;
}

std::vector<std::string> joined(const Signature& s) {
  std::vector<std::string> all = s.feeds;
  for (const auto* list : {&s.targets, &s.fetches}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

}  // namespace

StatusOr<GraphRef> PreparedGraphs::make(const Signature& signature, bool is_partial) {
  TARRY_ASSIGN(ClientGraphRef graph, whole_.prune(signature));
  return std::make_shared<PreparedGraph>(site_, whole_, std::move(graph), is_partial);
}

StatusOr<GraphRef> PreparedGraphs::find(Signature signature, Cache& cache, bool is_partial) {
  signature = sorted(std::move(signature));
  std::vector<std::string> key = joined(signature);
  if (const auto it = cache.find(key); it != cache.end()) return it->second;
  TARRY_ASSIGN(GraphRef graph, make(signature, is_partial));
  return cache.emplace(std::move(key), std::move(graph)).first->second;
}

bool PreparedGraphs::Asked::is_for(const StepInput& input) const {
  return targets == input.targets && fetches == input.fetches &&
         std::ranges::equal(feeds, input.feeds, {}, {}, &FedTensor::tensor);
}

StatusOr<GraphRef> PreparedGraphs::of_step(const StepInput& input) {
  const auto it = std::ranges::find_if(asked_, [&](const Asked& a) { return a.is_for(input); });
  if (it != asked_.end()) return it->graph;
  TARRY_ASSIGN(GraphRef graph, of_steps({feed_names(input.feeds), input.fetches, input.targets}));
  Asked& asked = asked_.emplace_back(Asked{{}, input.fetches, input.targets, graph});
  std::ranges::transform(input.feeds, std::back_inserter(asked.feeds), &FedTensor::tensor);
  return graph;
}

void PreparedGraphs::forget() {
  for (const Cache* cache : {&whole_steps_, &partial_runs_})
    for (const auto& [signature, graph] : *cache) graph->forget();
}

}  // namespace tarry
