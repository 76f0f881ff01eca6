#include <array>
#include <ctime>

#include "sim/simgrid/module.hpp"
#include "sim/simgrid/topology.hpp"

namespace tarry::simgrid_module {
namespace {

namespace sg = simgrid::s4u;

// The fluid network model, without its corrections, and all else as it comes.
class Bare {
 public:
  explicit Bare(const ClusterSpec& cluster) {
    std::array<const char*, 5> options = {"tarry", "--log=root.thres:critical", "--cfg=network/model:CM02",
                                          "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1"};
    int count = static_cast<int>(options.size());
    engine_ = new sg::Engine(&count, const_cast<char**>(options.data()));  // lives as long as the process
    hosts = build_topology(*engine_, cluster, Latency::on_links);
  }

  void start(const std::function<void()>& code) { start_actor(*engine_, hosts[0], code); }

  double run() {
    const std::clock_t before = std::clock();
    engine_->run();
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }

  std::vector<sg::Host*> hosts;

 private:
  sg::Engine* engine_;
};

void send_all(const std::vector<sg::Host*>& hosts, const CardList& cards, const std::vector<TwinMessage>& messages) {
  std::vector<sg::CommPtr> flows;
  Nanos now = 0;
  for (const TwinMessage& m : messages) {
    if (m.sent > now) sg::this_actor::sleep_until(static_cast<double>(now = m.sent) / 1e9);
    flows.push_back(sg::Comm::sendto_async(hosts[cards.index(m.from)], hosts[cards.index(m.to)], m.bytes + 1));
  }
  for (const sg::CommPtr& f : flows) f->wait();
}

using Execs = std::vector<sg::ExecPtr>;

sg::ExecPtr make_exec(sg::Host* host) { return sg::Exec::init()->set_flops_amount(1000)->set_host(host); }

// A graph's executions between two that stand for the client: all begin after the first, the last waits for all.
sg::ExecPtr add_round(Execs& all, const std::vector<std::vector<std::uint32_t>>& successors, const sg::ExecPtr& before,
                      sg::Host* host) {
  const std::size_t first = all.size();
  for (std::size_t i = 0; i < successors.size(); ++i) all.push_back(make_exec(host));
  for (std::size_t i = 0; i < successors.size(); ++i)
    for (const std::uint32_t to : successors[i]) all[first + i]->add_successor(all[first + to]);
  sg::ExecPtr after = make_exec(host);
  for (std::size_t i = first; i < first + successors.size(); ++i) {
    if (all[i]->dependencies_solved()) before->add_successor(all[i]);
    if (all[i]->has_no_successor()) all[i]->add_successor(after);
  }
  return after;
}

}  // namespace

double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages) {
  Bare bare(cluster);
  bare.start([&] { send_all(bare.hosts, CardList(cluster.hosts), messages); });
  return bare.run();
}

double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds) {
  ClusterSpec one;
  one.hosts.push_back({"host"});
  Bare bare(one);
  Execs all;
  const sg::ExecPtr first = make_exec(bare.hosts[0]);
  sg::ExecPtr last = first;
  for (std::size_t i = 0; i < rounds; ++i) all.push_back(last = add_round(all, successors, last, bare.hosts[0]));
  first->start();
  return bare.run();
}

}  // namespace tarry::simgrid_module
