#include "placer/partition/partition.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "placer/partition/control_loops.hpp"
#include "placer/partition/library.hpp"
#include "placer/partition/memory_types.hpp"

namespace tarry {
namespace {

constexpr const char* kStartTime = "_start_time";

// A partition as it grows: nodes do not move.
using PartId = Id<struct PartTag>;
struct Part {
  std::string location;
  std::deque<NodeSpec> nodes;
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

// The edges into a node: data by slot, then control; those from control loops apart.
struct Incoming {
  std::vector<EdgeId> edges;
  NodeId loop_merge;
  int loop_edges = 0;
};

// What the node being copied has collected: receives of references must wait for its other inputs (B.2, 8).
struct Consumer {
  NodeSpec* spec = nullptr;
  PartId part;
  std::vector<NodeSpec*> ref_recvs;
  std::vector<std::string> ref_controls;
};

std::string input_text(std::string_view node, int slot) {
  if (slot == kControlSlot) return fmt::format("^{}", node);
  return slot == 0 ? std::string(node) : fmt::format("{}:{}", node, slot);
}

Attrs empty_float_attrs() {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = DataType::kFloat;
  t->shape = Shape({0});
  return {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(std::move(t))}};
}

class Cutter {
 public:
  Cutter(const Graph& g, const DeviceSet& devices, const PartitionOptions& options)
      : g_(g), devices_(devices), options_(options), memory_(g.node_slots()), parts_of_(g.node_slots()) {}

  StatusOr<std::vector<Partition>> run() {
    const std::vector<NodeId> nodes = g_.op_nodes();
    for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(look_at(n));
    for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(copy(n));
    if (options_.scheduling_for_recvs)
      for (const auto& [key, received] : received_) set_start(received);
    return finish();
  }

 private:
  using Key = std::tuple<NodeId, int, PartId, bool>;  // source, slot, consumer's partition, received on the host

  [[nodiscard]] const Device& device(NodeId n) const { return devices_[g_.node(n).assigned]; }
  [[nodiscard]] bool on_cpu(NodeId n) const { return device(n).parsed.type == "CPU"; }

  Status look_at(NodeId n) {
    if (!g_.node(n).assigned.valid()) return error(Code::kInternal, "Malformed assigned device ''");
    const KernelRegistry& kernels = options_.kernels != nullptr ? *options_.kernels : kernels_of_tf215();
    TARRY_ASSIGN(memory_[n], memory_types(g_, n, *device(n).parsed.type, kernels, options_.rules));
    parts_of_[n] = part_at(options_.location(n));
    return {};
  }

  PartId part_at(const std::string& location) {
    const auto [it, is_new] = by_location_.try_emplace(location, PartId{parts_.size()});
    if (is_new) parts_.push_back(Part{location, {}});
    return it->second;
  }
  Part& part_of(NodeId n) { return parts_[parts_of_[n].index()]; }

  // ---- one node ----

  Status copy(NodeId n) {
    TARRY_ASSIGN(Incoming in, incoming(n));
    Consumer consumer{.part = parts_of_[n]};
    consumer.spec =
        &part_of(n).nodes.emplace_back(NodeSpec{std::string(g_.name(n)), std::string(g_.op_name(n)), device(n).name, {}, g_.node(n).attrs});
    if (options_.start_time && consumer.spec->attrs.find(kStartTime) == nullptr)
      consumer.spec->attrs.set(kStartTime, options_.start_time(n));
    for (const EdgeId e : in.edges) TARRY_RETURN_IF_ERROR(connect(consumer, e, in));
    for (const std::string& input : consumer.ref_controls)
      for (NodeSpec* recv : consumer.ref_recvs) recv->inputs.push_back(input_text(input, kControlSlot));
    for (; in.loop_edges > 0; --in.loop_edges) consumer.spec->inputs.push_back(input_text(g_.name(in.loop_merge), kControlSlot));
    return {};
  }

  [[nodiscard]] StatusOr<Incoming> incoming(NodeId n) const {
    Incoming in;
    in.edges.resize(g_.input_count(n));
    int data = 0;
    for (const EdgeId id : g_.in_edges(n)) {
      const Edge& e = g_.edge(id);
      if (!e.is_control()) {
        in.edges[e.dst_slot] = id;
        ++data;
      } else if (!g_.is_op(e.src)) {
        continue;
      } else if (is_control_loop_merge(g_, e.src)) {
        in.loop_merge = e.src;
        ++in.loop_edges;
      } else {
        in.edges.push_back(id);
      }
    }
    if (data != g_.input_count(n)) return invalid("Incomplete graph, missing {} inputs for {}", g_.input_count(n) - data, g_.name(n));
    return in;
  }

  // ---- one edge ----

  Status connect(Consumer& to, EdgeId id, Incoming& in) {
    const Edge& e = g_.edge(id);
    if (parts_of_[e.src] == to.part && !memory_differs(e)) {
      to.spec->inputs.push_back(input_text(g_.name(e.src), e.src_slot));
      if (!reads_reference(e)) to.ref_controls.emplace_back(g_.name(e.src));
      return {};
    }
    if (e.is_control() && options_.planted == PlantedRuntimeBug::control_edge_lost) return {};
    TARRY_ASSIGN(const Times times, times_of(e));
    const Key key{e.src, options_.planted == PlantedRuntimeBug::dedup_ignores_slot ? 0 : e.src_slot, to.part, received_on_host(e)};
    if (const auto it = received_.find(key); it != received_.end()) {
      it->second.start = std::min(it->second.start, times.recv);
      use(to, e, it->second);
      return {};
    }
    Received pair = add_pair(id, times, in);
    if (reads_reference(e)) {
      set_start(pair);
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
    to.ref_controls.push_back(r.recv->name);
  }

  [[nodiscard]] bool reads_reference(const Edge& e) const { return !e.is_control() && is_ref(g_.output_type(e.src, e.src_slot)); }

  // On one device, not a CPU, the two ends keep the value in different memories.
  [[nodiscard]] bool memory_differs(const Edge& e) const {
    if (e.is_control() || g_.node(e.src).assigned != g_.node(e.dst).assigned || on_cpu(e.src)) return false;
    return memory_[e.src].outputs[e.src_slot] != memory_[e.dst].inputs[e.dst_slot];
  }

  [[nodiscard]] bool received_on_host(const Edge& e) const {
    return on_cpu(e.dst) || (!e.is_control() && memory_[e.dst].inputs[e.dst_slot] == MemoryType::host);
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

  static void set_start(const Received& r) {
    r.recv->attrs.set(kStartTime, r.start);
    if (r.real != r.recv) r.real->attrs.set(kStartTime, r.start);
  }

  void mark_start(NodeSpec& n, std::int64_t start) const {
    if (options_.scheduling_for_recvs) n.attrs.set(kStartTime, start);
  }

  // ---- Send and Recv ----

  // Names are taken in this order: constant or cast, send, recv, identity or cast.
  Received add_pair(EdgeId id, Times times, Incoming& in) {
    const Edge& e = g_.edge(id);
    Part& from = part_of(e.src);
    Part& into = part_of(e.dst);
    NodeSpec& send = add_send(from, id, sent_input(from, e, times));
    mark_start(send, times.send);
    NodeSpec& real = add_recv(into, id);
    NodeSpec& recv = behind_recv(into, e, real);
    if (&from == &into) {
      real.inputs.push_back(input_text(send.name, kControlSlot));  // else the asynchronous Recv might start first
    } else if (in.loop_merge.valid()) {                            // every Recv gets one, however few edges the importer left
      --in.loop_edges;
      real.inputs.push_back(input_text(g_.name(in.loop_merge), kControlSlot));
    }
    return {&recv, &real, times.recv};
  }

  // What the Send sends: the source itself, or what stands for it.
  std::string sent_input(Part& from, const Edge& e, Times times) {
    if (e.is_control()) return add_constant(from, e, times).name;
    const std::string source = input_text(g_.name(e.src), e.src_slot);
    if (!is_cast(e)) return source;
    NodeSpec& cast = add_cast(from, e.src, e, {{"SrcT", DataType::kFloat}, {"DstT", DataType::kBfloat16}, {"Truncate", true}}, source);
    mark_start(cast, times.send);
    return cast.name;
  }

  NodeSpec& behind_recv(Part& into, const Edge& e, NodeSpec& recv) {
    if (e.is_control()) return add_identity(into, e, recv);
    return is_cast(e) ? add_cast(into, e.dst, e, {{"SrcT", DataType::kBfloat16}, {"DstT", DataType::kFloat}}, recv.name) : recv;
  }

  NodeSpec& add_cast(Part& part, NodeId beside, const Edge& e, Attrs attrs, std::string input) {
    const bool host = beside == e.src ? sent_from_host(e) : received_in_host_memory(e);
    NodeSpec& n = add(part, options_.new_name(g_.name(e.src)), host ? "_HostCast" : "Cast", beside, std::move(attrs));
    n.inputs.push_back(std::move(input));
    return n;
  }

  [[nodiscard]] bool is_cast(const Edge& e) const {
    return options_.float_as_bfloat16 && !e.is_control() && parts_of_[e.src] != parts_of_[e.dst] && base_type(g_.output_type(e.src, e.src_slot)) == DataType::kFloat;
  }
  [[nodiscard]] bool sent_from_host(const Edge& e) const { return !e.is_control() && memory_[e.src].outputs[e.src_slot] == MemoryType::host; }
  [[nodiscard]] bool received_in_host_memory(const Edge& e) const { return !e.is_control() && memory_[e.dst].inputs[e.dst_slot] == MemoryType::host; }

  NodeSpec& add(Part& part, std::string name, const char* op, NodeId beside, Attrs attrs) {
    return part.nodes.emplace_back(NodeSpec{std::move(name), op, device(beside).name, {}, std::move(attrs)});
  }

  // What is sent for a control edge: an empty constant behind the source.
  NodeSpec& add_constant(Part& part, const Edge& e, Times times) {
    NodeSpec& n =
        add(part, options_.new_name(fmt::format("{}{}", g_.name(e.src), options_.cut.control_suffix)), "Const", e.src, empty_float_attrs());
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
    Attrs attrs = key_attrs(id);
    attrs.set("T", sent_type(e));
    NodeSpec& n = add(part, options_.new_name(g_.name(e.src)), sent_from_host(e) ? "_HostSend" : "_Send", e.src, std::move(attrs));
    n.inputs.push_back(std::move(input));
    return n;
  }

  NodeSpec& add_recv(Part& part, EdgeId id) {
    const Edge& e = g_.edge(id);
    Attrs attrs = key_attrs(id);
    attrs.set("tensor_type", sent_type(e));
    if (options_.planted == PlantedRuntimeBug::incarnation_of_receiver) attrs.set("send_device_incarnation", static_cast<std::int64_t>(options_.incarnation(device(e.dst).name)));
    return add(part, options_.new_name(g_.name(e.src)), received_in_host_memory(e) ? "_HostRecv" : "_Recv", e.dst, std::move(attrs));
  }

  // What both ends of a pair have in common; the rendezvous key is made of it (B.3).
  [[nodiscard]] Attrs key_attrs(EdgeId id) const {
    const Edge& e = g_.edge(id);
    std::vector<AttrEntry> entries = {{"tensor_name", fmt::format("edge_{}_{}", id.value, g_.name(e.src))},
                                      {"send_device", device(e.src).name},
                                      {"send_device_incarnation", static_cast<std::int64_t>(options_.incarnation(device(e.src).name))},
                                      {"recv_device", device(e.dst).name},
                                      {"client_terminated", false}};
    if (options_.cut.names_ends) {
      entries.emplace_back("_src", std::string(g_.name(e.src)));
      entries.emplace_back("_dst", std::string(g_.name(e.dst)));
    }
    return Attrs(std::move(entries));
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
      p.graph.nodes.assign(std::make_move_iterator(part.nodes.begin()), std::make_move_iterator(part.nodes.end()));
      p.graph.versions = g_.versions;
      p.graph.functions = reachable_functions(g_.functions, p.graph.nodes);
      for (NodeSpec& n : p.graph.nodes) fill_incarnation(n);
      for (FunctionSpec& f : p.graph.functions)
        for (NodeSpec& n : f.nodes) fill_incarnation(n);
      out.push_back(std::move(p));
    }
    return out;
  }

  const Graph& g_;
  const DeviceSet& devices_;
  const PartitionOptions& options_;
  IdVector<NodeId, MemoryTypes> memory_;
  IdVector<NodeId, PartId> parts_of_;
  std::deque<Part> parts_;
  std::map<std::string, PartId> by_location_;
  std::map<Key, Received> received_;
};

}  // namespace

StatusOr<std::vector<Partition>> partition(Graph& g, const DeviceSet& devices, const PartitionOptions& options) {
  if (!options.control_flow_added && options.planted != PlantedRuntimeBug::control_loop_missing) TARRY_RETURN_IF_ERROR(add_control_loops(g, options));
  return Cutter(g, devices, options).run();
}

}  // namespace tarry
