#include "results/verdicts/proved.hpp"

#include <algorithm>

namespace tarry {
namespace {

// Of the faults of a host, or of several: "host1, host2".
bool is_about_hosts(const Proof& p, const Trouble& t) {
  if (p.task.valid() || p.a.empty() || !p.b.empty()) return false;
  if (t.kind == Trouble::Kind::gone) return has_word(t.why, p.a.substr(0, p.a.find(',')));
  return t.b.empty() && !t.a.empty() && has_word(p.a, t.a);
}

// Of faults between two tasks, whose trouble names their hosts.
bool is_about_tasks(const Proof& p, const Trouble& t) {
  return !p.a.empty() && !p.b.empty() && t.fault.ends_with(" " + p.a + " " + p.b);
}

}  // namespace

bool is_about(const Proof& p, const Trouble& t) {
  return (p.task == t.task && p.a == t.a && p.b == t.b) || is_about_hosts(p, t) || is_about_tasks(p, t);
}

std::vector<Proof> proved(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> out;
  const bool is_fault = cause == Proof::Cause::faults;
  for (const Proof& p : e.proofs)
    if (p.cause == cause && (p.goes_on ? is_fault : p.gain >= kWorthTelling)) out.push_back(p);
  std::ranges::stable_sort(out, [](const Proof& a, const Proof& b) { return a.gain > b.gain; });
  return out;
}

std::vector<Proof> proved_apart_or_together(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> apart = proved(e, cause);
  std::vector<Proof> together =
      cause == Proof::Cause::slow_worker ? proved(e, Proof::Cause::workers) : std::vector<Proof>();
  for (const Proof& p : apart)
    if (p.together) together.push_back(p);
  std::erase_if(apart, &Proof::together);
  std::erase_if(together, [&](const Proof& p) {
    return p.goes_on || (!apart.empty() && p.gain < apart.front().gain + kWorthTelling);
  });
  apart.insert(apart.end(), together.begin(), together.end());
  return apart;
}

std::string proof_of(const Evidence& e, std::span<const Trouble> troubles) {
  for (const Trouble& t : troubles)
    for (const Proof& p : e.proofs)
      if (p.cause == Proof::Cause::faults && is_about(p, t)) return in_words(p);
  return "";
}

}  // namespace tarry
