// The cluster's hosts, links and routes, built in SimGrid. For sim/simgrid/ only.
//
// This is the only place where SimGrid 3.32 and 4.0 are called differently. Links have no latency (transport.cpp waits
// for it), and only links with a bandwidth exist. A pair without any has no route. A host of several cards is as many
// hosts of SimGrid. Where connections have windows, each task is a host of SimGrid, too, from which routes lead to
// other tasks over the links of their cards and hosts and one of their connection. In the comparison with SimGrid alone
// (twin.cpp), the links have the latencies.
#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/cards.hpp"

namespace tarry::simgrid_module {

enum class Latency { of_transport, on_links };

// The SimGrid host of every card (CardList), and after these, where connections have windows, that of every TaskId; the
// platform is sealed.
[[nodiscard]] std::vector<simgrid::s4u::Host*> build_topology(simgrid::s4u::Engine& engine, const ClusterSpec& cluster,
                                                              Latency latency = Latency::of_transport);

// The link between two hosts, in one direction. REQUIRES: it has a bandwidth.
[[nodiscard]] simgrid::s4u::Link& link_between(simgrid::s4u::Engine& engine, HostId from, HostId to);

// That of the connection from one task to another. REQUIRES: connections have windows.
[[nodiscard]] simgrid::s4u::Link& link_between(simgrid::s4u::Engine& engine, TaskId from, TaskId to);

// That of a card, in one direction. REQUIRES: it has a bandwidth.
[[nodiscard]] simgrid::s4u::Link& link_of(simgrid::s4u::Engine& engine, Card card, CardSide side);

// An actor on that host, which begins with `code` when the engine runs.
void start_actor(simgrid::s4u::Engine& engine, simgrid::s4u::Host* host, const std::function<void()>& code);

}  // namespace tarry::simgrid_module
