#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "placer/core/check.hpp"
#include "sim/flows.hpp"
#include "sim/simgrid_topology.hpp"

namespace tarry {
namespace {

namespace sg = simgrid::s4u;

// Fluid model, nothing but bandwidth: no slow start, no factors, no cross-traffic. SimGrid's clock is exact to a
// picosecond; by default 3.32 would merge all that happens within 10 us.
constexpr std::array<const char*, 10> kOptions = {"tarry",
                                                  "--log=root.thres:critical",
                                                  "--cfg=network/model:CM02",
                                                  "--cfg=network/optim:Full",
                                                  "--cfg=network/bandwidth-factor:1",
                                                  "--cfg=network/latency-factor:1",
                                                  "--cfg=network/crosstraffic:0",
                                                  "--cfg=network/TCP-gamma:0",
                                                  "--cfg=network/weight-S:0",
                                                  "--cfg=surf/precision:1e-12"};
constexpr double kNanosPerSecond = 1e9;
constexpr double kTimeSlack = 1e-11;  // seconds; far under a nanosecond

// SimGrid's exceptions end here: they say that we used it wrongly.
template <class F>
auto guarded(F&& use) {
  try {
    return use();
  } catch (const Bug&) {
    throw;
  } catch (const std::exception& e) {
    fail_check(fmt::format("SimGrid: {}", e.what()), __FILE__, __LINE__);
  }
}

}  // namespace

struct Flows::Engine {
  std::array<char*, kOptions.size() + 1> arguments{};
  int argument_count = 0;
  sg::Engine* simgrid = nullptr;
  std::vector<sg::Host*> hosts;

  struct Live {
    std::uint64_t flow = 0;
    sg::CommPtr comm;
  };
  std::map<std::uint64_t, Live> live;  // by order of start
  std::uint64_t started = 0;
  std::vector<std::uint64_t> finished;   // orders of start, as SimGrid reports them
  std::set<sg::Activity*> interruption;  // while not empty, SimGrid returns from run_until; never read
  Nanos epoch = 0;                       // our time ...
  double epoch_clock = 0;                // ... when SimGrid's clock showed this; set anew whenever no flow is alive

  explicit Engine(const ClusterSpec& cluster);
  void start(Nanos now, HostId from, HostId to, std::uint64_t bytes, std::uint64_t flow);
  std::vector<Finished> advance(Nanos until);
  void run_to(Nanos until);
  std::vector<Finished> take_finished();
  [[nodiscard]] double clock_at(Nanos t) const {
    return epoch_clock + static_cast<double>(t - epoch) / kNanosPerSecond;
  }
  [[nodiscard]] Nanos time_now() const {
    return epoch + std::llround((sg::Engine::get_clock() - epoch_clock) * kNanosPerSecond);
  }
};

Flows::Engine::Engine(const ClusterSpec& cluster) {
  check(!sg::Engine::is_initialized(),
        "SimGrid allows one engine a process: run every simulation in a child (runner.hpp)");
  for (const char* option : kOptions) arguments[argument_count++] = const_cast<char*>(option);
  simgrid = new sg::Engine(&argument_count, arguments.data());
  hosts = build_topology(*simgrid, cluster);
  simgrid->track_vetoed_activities(&interruption);
  sg::Comm::on_completion_cb([this](const auto& comm) {
    finished.push_back(std::stoull(comm.get_name()));
    interruption.insert(nullptr);
  });
}

void Flows::Engine::start(Nanos now, HostId from, HostId to, std::uint64_t bytes, std::uint64_t flow) {
  if (live.empty()) {
    epoch = now;
    epoch_clock = sg::Engine::get_clock();
  }
  sg::CommPtr comm = sg::Comm::sendto_init(hosts[from.index()], hosts[to.index()]);
  comm->set_name(std::to_string(started));
  comm->set_payload_size(bytes);
  comm->start();
  live.emplace(started++, Live{flow, std::move(comm)});
}

// SimGrid may stop short of the date it was given; then it is asked again.
void Flows::Engine::run_to(Nanos until) {
  const double goal = clock_at(until);
  while (finished.empty() && sg::Engine::get_clock() < goal - kTimeSlack) {
    const double before = sg::Engine::get_clock();
    simgrid->run_until(goal);
    check(!finished.empty() || sg::Engine::get_clock() > before, "SimGrid's clock stands still");
  }
}

std::vector<Flows::Finished> Flows::Engine::take_finished() {
  std::ranges::sort(finished);
  std::vector<Finished> result;
  for (const std::uint64_t order : finished) {
    const auto found = live.find(order);
    check(found != live.end(), "a flow finished twice");
    result.push_back({time_now(), found->second.flow});
    live.erase(found);
  }
  finished.clear();
  interruption.clear();
  return result;
}

std::vector<Flows::Finished> Flows::Engine::advance(Nanos until) {
  run_to(until);
  return take_finished();
}

Flows::Flows(const ClusterSpec& cluster) : cluster_(cluster) {}
Flows::~Flows() = default;

void Flows::start(Nanos now, HostId from, HostId to, std::uint64_t bytes, std::uint64_t flow) {
  guarded([&] {
    if (engine_ == nullptr) engine_ = new Engine(cluster_);
    engine_->start(now, from, to, bytes, flow);
  });
}

bool Flows::alive() const { return engine_ != nullptr && !engine_->live.empty(); }

std::vector<Flows::Finished> Flows::advance(Nanos until) {
  return guarded([&] { return engine_->advance(until); });
}

}  // namespace tarry
