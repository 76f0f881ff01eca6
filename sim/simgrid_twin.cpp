#include "sim/simgrid_twin.hpp"

#include <array>
#include <ctime>

#include "sim/simgrid_topology.hpp"

namespace tarry {
namespace {

namespace sg = simgrid::s4u;

// The fluid network model, without its corrections, and all else as it comes.
class Bare {
 public:
  explicit Bare(const ClusterSpec& cluster) {
    std::array<const char*, 5> options = {"tarry", "--log=root.thres:critical", "--cfg=network/model:CM02", "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1"};
    int count = static_cast<int>(options.size());
    engine_ = new sg::Engine(&count, const_cast<char**>(options.data()));  // lives as long as the process
    hosts = build_topology(*engine_, cluster, Latency::on_links);
  }

  double run() {
    const std::clock_t before = std::clock();
    engine_->run();
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }

  std::vector<sg::Host*> hosts;

 private:
  sg::Engine* engine_;
};

void send_all(const std::vector<sg::Host*>& hosts, const std::vector<TwinMessage>& messages) {
  std::vector<sg::CommPtr> flows;
  Nanos now = 0;
  for (const TwinMessage& m : messages) {
    if (m.sent > now) sg::this_actor::sleep_until(static_cast<double>(now = m.sent) / 1e9);
    flows.push_back(sg::Comm::sendto_async(hosts[m.from.index()], hosts[m.to.index()], m.bytes + 1));
  }
  for (const sg::CommPtr& f : flows) f->wait();
}

using Execs = std::vector<sg::ExecPtr>;

Execs make_execs(const std::vector<std::vector<std::uint32_t>>& successors, sg::Host* host) {
  Execs execs;
  for (std::size_t i = 0; i < successors.size(); ++i) execs.push_back(sg::Exec::init()->set_flops_amount(1000)->set_host(host));
  for (std::size_t i = 0; i < successors.size(); ++i)
    for (const std::uint32_t to : successors[i]) execs[i]->add_successor(execs[to]);
  return execs;
}

void execute_once(const std::vector<std::vector<std::uint32_t>>& successors, sg::Host* host) {
  const Execs execs = make_execs(successors, host);
  Execs roots;
  for (const sg::ExecPtr& e : execs)
    if (e->dependencies_solved()) roots.push_back(e);
  for (const sg::ExecPtr& e : roots) e->start();
  for (const sg::ExecPtr& e : execs)
    if (e->has_no_successor()) e->wait();
}

}  // namespace

double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages) {
  Bare bare(cluster);
  sg::Actor::create("sender", bare.hosts[0], [&] { send_all(bare.hosts, messages); });
  return bare.run();
}

double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds) {
  ClusterSpec one;
  one.hosts.push_back({"host"});
  Bare bare(one);
  sg::Actor::create("client", bare.hosts[0], [&] {
    for (std::size_t i = 0; i < rounds; ++i) execute_once(successors, bare.hosts[0]);
  });
  return bare.run();
}

}  // namespace tarry
