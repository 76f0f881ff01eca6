#include "properties/placement/exhaustive.hpp"

#include <array>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr const char* kCpu = "/job:a/replica:0/task:0/device:CPU:0";
constexpr const char* kGpu = "/job:a/replica:0/task:0/device:GPU:0";
constexpr const char* kElsewhere = "/job:b/replica:0/task:0/device:CPU:0";

constexpr std::array kRequests = {"/device:GPU:0", "/job:b", "/job:b/device:GPU:0", "/foo:bar"};
constexpr std::array kKeys = {"loc:@n0", "loc:@n3"};

struct Letter {
  const char* op;
  std::string_view inputs;  // a letter each: v value, f reference, r resource
  char output;              // likewise; ' ' = none that anybody reads
};
constexpr std::array<Letter, 9> kLetters = {{{"TestVariable", "", 'f'},
                                             {"TestHandleVariable", "", 'r'},
                                             {"TestAssign", "fv", ' '},
                                             {"TestHandleAssign", "rv", ' '},
                                             {"TestCPUGPUOutput", "", 'v'},
                                             {"TestRelu", "v", 'v'},
                                             {"ReluGPU", "v", 'v'},
                                             {"TestDatasetOp", "v", 'v'},
                                             {"Shape", "v", ' '}}};
constexpr Letter kMerge = {"Merge", "v", 'v'}, kNextIteration = {"NextIteration", "v", 'v'};

std::string name_of(std::size_t node) { return fmt::format("n{}", node); }

bool takes(char wanted, char given) { return wanted == given || (wanted == 'v' && given == 'f'); }

Attrs attrs_of(std::string_view op) {
  if (op == "Merge") return {{"T", AttrValue(DataType::kFloat)}, {"N", AttrValue(std::int64_t{2})}};
  if (op == "NextIteration" || op == "Shape") return {{"T", AttrValue(DataType::kFloat)}};
  return {};
}

// All graphs without marks, each node's inputs in all ways.
class Shapes {
 public:
  Shapes(const PlacementWorld& world, int nodes, std::function<void(const std::vector<CaseNode>&)> visit)
      : world_(world), most_(static_cast<std::size_t>(nodes)), visit_(std::move(visit)) {}

  void run() { grow(); }

 private:
  void grow() {
    if (!nodes_.empty() && awaited_ < nodes_.size()) visit_(nodes_);
    if (nodes_.size() == most_) return;
    if (awaited_ != 0 && awaited_ == nodes_.size()) return add(kNextIteration, {});
    for (const Letter& letter : kLetters)
      if (world_.tables.ops.find(letter.op) != nullptr) add(letter, {});
    if (awaited_ == 0) add_merges();
  }

  // One cycle is enough for four nodes: a Merge that waits for a later node.
  void add_merges() {
    for (awaited_ = nodes_.size() + 1; awaited_ < most_; ++awaited_) add(kMerge, {});
    awaited_ = 0;
  }

  void add(const Letter& letter, std::vector<std::string> inputs) {
    if (inputs.size() == letter.inputs.size()) return put(letter, std::move(inputs));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!takes(letter.inputs[inputs.size()], outputs_[i])) continue;
      inputs.push_back(name_of(i));
      add(letter, inputs);
      inputs.pop_back();
    }
  }

  void put(const Letter& letter, std::vector<std::string> inputs) {
    if (&letter == &kMerge) inputs.push_back(name_of(awaited_));
    nodes_.push_back(
        {{.name = name_of(nodes_.size()), .op = letter.op, .inputs = std::move(inputs), .attrs = attrs_of(letter.op)},
         ""});
    outputs_.push_back(letter.output);
    grow();
    nodes_.pop_back();
    outputs_.pop_back();
  }

  const PlacementWorld& world_;
  std::size_t most_;
  std::function<void(const std::vector<CaseNode>&)> visit_;
  std::vector<CaseNode> nodes_;
  std::vector<char> outputs_;
  std::size_t awaited_ = 0;  // the node that a Merge waits for; 0 = none does
};

// All ways to mark one shape's nodes. The graph is imported once and marked in place: marks do not change the
// importer's order.
class Marks {
 public:
  Marks(const PlacementWorld& world, const std::vector<CaseNode>& nodes, ExhaustiveReport& report)
      : world_(world), report_(report) {
    case_.devices = {{kCpu, ""}, {kGpu, ""}, {kElsewhere, ""}};
    case_.nodes = nodes;
    auto g = import_case(case_, world);
    check(g.ok(), "a graph of the alphabet cannot be imported");
    graph_ = *std::move(g);
    for (const CaseNode& n : nodes) ids_.push_back(graph_.find(n.spec.name));
  }

  void run(int marks) { mark_request(0, marks); }

 private:
  void mark_request(std::size_t node, int left) {
    if (node == case_.nodes.size()) return compare();
    mark_key(node, left);
    if (left == 0) return;
    for (const char* request : kRequests) {
      ask(node, request);
      mark_key(node, left - 1);
    }
    ask(node, "");
    case_.nodes[node].assigned = kGpu;
    mark_key(node, left - 1);
    case_.nodes[node].assigned.clear();
  }

  void ask(std::size_t node, const char* request) {
    case_.nodes[node].spec.device = request;
    graph_.set_requested_device(ids_[node], request);
  }

  void mark_key(std::size_t node, int left) {
    mark_request(node + 1, left);
    if (left == 0) return;
    const Attrs plain = graph_.node(ids_[node]).attrs;
    for (const char* key : kKeys) {
      graph_.node(ids_[node]).attrs.set("_class", AttrList{.s = {key}});
      mark_request(node + 1, left - 1);
    }
    graph_.node(ids_[node]).attrs = plain;
  }

  void compare() {
    for (const bool soft : {false, true}) {
      case_.soft = soft;
      const PlacementAnswer ours = place_imported(case_, graph_, world_);
      const PlacementAnswer theirs = reference_answer(case_, graph_, world_);
      ++report_.graphs;
      report_.placed += ours.code == Code::kOk ? 1 : 0;
      if (ours.code != theirs.code || ours.place != theirs.place) note(ours, theirs);
    }
  }

  void note(const PlacementAnswer& ours, const PlacementAnswer& theirs) {
    if (++report_.different > 1) return;
    for (std::size_t i = 0; i < ids_.size(); ++i) case_.nodes[i].spec.attrs = graph_.node(ids_[i]).attrs;
    report_.first = fmt::format("ours:\n{}the reference:\n{}", to_text(case_, &ours), to_text(case_, &theirs));
  }

  const PlacementWorld& world_;
  ExhaustiveReport& report_;
  PlacementCase case_;
  Graph graph_;
  std::vector<NodeId> ids_;
};

}  // namespace

ExhaustiveReport compare_all(const PlacementWorld& world, const ExhaustiveOptions& options, const Progress& progress) {
  ExhaustiveReport report;
  Shapes(world, options.nodes, [&](const std::vector<CaseNode>& nodes) {
    Marks(world, nodes, report).run(options.marks);
    if (++report.shapes % 64 == 0 && progress) progress(report.shapes);
  }).run();
  return report;
}

}  // namespace tarry
