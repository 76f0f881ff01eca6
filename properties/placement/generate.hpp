// Random placement cases: cyclic graphs, partial and impossible requests, device sets, kernel registries.
//
// Everything is drawn from one seeded stream, so a case is named by (seed, size). The features that the distribution
// must reach are declared as buckets and audited (`tarry hunt --audit`): each has to hold at least 1 % of the cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "placer/core/random.hpp"
#include "properties/placement/case.hpp"

namespace tarry {

// The ops that a generator may use: those of `wanted` that the release has, with their definitions.
class Alphabet {
 public:
  // REQUIRES: `ops` outlives the alphabet.
  explicit Alphabet(const OpRegistry& ops);
  [[nodiscard]] const std::vector<const OpDef*>& ops() const { return ops_; }
  [[nodiscard]] const OpDef* find(std::string_view op) const;  // nullptr when the alphabet lacks it
  [[nodiscard]] bool is_loop_part(std::size_t nth) const { return nth >= first_loop_part_; }
  [[nodiscard]] bool has_loops() const { return first_loop_part_ < ops_.size(); }

 private:
  void add(const char* name, const OpRegistry& ops);

  std::vector<const OpDef*> ops_;  // parts of loops last
  std::size_t first_loop_part_ = 0;
  std::map<std::string_view, const OpDef*> by_name_;
};

struct GenerateOptions {
  int max_nodes = 16;          // 1-300
  bool random_kernels = true;  // some cases have their own registry (which a real TensorFlow cannot be given)
};

// Never discards: every draw is a case that the importer accepts.
[[nodiscard]] PlacementCase generate_case(const Alphabet& alphabet, const GenerateOptions& options, Random& random);

// The buckets that the case falls into (names as in buckets()).
[[nodiscard]] std::vector<std::string> buckets_of(const PlacementCase& c);
[[nodiscard]] const std::vector<std::string>& buckets();

}  // namespace tarry
