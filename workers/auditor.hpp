// Keeps the audit of a run in progress. Directory::auditor and KernelHost::auditor point to it, or are null.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workers/audit.hpp"
#include "workers/env.hpp"

namespace tarry {

class Auditor {
 public:
  explicit Auditor(const Env& env) : env_(env) { audit_.is_on = true; }

  void note(AuditFact fact) {
    fact.at = env_.now();
    fact.events = events_;
    audit_.facts.push_back(fact);
  }
  void reserve(std::size_t facts) { audit_.facts.reserve(facts); }
  void rest(AuditRest rest) { audit_.rests.push_back(rest); }
  void mark(Mark m) { audit_.marks.set(static_cast<std::size_t>(m)); }
  std::uint32_t text(std::string_view t) {
    if (t.empty()) return 0;
    if (const auto it = numbers_.find(absl::string_view(t.data(), t.size())); it != numbers_.end()) return it->second;
    const auto number = static_cast<std::uint32_t>(audit_.texts.size());
    numbers_.emplace(t, number);
    audit_.texts.emplace_back(t);
    return number;
  }
  // The same of an interned name, whose text is looked at once.
  std::uint32_t text(NameId name) {
    if (name.index() >= of_names_.size()) of_names_.resize(name.index() + 1, kNotAsked);
    std::uint32_t& number = of_names_[name.index()];
    if (number == kNotAsked) number = text(env_.text(name));
    return number;
  }
  void count_event() { ++events_; }
  [[nodiscard]] Audit& audit() { return audit_; }

 private:
  static constexpr std::uint32_t kNotAsked = 0xffffffff;

  const Env& env_;
  Audit audit_;
  absl::flat_hash_map<std::string, std::uint32_t> numbers_;  // looked up, never iterated
  std::vector<std::uint32_t> of_names_;                      // by NameId
  std::uint64_t events_ = 0;                                 // kept in the log
};

// The run came by this place. Without an auditor: nothing.
inline void mark(Auditor* auditor, Mark m) {
  if (auditor != nullptr) auditor->mark(m);
}
inline void mark_if(bool holds, Auditor* auditor, Mark m) {
  if (holds) mark(auditor, m);
}

}  // namespace tarry
