// Places a graph for the command line, by the rules and the tables of one release.
#pragma once

#include <memory>
#include <string>

#include "placer/place/journal.hpp"
#include "placer/place/place.hpp"
#include "properties/cli/open.hpp"
#include "properties/conform/placer.hpp"

namespace tarry {

struct PlaceArguments {
  std::string graph, devices = "from-graph", by = "task", rules = "2.15";
  std::string client, explain, why_not, diff, out;
  bool soft = false, json = false, nodes = false, dot = false, conflict = false;
};

// `status` says whether the placement succeeded; the other members are set in both cases.
struct Placed {
  std::unique_ptr<const WholeRelease>
      release;  // nodes point into its tables; nullptr for 2.15, whose tables are built in
  Rules rules;
  GraphSpec spec;
  Graph imported, graph;  // before and after placing
  DeviceSet devices;
  DeviceId client;  // the first device of the task whose client asks; none = nobody's
  std::unique_ptr<Journal> journal;
  Status status;

  [[nodiscard]] PlaceOptions options(bool soft) const;
};

// Fails for bad input only: no such graph, release or device, a graph that cannot be imported.
[[nodiscard]] StatusOr<Placed> place_graph(const PlaceArguments& a, const Home& home);

// Which tables were used: "ops of 0.12: 40 nodes by its own tables, 2 nodes (Foo, Bar) by those of 2.15"; "" for 2.15.
[[nodiscard]] std::string tables_text(const Placed& p);

// The options that place and partition share.
void add_graph_options(CLI::App* c, const std::shared_ptr<PlaceArguments>& a);

}  // namespace tarry
