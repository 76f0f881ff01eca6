#include "sim/flows.hpp"

#include "sim/flow_module.hpp"
#include "sim/shared_flows.hpp"

namespace tarry {
namespace {

bool both_are(const LinkSpec& link, HostId a, HostId b) { return link.a == a && link.b == b; }

}  // namespace

Flows::Flows(const ClusterSpec& cluster) : cluster_(cluster) {}
Flows::~Flows() = default;

FlowEngine* Flows::make_engine() {
  const ClusterSpec& cluster = with_links_ ? *with_links_ : cluster_;
  if (flows_by(cluster) == FlowsBy::simgrid) return flow_module().start_engine(cluster);
  shared_ = std::make_unique<SharedFlows>(cluster);
  return shared_.get();
}

FlowEngine& Flows::engine() {
  if (engine_ == nullptr) {
    engine_ = make_engine();
    for (const auto& [way, bandwidth] : narrowed_) engine_->narrow(way.first, way.second, bandwidth);
    for (const auto& [card, bandwidth] : cards_) engine_->set_card(card.first, card.second, bandwidth);
  }
  return *engine_;
}

void Flows::start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) {
  engine().start(now, from, to, bytes, flow);
}

void Flows::start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) {
  engine().start_on(on, now, from, to, bytes, flow);
}

// Where only cards, trunks and a platform's links limit them, a link that has as much as the narrowest of these limits
// them no further; of the two directions, the wider one counts.
void Flows::may_narrow(HostId from, HostId to) {
  if (!with_links_) with_links_ = cluster_;
  PathSpec path = path_between(cluster_, from, to);
  const std::uint64_t back = path_between(cluster_, to, from).bandwidth;
  if (path.bandwidth == 0 || link_between(with_links_->network, from, to).bandwidth > 0) return;
  std::vector<LinkSpec>& links = with_links_->network.links;
  std::erase_if(links, [&](const LinkSpec& l) { return both_are(l, from, to) || both_are(l, to, from); });
  constexpr std::uint64_t kMoreThanAny = 1'000'000'000'000'000;
  path.bandwidth = back == 0 ? kMoreThanAny : std::max(path.bandwidth, back);
  links.push_back({from, to, path});
}

void Flows::narrow(HostId from, HostId to, std::uint64_t bandwidth) {
  narrowed_[{from, to}] = bandwidth;
  if (engine_ != nullptr) engine_->narrow(from, to, bandwidth);
}

void Flows::set_card(Card card, CardSide side, std::uint64_t bandwidth) {
  cards_[{card, side}] = bandwidth;
  if (engine_ != nullptr) engine_->set_card(card, side, bandwidth);
}

bool Flows::alive() const { return engine_ != nullptr && engine_->alive(); }

std::vector<FinishedFlow> Flows::advance(Nanos until) { return engine_->advance(until); }

}  // namespace tarry
