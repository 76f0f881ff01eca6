#include "sim/simgrid/topology.hpp"

#include <fmt/format.h>
#include <simgrid/version.h>

namespace tarry::simgrid_module {
namespace {

namespace sg = simgrid::s4u;

// ---- what differs between releases ----

#if SIMGRID_VERSION >= 40000
sg::NetZone* make_zone(sg::Engine& engine) { return engine.get_netzone_root()->add_netzone_full("cluster"); }
sg::Host* make_host(sg::NetZone& zone, const std::string& name) { return zone.add_host(name, 1e9); }
sg::Link* make_link(sg::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.add_link(name, bandwidth);
}
void make_route(sg::NetZone& zone, sg::Host* from, sg::Host* to, const std::vector<sg::LinkInRoute>& links) {
  zone.add_route(from, to, links, false);
}
void add_actor(sg::Engine& engine, sg::Host* host, const std::function<void()>& code) {
  engine.add_actor("actor", host, code);
}
#else
sg::NetZone* make_zone(sg::Engine&) { return sg::create_full_zone("cluster"); }
sg::Host* make_host(sg::NetZone& zone, const std::string& name) { return zone.create_host(name, 1e9); }
sg::Link* make_link(sg::NetZone& zone, const std::string& name, double bandwidth) {
  return zone.create_link(name, bandwidth);
}
void make_route(sg::NetZone& zone, sg::Host* from, sg::Host* to, const std::vector<sg::LinkInRoute>& links) {
  zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links, false);
}
void add_actor(sg::Engine&, sg::Host* host, const std::function<void()>& code) {
  sg::Actor::create("actor", host, code);
}
#endif

// ---- the same for all ----

constexpr double kUnlimited = 1e15;  // bytes a second

std::string name_of_connection(std::size_t from, std::size_t to) { return fmt::format("c{}_{}", from, to); }
// "3", or "3_1" of a host's second card.
std::string number_of(Card card) {
  return card.number == 0 ? std::to_string(card.host.index()) : fmt::format("{}_{}", card.host.index(), card.number);
}
std::string name_of_card(CardSide side, Card card) { return (side == CardSide::out ? "out" : "in") + number_of(card); }
std::string name_of_link(std::size_t from, std::size_t to) { return fmt::format("l{}_{}", from, to); }

struct Builder {
  const ClusterSpec& cluster;
  sg::NetZone& zone;
  Latency latency;
  CardList cards;
  std::vector<sg::Host*> hosts;
  std::vector<sg::Link*> nics_out, nics_in, trunks_out, trunks_in, links_between, platform_links;

  sg::Link* link(const std::string& name, std::uint64_t bandwidth) {
    return bandwidth == 0 ? nullptr : make_link(zone, name, static_cast<double>(bandwidth))->set_latency(0);
  }

  sg::Link* limited(const std::string& name, const PathSpec& path) {
    if (latency == Latency::of_transport) return link(name, path.bandwidth);
    return make_link(zone, name, path.bandwidth == 0 ? kUnlimited : static_cast<double>(path.bandwidth))
        ->set_latency(in_seconds(path.latency));
  }

  sg::Link* link_on_way(std::size_t from, std::size_t to) {
    return limited(name_of_link(from, to), tarry::link_between(cluster.network, HostId{from}, HostId{to}));
  }

  void add_card(Card card) {
    hosts.push_back(make_host(zone, "h" + number_of(card)));
    nics_out.push_back(link(name_of_card(CardSide::out, card), bandwidth_of(cluster.hosts, card)));
    nics_in.push_back(link(name_of_card(CardSide::in, card), bandwidth_of(cluster.hosts, card)));
  }

  void add_rack(std::size_t r) {
    const PathSpec& trunk = cluster.network.racks[r].trunk;
    trunks_out.push_back(limited(fmt::format("up{}", r), trunk));
    trunks_in.push_back(limited(fmt::format("down{}", r), trunk));
  }

  void add_platform_link(std::size_t l) {
    const PlatformLink& spec = cluster.network.platform.links[l];
    platform_links.push_back(link(fmt::format("p{}", l), spec.bandwidth));
    if (spec.is_fatpipe && spec.bandwidth > 0)
      platform_links.back()->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE);
  }

  std::vector<sg::LinkInRoute> way_between(Card from, Card to, sg::Link* between) {
    std::vector<sg::LinkInRoute> route;
    std::vector<sg::Link*> way{between};
    if (from.host != to.host) way = {nics_out[cards.index(from)], between, nics_in[cards.index(to)]};
    const Trunks trunks = trunks_between(cluster.hosts, from.host, to.host);
    if (trunks.out.valid()) way.push_back(trunks_out[trunks.out.index()]);
    if (trunks.in.valid()) way.push_back(trunks_in[trunks.in.index()]);
    if (cluster.network.platform.is_given() && from.host != to.host)
      for (const std::uint32_t l : cluster.network.platform.route(from.host, to.host).links)
        way.push_back(platform_links[l]);
    for (sg::Link* l : way)
      if (l != nullptr) route.emplace_back(l);
    return route;
  }

  void add_route(Card from, Card to) {
    const auto route = way_between(from, to, links_between.back());
    if (!route.empty()) make_route(zone, hosts[cards.index(from)], hosts[cards.index(to)], route);
  }

  // Of all pairs of their cards; within a host, of the first with itself.
  void add_routes(std::size_t from, std::size_t to) {
    links_between.push_back(link_on_way(from, to));
    if (from == to) return add_route(HostId{from}, HostId{to});
    for (std::uint32_t a = 0; a < card_count(cluster.hosts[from]); ++a)
      for (std::uint32_t b = 0; b < card_count(cluster.hosts[to]); ++b) add_route({HostId{from}, a}, {HostId{to}, b});
  }

  // ---- connections ----

  void add_tasks() {
    const CardChoice choice(cluster);
    for (std::size_t t = 0; t < cluster.tasks.size(); ++t) hosts.push_back(make_host(zone, fmt::format("t{}", t)));
    for (std::size_t from = 0; from < cluster.tasks.size(); ++from)
      for (std::size_t to = 0; to < cluster.tasks.size(); ++to)
        if (from != to) add_connection(choice, TaskId{from}, TaskId{to});
  }

  void add_connection(const CardChoice& choice, TaskId from, TaskId to) {
    const Card a = choice.of(from, to), b = choice.of(to, from);
    auto route = way_between(a, b, links_between[a.host.index() * cluster.hosts.size() + b.host.index()]);
    route.emplace_back(make_link(zone, name_of_connection(from.index(), to.index()), kUnlimited)->set_latency(0));
    const std::size_t first = cards.all().size();
    make_route(zone, hosts[first + from.index()], hosts[first + to.index()], route);
  }
};

}  // namespace

std::vector<sg::Host*> build_topology(sg::Engine& engine, const ClusterSpec& cluster, Latency latency) {
  Builder b{.cluster = cluster, .zone = *make_zone(engine), .latency = latency, .cards = CardList(cluster.hosts)};
  for (const Card card : b.cards.all()) b.add_card(card);
  for (std::size_t r = 0; r < cluster.network.racks.size(); ++r) b.add_rack(r);
  for (std::size_t l = 0; l < cluster.network.platform.links.size(); ++l) b.add_platform_link(l);
  for (std::size_t from = 0; from < cluster.hosts.size(); ++from)
    for (std::size_t to = 0; to < cluster.hosts.size(); ++to) b.add_routes(from, to);
  if (cluster.network.transport.window > 0) b.add_tasks();
  b.zone.seal();
  return b.hosts;
}

void start_actor(sg::Engine& engine, sg::Host* host, const std::function<void()>& code) {
  add_actor(engine, host, code);
}

sg::Link& link_between(sg::Engine& engine, HostId from, HostId to) {
  return *engine.link_by_name(name_of_link(from.index(), to.index()));
}

sg::Link& link_between(sg::Engine& engine, TaskId from, TaskId to) {
  return *engine.link_by_name(name_of_connection(from.index(), to.index()));
}

sg::Link& link_of(sg::Engine& engine, Card card, CardSide side) {
  return *engine.link_by_name(name_of_card(side, card));
}

}  // namespace tarry::simgrid_module
