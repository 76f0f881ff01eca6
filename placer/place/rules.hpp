// What differs between releases of the placer, as data (design: releases are data).
//
// Each field names the rule, says which release introduced the value that 2.15 has, and is asked in one place of the algorithm.
// Dates are those of seen_in_tensorflow.md, which probed released wheels.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "placer/device/merge.hpp"

namespace tarry {

struct Rules {
  std::string release = "2.15";

  // Groups.
  Compatibility compatibility = Compatibility::wide;  // 2.2.0: names without a common field are compatible
  bool own_name_always_joined = true;                 // 2.2.0: a node with loc:@ keys joins its own name's group as well
  bool xla_excluded = true;                           // 2.1.0: XLA types leave a group that did not ask for them

  // Kernels.
  bool default_kernels = true;  // 1.15.0 (not 1.14, 2.0 has it): a kernel for DEFAULT serves a type that has none
  bool remote_kernels = true;   // 1.15.0 (not 2.0.0): a type asked for on another task is taken at its word

  // Candidates.
  bool local_first = true;  // 2.3.0: of equal priority, local devices before remote ones

  // Texts.
  bool same_priority_text = true;       // 2.1.0: "Multiple OpKernel registrations match NodeDef at the same priority"
  bool space_before_with = true;        // 2.2.0: D5 "{{node n}} with these attrs"
  bool resource_in_connection = true;   // 2.5.0: D9 "a reference or resource connection"
  bool edge_ends_with_ops = true;       // between 2.8.0 and 2.10.0: D12/D13 name='..' (op='..')
  bool experimental_in_advice = false;  // up to 2.0: D3 "set experimental.share_cluster_devices_in_session"
  bool device_in_debug_string = true;   // 2.2.0: D6 "device:{requested: '..', assigned: ''}"

  // The device types' priorities, higher first (A.7; from 1.0). A type that is not here has -1.
  std::map<std::string, int, std::less<>> type_priority = {{"GPU", 210}, {"CPU", 70}, {"XLA_CPU", 50}, {"XLA_GPU", 50}};

  [[nodiscard]] int priority_of(std::string_view type) const {
    const auto it = type_priority.find(type);
    return it == type_priority.end() ? -1 : it->second;
  }
};

[[nodiscard]] inline Rules rules_2_15() { return {}; }
[[nodiscard]] inline Rules rules_1_15() {
  Rules r;
  r.release = "1.15";
  r.compatibility = Compatibility::nested;
  r.own_name_always_joined = r.xla_excluded = r.local_first = false;
  r.same_priority_text = r.space_before_with = r.resource_in_connection = r.edge_ends_with_ops = r.device_in_debug_string = false;
  r.experimental_in_advice = true;
  return r;
}

}  // namespace tarry
