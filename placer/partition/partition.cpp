#include "placer/partition/partition.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "placer/core/check.hpp"
#include "placer/graph/input_text.hpp"
#include "placer/partition/control_loops.hpp"
#include "placer/partition/incoming.hpp"
#include "placer/partition/library.hpp"
#include "placer/partition/memory_types.hpp"
#include "placer/partition/recv_schedule.hpp"

namespace tarry {
namespace {

// A partition as it grows: nodes do not move, because there is room for all that may come.
using PartId = Id<struct PartTag>;
struct Part {
  std::string location;
  std::vector<NodeSpec> nodes;
  std::size_t room = 0;
};

// What is asked of a device for each node and edge.
struct Site {
  bool is_cpu = false;
  PartId part;                              // none until its first node is met
  std::optional<std::int64_t> incarnation;  // none until an edge leaves it
};

// What a consumer reads: `recv`, which is the Recv itself or the Identity behind it.
struct Received {
  NodeSpec* recv = nullptr;
  NodeSpec* real = nullptr;
  std::int64_t start = 0;
};

struct Times {
  std::int64_t send = 0, recv = 0;
};

// What the node being copied has collected: receives of references must wait for its other inputs
// (docs/rules/runtime.md#B.2.8).
struct Consumer {
  NodeSpec* spec = nullptr;
  PartId part;
  std::vector<NodeSpec*> ref_recvs;
  std::vector<std::string_view> ref_controls;  // names, which do not move either
};

class Cutter {
 public:
  Cutter(const Graph& g, const DeviceSet& devices, const PartitionOptions& options)
      : g_(g),
        devices_(devices),
        options_(options),
        known_types_(options.kernels != nullptr ? *options.kernels : kernels_of_tf215(), options.rules),
        memory_(g.node_slots()),
        sites_(devices.size()) {}

  StatusOr<std::vector<Partition>> run() {
    const std::vector<NodeId> nodes = g_.op_nodes();
    for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(look_at(n));
    make_room(nodes);
    for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(copy(n));
    return finish();
  }

 private:
  using Key = std::tuple<NodeId, int, PartId, bool>;  // source, slot, consumer's partition, received on the host

  [[nodiscard]] const Device& device(NodeId n) const { return devices_[g_.node(n).assigned]; }
  [[nodiscard]] Site& site(NodeId n) { return sites_[g_.node(n).assigned]; }
  [[nodiscard]] const Site& site(NodeId n) const { return sites_[g_.node(n).assigned]; }
  [[nodiscard]] bool on_cpu(NodeId n) const { return site(n).is_cpu; }
  [[nodiscard]] PartId part_id(NodeId n) const { return site(n).part; }
  Part& part_of(NodeId n) { return parts_[part_id(n).index()]; }

  // ---- before the cut ----

  Status look_at(NodeId n) {
    if (!g_.node(n).assigned.valid()) return error(Code::kInternal, "Malformed assigned device ''");
    Site& at = site(n);
    if (!at.part.valid())
      at = {.is_cpu = device(n).parsed.type == "CPU", .part = part_at(device(n)), .incarnation = {}};
    TARRY_ASSIGN(memory_[n], known_types_.of(g_, n, *device(n).parsed.type));
    ++part_of(n).room;
    return {};
  }

  PartId part_at(const Device& d) {
    const auto [it, is_new] =
        by_location_.try_emplace(options_.by == CutBy::task ? task_of(d.parsed) : d.name, PartId{parts_.size()});
    if (is_new) parts_.push_back(Part{it->first, {}});
    return it->second;
  }

  // An edge that is cut adds at most two nodes at either end.
  void make_room(const std::vector<NodeId>& nodes) {
    for (const NodeId n : nodes)
      for (const EdgeId id : g_.in_edges(n)) {
        const Edge& e = g_.edge(id);
        if (!g_.is_op(e.src) || !is_cut(e)) continue;
        part_of(e.src).room += 2;
        part_of(e.dst).room += 2;
      }
    for (Part& p : parts_) p.nodes.reserve(p.room);
  }

  static NodeSpec& append(Part& part, NodeSpec n) {
    check(part.nodes.size() < part.nodes.capacity(), "a part has room for its nodes");
    return part.nodes.emplace_back(std::move(n));
  }

  // ---- one node ----

  Status copy(NodeId n) {
    TARRY_RETURN_IF_ERROR(in_.find(g_, n));
    consumer_.part = part_id(n);
    consumer_.ref_recvs.clear();
    consumer_.ref_controls.clear();
    NodeSpec& spec =
        append(part_of(n),
               NodeSpec{std::string(g_.name(n)), std::string(g_.op_name(n)), device(n).name, {}, g_.node(n).attrs});
    consumer_.spec = &spec;
    spec.inputs.reserve(in_.edges.size());
    fill_incarnation(spec);
    if (options_.start_time && spec.attrs.find(kStartTime) == nullptr)
      spec.attrs.set(kStartTime, options_.start_time(n));
    for (const EdgeId e : in_.edges) TARRY_RETURN_IF_ERROR(connect(consumer_, e));
    for (const std::string_view input : consumer_.ref_controls)
      for (NodeSpec* recv : consumer_.ref_recvs) recv->inputs.push_back(input_text(input, kControlSlot));
    for (; in_.loop_edges > 0; --in_.loop_edges)
      spec.inputs.push_back(input_text(g_.name(in_.loop_merge), kControlSlot));
    return {};
  }

  // ---- one edge ----

  Status connect(Consumer& to, EdgeId id) {
    const Edge& e = g_.edge(id);
    if (!is_cut(e)) {
      to.spec->inputs.push_back(input_text(g_.name(e.src), e.src_slot));
      if (!reads_reference(e)) to.ref_controls.push_back(g_.name(e.src));
      return {};
    }
    if (e.is_control() && options_.planted == PlantedRuntimeBug::control_edge_lost) return {};
    TARRY_ASSIGN(const Times times, times_of(e));
    const Key key{e.src, options_.planted == PlantedRuntimeBug::dedup_ignores_slot ? 0 : e.src_slot, to.part,
                  received_on_host(e)};
    if (const auto it = received_.find(key); it != received_.end()) {
      if (times.recv < it->second.start) set_start(it->second, times.recv);
      use(to, e, it->second);
      return {};
    }
    Received pair = add_pair(id, times);
    if (reads_reference(e) || options_.scheduling_for_recvs) set_start(pair, times.recv);
    if (reads_reference(e)) {
      to.ref_recvs.push_back(pair.real);
      to.spec->inputs.push_back(pair.recv->name);
      return {};
    }
    received_.emplace(key, pair);
    use(to, e, pair);
    return {};
  }

  static void use(Consumer& to, const Edge& e, const Received& r) {
    to.spec->inputs.push_back(input_text(r.recv->name, e.is_control() ? kControlSlot : 0));
    to.ref_controls.emplace_back(r.recv->name);
  }

  [[nodiscard]] bool reads_reference(const Edge& e) const {
    return !e.is_control() && is_ref(g_.output_type(e.src, e.src_slot));
  }

  [[nodiscard]] bool is_cut(const Edge& e) const { return part_id(e.src) != part_id(e.dst) || memory_differs(e); }

  // On one device, not a CPU, the two ends keep the value in different memories.
  [[nodiscard]] bool memory_differs(const Edge& e) const {
    if (e.is_control() || g_.node(e.src).assigned != g_.node(e.dst).assigned || on_cpu(e.src)) return false;
    return memory_[e.src]->outputs[e.src_slot] != memory_[e.dst]->inputs[e.dst_slot];
  }

  [[nodiscard]] bool received_on_host(const Edge& e) const {
    return on_cpu(e.dst) || (!e.is_control() && memory_[e.dst]->inputs[e.dst_slot] == MemoryType::host);
  }

  // ---- start times ----

  [[nodiscard]] StatusOr<std::int64_t> start_of(NodeId n) const {
    if (const auto* start = g_.node(n).attrs.get<std::int64_t>(kStartTime)) return *start;
    if (options_.start_time) return options_.start_time(n);
    return error(Code::kNotFound, "No attr named '{}' in NodeDef:", kStartTime);
  }

  [[nodiscard]] StatusOr<Times> times_of(const Edge& e) const {
    if (!options_.scheduling_for_recvs) return Times{};
    TARRY_ASSIGN(const std::int64_t send, start_of(e.src));
    TARRY_ASSIGN(const std::int64_t recv, start_of(e.dst));
    return Times{send, recv};
  }

  static void set_start(Received& r, std::int64_t start) {
    r.start = start;
    r.recv->attrs.set(kStartTime, r.start);
    if (r.real != r.recv) r.real->attrs.set(kStartTime, r.start);
  }

  void mark_start(NodeSpec& n, std::int64_t start) const {
    if (options_.scheduling_for_recvs) n.attrs.set(kStartTime, start);
  }

  // ---- Send and Recv ----

  // Names are taken in this order: constant or cast, send, recv, identity or cast.
  Received add_pair(EdgeId id, Times times) {
    const Edge& e = g_.edge(id);
    Part& from = part_of(e.src);
    Part& into = part_of(e.dst);
    NodeSpec& send = add_send(from, id, sent_input(from, e, times));
    mark_start(send, times.send);
    NodeSpec& real = add_recv(into, id);
    NodeSpec& recv = behind_recv(into, e, real);
    if (&from == &into) {
      real.inputs.push_back(input_text(send.name, kControlSlot));  // else the asynchronous Recv might start first
    } else if (in_.loop_merge.valid()) {  // every Recv gets one, however few edges the importer left
      --in_.loop_edges;
      real.inputs.push_back(input_text(g_.name(in_.loop_merge), kControlSlot));
    }
    return {&recv, &real, times.recv};
  }

  // What the Send sends: the source itself, or what stands for it.
  std::string sent_input(Part& from, const Edge& e, Times times) {
    if (e.is_control()) return add_constant(from, e, times).name;
    const std::string source = input_text(g_.name(e.src), e.src_slot);
    if (!is_cast(e)) return source;
    NodeSpec& cast = add_cast(from, e.src, e,
                              {{"SrcT", DataType::kFloat}, {"DstT", DataType::kBfloat16}, {"Truncate", true}}, source);
    mark_start(cast, times.send);
    return cast.name;
  }

  NodeSpec& behind_recv(Part& into, const Edge& e, NodeSpec& recv) {
    if (e.is_control()) return add_identity(into, e, recv);
    return is_cast(e) ? add_cast(into, e.dst, e, {{"SrcT", DataType::kBfloat16}, {"DstT", DataType::kFloat}}, recv.name)
                      : recv;
  }

  NodeSpec& add_cast(Part& part, NodeId beside, const Edge& e, Attrs attrs, std::string input) {
    const bool host = beside == e.src ? sent_from_host(e) : received_in_host_memory(e);
    NodeSpec& n = add(part, options_.new_name(g_.name(e.src)), host ? "_HostCast" : "Cast", beside, std::move(attrs));
    n.inputs.push_back(std::move(input));
    return n;
  }

  [[nodiscard]] bool is_cast(const Edge& e) const {
    return options_.float_as_bfloat16 && !e.is_control() && part_id(e.src) != part_id(e.dst) &&
           base_type(g_.output_type(e.src, e.src_slot)) == DataType::kFloat;
  }
  [[nodiscard]] bool sent_from_host(const Edge& e) const {
    return !e.is_control() && memory_[e.src]->outputs[e.src_slot] == MemoryType::host;
  }
  [[nodiscard]] bool received_in_host_memory(const Edge& e) const {
    return !e.is_control() && memory_[e.dst]->inputs[e.dst_slot] == MemoryType::host;
  }

  NodeSpec& add(Part& part, std::string name, const char* op, NodeId beside, Attrs attrs) {
    return append(part, NodeSpec{std::move(name), op, device(beside).name, {}, std::move(attrs)});
  }

  // What is sent for a control edge: an empty constant behind the source.
  NodeSpec& add_constant(Part& part, const Edge& e, Times times) {
    NodeSpec& n =
        add(part, options_.new_name(fmt::format(FMT_COMPILE("{}{}"), g_.name(e.src), options_.cut.control_suffix)),
            "Const", e.src, empty_float_attrs());
    n.inputs.push_back(input_text(g_.name(e.src), kControlSlot));
    mark_start(n, times.send);
    return n;
  }

  NodeSpec& add_identity(Part& part, const Edge& e, const NodeSpec& recv) {
    NodeSpec& n = add(part, options_.new_name(g_.name(e.src)), "Identity", e.dst, {{"T", DataType::kFloat}});
    n.inputs.push_back(recv.name);
    return n;
  }

  [[nodiscard]] DataType sent_type(const Edge& e) const {
    if (e.is_control()) return DataType::kFloat;
    return is_cast(e) ? DataType::kBfloat16 : base_type(g_.output_type(e.src, e.src_slot));
  }

  NodeSpec& add_send(Part& part, EdgeId id, std::string input) {
    const Edge& e = g_.edge(id);
    entries_.clear();
    entries_.emplace_back("T", sent_type(e));
    add_key(id);
    NodeSpec& n = add(part, options_.new_name(g_.name(e.src)), sent_from_host(e) ? "_HostSend" : "_Send", e.src,
                      Attrs(std::span(entries_)));
    n.inputs.push_back(std::move(input));
    return n;
  }

  NodeSpec& add_recv(Part& part, EdgeId id) {
    const Edge& e = g_.edge(id);
    entries_.clear();
    add_key(id);
    entries_.emplace_back("tensor_type", sent_type(e));
    Attrs attrs{std::span(entries_)};
    if (options_.planted == PlantedRuntimeBug::incarnation_of_receiver)
      attrs.set("send_device_incarnation", incarnation_of(e.dst));
    return add(part, options_.new_name(g_.name(e.src)), received_in_host_memory(e) ? "_HostRecv" : "_Recv", e.dst,
               std::move(attrs));
  }

  std::int64_t incarnation_of(NodeId n) {
    std::optional<std::int64_t>& known = site(n).incarnation;
    if (!known) known = static_cast<std::int64_t>(options_.incarnation(device(n).name));
    return *known;
  }

  // What both ends of a pair have in common, sorted by name; the rendezvous key is made of it
  // (docs/rules/runtime.md#B.3).
  void add_key(EdgeId id) {
    const Edge& e = g_.edge(id);
    if (options_.cut.names_ends) {
      entries_.emplace_back("_dst", std::string(g_.name(e.dst)));
      entries_.emplace_back("_src", std::string(g_.name(e.src)));
    }
    entries_.emplace_back("client_terminated", false);
    entries_.emplace_back("recv_device", device(e.dst).name);
    entries_.emplace_back("send_device", device(e.src).name);
    entries_.emplace_back("send_device_incarnation", incarnation_of(e.src));
    entries_.emplace_back("tensor_name", fmt::format(FMT_COMPILE("edge_{}_{}"), id.value, g_.name(e.src)));
  }

  // ---- the end ----

  // The user's own Send and Recv, and those of an earlier cut, may not know the sender's incarnation yet.
  void fill_incarnation(NodeSpec& n) const {
    if (n.op != "_Send" && n.op != "_Recv") return;
    const auto* known = n.attrs.get<std::int64_t>("send_device_incarnation");
    const auto* sender = n.attrs.get<std::string>("send_device");
    if ((known == nullptr || *known == 0) && sender != nullptr)
      n.attrs.set("send_device_incarnation", static_cast<std::int64_t>(options_.incarnation(*sender)));
  }

  std::vector<Partition> finish() {
    std::vector<Partition> out;
    for (Part& part : parts_) {
      Partition p{.location = part.location};
      p.graph.nodes = std::move(part.nodes);
      p.graph.versions = g_.versions;
      p.graph.functions = reachable_functions(g_.functions, p.graph.nodes);
      p.graph.stack_traces = traces_of(g_.stack_traces, p.graph.nodes);
      for (FunctionSpec& f : p.graph.functions)
        for (NodeSpec& n : f.nodes) fill_incarnation(n);
      out.push_back(std::move(p));
    }
    return out;
  }

  const Graph& g_;
  const DeviceSet& devices_;
  const PartitionOptions& options_;
  KnownMemoryTypes known_types_;
  IdVector<NodeId, const MemoryTypes*> memory_;
  IdVector<DeviceId, Site> sites_;
  std::vector<Part> parts_;
  std::map<std::string, PartId> by_location_;
  absl::flat_hash_map<Key, Received> received_;  // looked up, never iterated
  Incoming in_;                                  // of the node that is being copied, as is
  Consumer consumer_;
  std::vector<AttrEntry> entries_;  // of the transfer that is being added, sorted by name
};

}  // namespace

StatusOr<std::vector<Partition>> partition(Graph& g, const DeviceSet& devices, const PartitionOptions& options) {
  if (!options.control_flow_added && options.planted != PlantedRuntimeBug::control_loop_missing)
    TARRY_RETURN_IF_ERROR(add_control_loops(g, options));
  return Cutter(g, devices, options).run();
}

}  // namespace tarry
