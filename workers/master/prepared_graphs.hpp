// The graphs that a session has prepared, by signature (docs/rules/runtime.md#E.2).
//
// A signature is looked up by its sorted names. A step that repeats an earlier one word for word is found without
// sorting them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/master/prepared_graph.hpp"
#include "workers/master/step_input.hpp"

namespace tarry {

using GraphRef = std::shared_ptr<PreparedGraph>;

class PreparedGraphs {
 public:
  // REQUIRES: both outlive it.
  PreparedGraphs(const SessionSite& site, SessionGraph& whole) : site_(site), whole_(whole) {}

  // All fail with the texts of client_graph.hpp.
  [[nodiscard]] StatusOr<GraphRef> of_step(const StepInput& input);
  [[nodiscard]] StatusOr<GraphRef> of_steps(Signature signature) {
    return find(std::move(signature), whole_steps_, false);
  }
  [[nodiscard]] StatusOr<GraphRef> of_partial_runs(Signature signature) {
    return find(std::move(signature), partial_runs_, true);
  }
  // Makes one that is not shared: the other functions do not find it.
  [[nodiscard]] StatusOr<GraphRef> make(const Signature& signature, bool is_partial = false);
  // Drops the callbacks that wait for registrations.
  void forget();

 private:
  // The key has feeds, targets and fetches in one list, as in TensorFlow's hash, which does not distinguish a target
  // from a fetch of the same name.
  using Cache = std::map<std::vector<std::string>, GraphRef>;
  struct Asked {  // a signature in the order in which the client writes it
    std::vector<SharedText> feeds;
    SharedNames fetches, targets;
    GraphRef graph;
    [[nodiscard]] bool is_for(const StepInput& input) const;
  };
  [[nodiscard]] StatusOr<GraphRef> find(Signature signature, Cache& cache, bool is_partial);

  const SessionSite& site_;
  SessionGraph& whole_;
  Cache whole_steps_, partial_runs_;
  std::vector<Asked> asked_;
};

}  // namespace tarry
