#include "placer/place/log_lines.hpp"

#include "placer/core/text.hpp"

namespace tarry {
namespace {

class Lines {
 public:
  Lines(const Graph& g, const DeviceSet& devices, const Rules& rules, bool all)
      : g_(g), devices_(devices), rules_(rules), all_(all) {}

  void operator()(const Overridden& o) {
    if (!all_ && !rules_.overrides_always_logged) return;
    info(
        fmt::format("Ignoring device specification {} for node '{}' because the input edge from '{}' is a reference "
                    "connection and already has "
                    "a device field set to {}",
                    to_string(o.was, rules_.names), g_.name(o.dst), g_.name(o.src), to_string(o.is, rules_.names)));
  }
  void operator()(const StayedOut& s) {
    if (!all_) return;
    info(
        fmt::format("Ignoring request to colocate node '{}' with nodes in colocation group '{}' because soft placement "
                    "is on and an attempt at "
                    "doing so resulted in the following error: {}",
                    g_.name(s.node), s.key, s.why));
  }
  void operator()(const Ranked& r) {  // D-w
    if (r.relaxed != Relaxed::resource_moved || r.devices.empty() || !rules_.separate_requests) return;
    std::vector<std::string> names;
    for (const DeviceId d : r.devices) names.push_back(devices_[d].name);
    lines.push_back(
        {'W',
         fmt::format(
             "Failed to place the graph without changing the devices of some resources. Some of the operations (that "
             "had to be colocated with resource generating operations) are not supported on the resources' devices. "
             "Current candidate devices are [\n  {}].\nSee below for details of this colocation group:{}",
             join(names, "\n  "), r.group)});
  }
  void operator()(const Chosen& c) {
    if (!all_ || (c.why == Choice::pre_assigned && !rules_.assigned_logged)) return;
    info(fmt::format(fmt::runtime(rules_.texts.placed_line), fmt::arg("node", g_.name(c.node)),
                     fmt::arg("op", g_.op_name(c.node)), fmt::arg("device", devices_[c.device].name)));
  }
  template <class Other>
  void operator()(const Other&) {}

  std::vector<PlacerLine> lines;

 private:
  void info(std::string text) { lines.push_back({'I', std::move(text)}); }

  const Graph& g_;
  const DeviceSet& devices_;
  const Rules& rules_;
  bool all_;
};

}  // namespace

std::vector<PlacerLine> log_lines(const Graph& g, const DeviceSet& devices, const Rules& rules, const Journal& journal,
                                  bool log_device_placement) {
  Lines lines(g, devices, rules, log_device_placement);
  for (const Decision& d : journal.events) std::visit(lines, d);
  return std::move(lines.lines);
}

}  // namespace tarry
