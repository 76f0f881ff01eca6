#include "scenarios/file/hidden_cures.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/text.hpp"
#include "scenarios/file/keys.hpp"

namespace tarry {
namespace {

// Those that the verdict tells together: they had one run.
std::vector<Proof> hidden_together(const Ward& ward, const Verdict& v) {
  std::vector<Proof> all;
  for (const Proof& p : ward.patient.proofs)
    if (!p.together && v.text.find(in_words(p)) != v.text.npos) all.push_back(p);
  std::erase_if(all, [&](const Proof& p) { return p.instead != all.front().instead; });
  return all;
}

}  // namespace

Verdict of_itself(const Ward& ward, Verdict v) {
  const std::vector<Proof> all = hidden_together(ward, v);
  if (all.size() < 2) return v;
  const std::string words = in_words(all.front());
  return {v.kind, v.text.erase(v.text.find(words), words.size())};
}

std::optional<Cure> cure_of_all_hidden(const Ward& ward, const Verdict& v) {
  CuredJob cured{"", "", ward.patient.job};
  std::vector<std::string> instead;
  for (const Proof& p : hidden_together(ward, v)) {
    const auto w =
        std::ranges::find_if(ward.what_ifs, [&](const WhatIf& other) { return is_same_cause(p, other.proof); });
    if (w == ward.what_ifs.end()) return std::nullopt;
    make_difference(cured.job, ward.patient.job, w->job);
    instead.push_back(w->proof.instead);
    const std::string keys = keys_of(w->proof, ward.patient.outcome.tasks, ward.patient.scenario);
    if (cured.keys.find(keys) == cured.keys.npos) cured.keys += (cured.keys.empty() ? "" : "; ") + keys;
  }
  if (instead.size() < 2) return std::nullopt;
  cured.advice = "cure all that hide each other: " + join(instead, ", ");
  return Cure{v.kind, cured.advice, std::move(cured), {}};
}

}  // namespace tarry
