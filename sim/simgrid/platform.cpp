// A platform file as SimGrid reads it, in lines (read_platform.cpp takes them apart).

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/simgrid/module.hpp"
#include "sim/simgrid/topology.hpp"

namespace tarry::simgrid_module {
namespace {

namespace sg = simgrid::s4u;

struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class PlatformReader {
 public:
  explicit PlatformReader(const std::string& file) {
    std::array<const char*, 3> options = {"tarry", "--log=root.thres:critical", "--cfg=network/model:CM02"};
    int count = static_cast<int>(options.size());
    engine_ = new sg::Engine(&count, const_cast<char**>(options.data()));  // lives as long as the process
    engine_->register_default([](int, char**) {});                         // actors are counted, not run
    engine_->load_platform(file);
    if (engine_->get_actor_count() > 0) throw Unfit("the file starts actors; expected a platform without a deployment");
  }

  std::string lines(const std::vector<std::string>& wanted) {
    std::string text;
    std::vector<sg::Host*> hosts;
    for (const sg::Host* h : engine_->get_all_hosts()) text += fmt::format("host {}\n", h->get_name());
    for (const std::string& name : wanted) hosts.push_back(sg::Host::by_name_or_null(name));
    if (std::ranges::find(hosts, nullptr) != hosts.end()) return text;
    std::string routes;
    for (const sg::Host* from : hosts)
      for (const sg::Host* to : hosts) routes += route_line(from, to);
    return text + links_ + routes;
  }

 private:
  std::string route_line(const sg::Host* from, const sg::Host* to) {
    if (from == to) return "route 0\n";
    std::vector<sg::Link*> links;
    double latency = 0;
    from->route_to(to, links, &latency);
    if (links.empty()) throw Unfit(fmt::format("no route from {} to {}", from->get_name(), to->get_name()));
    constexpr double kLongest = 1e9;  // seconds
    if (!(latency <= kLongest))
      throw Unfit(fmt::format("the latency from {} to {} is too long", from->get_name(), to->get_name()));
    std::string line = fmt::format("route {}", std::llround(latency * 1e9));
    std::vector<std::size_t> crossed;
    for (const sg::Link* link : links) {
      const std::size_t number = number_of_link(*link);
      if (std::ranges::find(crossed, number) == crossed.end()) line += fmt::format(" {}", number);
      crossed.push_back(number);
    }
    return line + "\n";
  }

  std::size_t number_of_link(const sg::Link& link) {
    const auto [it, is_new] = numbers_.try_emplace(link.get_name(), numbers_.size());
    if (!is_new) return it->second;
    const auto policy = link.get_sharing_policy();
    using Policy = sg::Link::SharingPolicy;
    if (policy == Policy::WIFI || policy == Policy::NONLINEAR)
      throw Unfit(fmt::format("link {} is neither SHARED nor FATPIPE nor SPLITDUPLEX", link.get_name()));
    constexpr double kNoLimit = 1e18;  // bytes a second
    const double bandwidth = link.get_bandwidth();
    if (!(bandwidth >= 1)) throw Unfit(fmt::format("nothing gets through link {}", link.get_name()));
    links_ += fmt::format("link {} {} {}\n", bandwidth >= kNoLimit ? 0 : std::llround(bandwidth),
                          policy == Policy::FATPIPE ? 1 : 0, link.get_name());
    return it->second;
  }

  sg::Engine* engine_;
  std::string links_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string read_platform(const std::string& file, const std::vector<std::string>& wanted) {
  try {
    return PlatformReader(file).lines(wanted);
  } catch (const std::exception& e) {
    return fmt::format("refused {}", e.what());
  }
}

}  // namespace tarry::simgrid_module
