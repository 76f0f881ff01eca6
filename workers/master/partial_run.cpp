#include "workers/master/partial_run.hpp"

#include <algorithm>
#include <set>

#include "workers/master/client_graph.hpp"

namespace tarry {
namespace {

using Tensors = std::set<std::pair<NodeId, int>>;

Status check_names(const std::map<std::string, bool>& known, const std::vector<std::string>& given, const char* what,
                   const char* done) {
  for (const std::string& name : given) {
    const auto it = known.find(name);
    if (it == known.end()) return invalid("The {} {} was not specified in partial_run_setup.", what, name);
    if (it->second) return invalid("The {} {} has already been {}.", what, name, done);
  }
  return {};
}

StatusOr<NodeId> find_node(const Graph& g, const std::string& tensor, const char* what) {
  const NodeId n = g.find(parse_endpoint(tensor).node);
  if (!n.valid()) return error(Code::kNotFound, "{} {}: not found", what, tensor);
  return n;
}

// Fails for the first tensor of `pending` that a fetch needs.
Status reach(const Graph& g, std::vector<NodeId> open, const Tensors& pending) {
  std::vector<bool> seen(g.node_slots(), false);
  while (!open.empty()) {
    const NodeId n = open.back();
    open.pop_back();
    for (const EdgeId id : g.in_edges(n)) {
      const Edge& e = g.edge(id);
      if (pending.contains({e.src, e.src_slot}))
        return invalid("Fetch {}:{} can't be computed from the feeds that have been fed so far.", g.name(e.src),
                       e.src_slot);
      if (!seen[e.src.index()]) open.push_back(e.src);
      seen[e.src.index()] = true;
    }
  }
  return {};
}

}  // namespace

Status PartialRunNames::check_call(const std::vector<std::string>& fed, const std::vector<std::string>& fetched) const {
  TARRY_RETURN_IF_ERROR(check_names(feeds, fed, "feed", "fed"));
  return check_names(fetches, fetched, "fetch", "fetched");
}

Status PartialRunNames::check_fetches(const Graph& full, const std::vector<std::string>& fed,
                                      const std::vector<std::string>& fetched) const {
  Tensors pending;
  for (const auto& [feed, is_done] : feeds) {
    if (is_done || std::ranges::find(fed, feed) != fed.end()) continue;
    TARRY_ASSIGN(const NodeId n, find_node(full, feed, "Feed"));
    pending.emplace(n, parse_endpoint(feed).slot);
  }
  std::vector<NodeId> open;
  for (const std::string& fetch : fetched) {
    TARRY_ASSIGN(const NodeId n, find_node(full, fetch, "Fetch"));
    open.push_back(n);
  }
  return reach(full, std::move(open), pending);
}

void PartialRunNames::note_call(const std::vector<std::string>& fed, const std::vector<std::string>& fetched) {
  for (const std::string& name : fed) feeds[name] = true;
  for (const std::string& name : fetched) fetches[name] = true;
}

bool PartialRunNames::is_complete() const {
  const auto all_done = [](const std::map<std::string, bool>& names) {
    return std::ranges::all_of(names, [](const auto& entry) { return entry.second; });
  };
  return all_done(feeds) && all_done(fetches);
}

}  // namespace tarry
