#include "placer/place/explain.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

template <class Kind, class Use>
void for_each(const Journal& journal, Use use) {
  for (const Decision& e : journal.events)
    if (const Kind* event = std::get_if<Kind>(&e)) use(*event);
}

// The nodes joined with `n`, by the joins that happened.
std::set<NodeId> group_of(const Journal& journal, NodeId n) {
  std::set<NodeId> group = {n};
  for (std::size_t before = 0; before != group.size();) {
    before = group.size();
    for_each<Joined>(journal, [&](const Joined& j) {
      if (group.contains(j.x) || group.contains(j.y)) group.insert({j.x, j.y});
    });
  }
  return group;
}

std::string reason_text(const Graph& g, const Joined& j) {
  if (j.edge.valid()) {
    const Edge& e = g.edge(j.edge);
    const char* kind = is_ref(g.input_type(e.dst, e.dst_slot)) ? "reference" : "resource";
    return fmt::format("{} edge {}:{} -> {}:{}", kind, g.name(e.src), e.src_slot, g.name(e.dst), e.dst_slot);
  }
  return j.call.valid() ? fmt::format("the body of what {} calls", g.name(j.call))
                        : fmt::format("both have the key loc:@{}", j.key);
}

class Teller {
 public:
  Teller(const Graph& g, const DeviceSet& devices, const Rules& rules, const Journal& journal, NodeId n)
      : g_(g), devices_(devices), rules_(rules), journal_(journal), n_(n), group_(group_of(journal, n)) {}

  Explanation run() {
    e_.node = g_.name(n_);
    e_.op = g_.op_name(n_);
    e_.request = g_.requested_device(n_);
    tell_group();
    tell_concessions();
    tell_host_only();
    tell_choice();
    if (ranked_ != nullptr) tell_candidates();
    if (const auto& r = journal_.refused; r && (group_.contains(r->x) || group_.contains(r->y)))
      e_.refused = pair_text(*r);
    return std::move(e_);
  }

 private:
  void tell_group() {
    for_each<Joined>(journal_, [&](const Joined& j) {
      if (group_.contains(j.x)) e_.group.push_back(pair_text(j));
    });
  }

  [[nodiscard]] std::string pair_text(const Joined& j) const {
    return fmt::format("{}, {}: {}", g_.name(j.x), g_.name(j.y), reason_text(g_, j));
  }

  [[nodiscard]] std::string text(const DeviceName& n) const {
    return has_details(n) ? to_string(n, rules_.names) : "nothing";
  }

  void tell_concessions() {
    for_each<Overridden>(journal_, [&](const Overridden& o) {
      if (group_.contains(o.dst))
        e_.conceded.push_back(
            fmt::format("{} for '{}' gave way to {} of '{}'", text(o.was), g_.name(o.dst), text(o.is), g_.name(o.src)));
    });
    for_each<StayedOut>(journal_, [&](const StayedOut& s) {
      if (group_.contains(s.node))
        e_.conceded.push_back(fmt::format("'{}' stayed out of loc:@{}: {}", g_.name(s.node), s.key, s.why));
    });
    for_each<LimitedByBody>(journal_, [&](const LimitedByBody& l) {
      if (group_.contains(l.node))
        e_.conceded.push_back(fmt::format("what '{}' calls asks for {}", g_.name(l.call), text(l.requested)));
    });
  }

  void tell_host_only() {
    for_each<KeptOnHost>(journal_, [&](const KeptOnHost& k) {
      if (group_.contains(k.node))
        e_.conceded.push_back(
            fmt::format("'{}' gets a variant that holds strings, resources or a dataset, which are "
                        "in the host's memory: CPU only",
                        g_.name(k.node)));
    });
  }

  // The group's first list tells why: later ones only repeat where a member was put (rule group_follows).
  void tell_choice() {
    static constexpr std::array kChoices = {"assigned before", "best candidate", "beside its input, as a metadata op",
                                            "beside its consumers, as a generator"};
    const Chosen* leader = nullptr;
    for (const Decision& event : journal_.events) {
      if (const Ranked* r = std::get_if<Ranked>(&event); r != nullptr && ranked_ == nullptr && group_.contains(r->node))
        ranked_ = r;
      const Chosen* c = std::get_if<Chosen>(&event);
      if (c == nullptr || !group_.contains(c->node)) continue;
      if (leader == nullptr && rules_.group_follows) leader = c;
      if (c->node != n_) continue;
      const bool follows = leader != nullptr && leader->node != n_ && c->why != Choice::pre_assigned;
      e_.choice = follows ? fmt::format("where '{}' of its group was put first", g_.name(leader->node))
                          : kChoices[static_cast<std::size_t>(c->why)];
      e_.device = devices_[c->device].name;
      return;
    }
  }

  void tell_candidates() {
    e_.group_request = has_details(ranked_->request) ? text(ranked_->request) : "";
    e_.relaxed = ranked_->relaxed;
    for (const DeviceId d : ranked_->devices) e_.candidates.push_back(devices_[d].name);
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (std::ranges::find(ranked_->devices, DeviceId{i}) == ranked_->devices.end())
        e_.removed.emplace_back(devices_[DeviceId{i}].name, what_removed(devices_[DeviceId{i}]));
  }

  [[nodiscard]] std::string what_removed(const Device& d) const {
    std::string reason;
    for_each<Alone>(journal_, [&](const Alone& a) {
      if (reason.empty() && group_.contains(a.node) && std::ranges::find(a.types, d.type) == a.types.end())
        reason = fmt::format("'{}' ({}) has no kernel for {}", g_.name(a.node), g_.op_name(a.node), d.type);
    });
    if (!reason.empty()) return reason;
    if (is_specification(ranked_->request, d.parsed)) return fmt::format("the group's types leave {} out", d.type);
    return fmt::format("the group asks for {}{}", text(ranked_->request),
                       ranked_->relaxed == Relaxed::no ? "" : ", and its job and task stay");
  }

  const Graph& g_;
  const DeviceSet& devices_;
  const Rules& rules_;
  const Journal& journal_;
  NodeId n_;
  std::set<NodeId> group_;
  const Ranked* ranked_ = nullptr;
  Explanation e_;
};

std::string relaxed_text(Relaxed r) {
  if (r == Relaxed::no) return "";
  return r == Relaxed::yes ? " (nothing fits; soft placement drops type and id)"
                           : " (nothing fits; soft placement moves a resource)";
}

std::string section(const char* heading, const std::vector<std::string>& lines) {
  return lines.empty() ? "" : fmt::format("  {}\n    {}\n", heading, join(lines, "\n    "));
}

}  // namespace

Explanation explain(const Graph& g, const DeviceSet& devices, const Rules& rules, const Journal& journal, NodeId n) {
  return Teller(g, devices, rules, journal, n).run();
}

std::string to_string(const Explanation& e) {
  std::vector<std::string> removed;
  for (const auto& [device, reason] : e.removed) removed.push_back(fmt::format("{}: {}", device, reason));
  std::string out = fmt::format("{} ({}) asks for {}\n", e.node, e.op, e.request.empty() ? "nothing" : e.request);
  out += section("shares a device with its group:", e.group) + section("on the way:", e.conceded);
  if (!e.candidates.empty() || !removed.empty())
    out += fmt::format("  the group asks for {}{}\n", e.group_request.empty() ? "nothing" : e.group_request,
                       relaxed_text(e.relaxed));
  out += section("candidates, best first:", e.candidates) + section("not candidates:", removed);
  if (!e.refused.empty()) out += section("must share a device, and cannot:", {e.refused});
  if (!e.device.empty()) return out + fmt::format("  placed on {}: {}\n", e.device, e.choice);
  return out + (e.error.empty() ? "  not placed\n" : fmt::format("  not placed: {}\n", e.error));
}

std::string why_not(const Explanation& e, const std::string& device) {
  if (device == e.device) return fmt::format("{} is on {}: {}", e.node, device, e.choice);
  for (const auto& [removed, reason] : e.removed)
    if (removed == device) return fmt::format("{} cannot be on {}: {}", e.node, device, reason);
  const auto it = std::ranges::find(e.candidates, device);
  if (it == e.candidates.end())
    return fmt::format("{} was {} before any device was compared", e.node, e.device.empty() ? "given up" : "placed");
  return fmt::format("{} could be on {} (candidate {} of {}), but {} was chosen: {}", e.node, device,
                     it - e.candidates.begin() + 1, e.candidates.size(), e.device, e.choice);
}

}  // namespace tarry
