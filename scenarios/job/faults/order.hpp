// Which of simultaneous events comes first is drawn, in place of the order in which they were asked for
// (sim/tie_order.hpp).
//
// No real fault: TensorFlow says nothing of what comes first where two things happen at once, and a simulated clock
// makes them meet more often than real ones do. A job that keeps what it must only in one order is a job that will
// break. What TensorFlow orders stays in order: messages from one task to another, kernels of one device.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Order {
  static constexpr std::string_view kKey = "order", kExample = "{seed: 7, changes: 2, within: 5000}",
                                    kMeaning = "which of simultaneous events comes first is drawn";
  Count seed;
  std::optional<Count> changes, within;

  static constexpr auto fields() {
    return std::tuple(
        field("seed", &Order::seed, "of the priorities of links, devices and processes"),
        field("changes", &Order::changes, "how often the one whose turn it is becomes the last; else never"),
        field("within", &Order::within, "among so many choices, drawn; else 1000"));
  }
  void happen(FaultContext& c) const {
    c.note(fmt::format("which of simultaneous events comes first is drawn from {}", seed.value), kKey, "", "", true);
    c.world.draw_order({static_cast<std::uint64_t>(seed.value), count_of(changes, 0), count_of(within, 1'000)});
  }
  static std::uint64_t count_of(const std::optional<Count>& count, std::uint64_t otherwise) {
    return count ? static_cast<std::uint64_t>(count->value) : otherwise;
  }
  friend bool operator==(const Order&, const Order&) = default;
};

}  // namespace tarry
